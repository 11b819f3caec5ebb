(* All tail positions: case, if, let, handle's rules, sequence, andalso. *)
fun f (n, acc) =
  case n mod 4 of
    0 => if n = 0 then acc else let val m = n - 1 in f (m, acc + 1) end
  | 1 => (ignore acc; f (n - 1, acc + 2))
  | 2 => ((if n < 0 then raise Fail "" else n - 1) handle Fail _ => 0; f (n - 1, acc))
  | _ => let fun g x = f (x, acc) in g (n - 1) end
fun all p i = i = 0 orelse (p i andalso all p (i - 1))
fun h n = (if n = 0 then raise Empty else ()) handle Empty => h' n
and h' _ = ()
val () = h 0
val () = print (Int.toString (f (3000000, 0)) ^ Bool.toString (all (fn x => x > 0) 3000000) ^ "\n")
