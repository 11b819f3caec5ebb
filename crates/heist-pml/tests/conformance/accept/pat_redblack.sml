(* Okasaki's balance: four nested patterns for one result. *)
datatype color = R | B
datatype tree = E | T of color * tree * int * tree
fun balance (B, T (R, T (R, a, x, b), y, c), z, d) = T (R, T (B, a, x, b), y, T (B, c, z, d))
  | balance (B, T (R, a, x, T (R, b, y, c)), z, d) = T (R, T (B, a, x, b), y, T (B, c, z, d))
  | balance (B, a, x, T (R, T (R, b, y, c), z, d)) = T (R, T (B, a, x, b), y, T (B, c, z, d))
  | balance (B, a, x, T (R, b, y, T (R, c, z, d))) = T (R, T (B, a, x, b), y, T (B, c, z, d))
  | balance t = T t
fun insert x s =
  let fun ins E = T (R, E, x, E)
        | ins (s as T (c, a, y, b)) = if x < y then balance (c, ins a, y, b) else if y < x then balance (c, a, y, ins b) else s
  in case ins s of T (_, a, y, b) => T (B, a, y, b) | E => E end
fun depth E = 0 | depth (T (_, a, _, b)) = 1 + Int.max (depth a, depth b)
fun toList E = [] | toList (T (_, a, x, b)) = toList a @ x :: toList b
fun black E = 1
  | black (T (c, a, _, b)) = let val n = black a in if n <> black b then raise Fail "unbalanced" else n + (if c = B then 1 else 0) end
val t = foldl (fn (x, t) => insert x t) E (List.tabulate (1000, fn i => i * 7919 mod 1009))
val () = print (Int.toString (depth t) ^ " " ^ Int.toString (black t) ^ " " ^ Int.toString (length (toList t)) ^ " " ^ Int.toString (List.nth (toList t, 500)) ^ "\n")
