(* Patterns of vectors: `#[p, q]`. *)
fun sum #[] = 0
  | sum #[x] = x
  | sum #[x, y] = x + y
  | sum v = 100 + Vector.length v
val () = print (String.concatWith " " (map (Int.toString o sum) [#[], #[3], #[3, 4], #[1, 2, 3]]) ^ "\n")
fun keys (#["get", key] | #["put", key, _]) = key
  | keys #["all"] = "*"
  | keys _ = "?"
val () = print (String.concatWith " " (map keys [#["get", "a"], #["put", "b", "1"], #["all"], #["put", "c"], #[]]) ^ "\n")
datatype t = A | B of real
fun mix (#[A, B x], 0 | 1) = x
  | mix (#[B x, _], _) = x + 10.0
  | mix (#[A], n) = real n
  | mix _ = ~1.0
val () = print (String.concatWith " " (map (Real.toString o mix) [(#[A, B 1.5], 1), (#[A, B 1.5], 2), (#[B 2.5, A], 2), (#[A], 7), (#[], 0)]) ^ "\n")
fun nested #[#[x], #[y, z]] = [x, y, z] | nested _ = []
val () = print (Int.toString (length (nested #[#[1], #[2, 3]]) + length (nested #[#[1], #[2]])) ^ "\n")
val #[p, q] = Vector.fromList [1.0, 2.0]
val () = print (Real.toString (p + q) ^ "\n")
val () = (let val #[] = Vector.fromList [p] in print "no\n" end) handle Bind => print "Bind\n"
