(* Function clauses in infix form, with further arguments. *)
infix 4 |=
fun (x |= y) z = x + y < z
infixr 5 +++
fun [] +++ ys = ys
  | (x :: xs) +++ ys = x :: (xs +++ ys)
infix >>
fun (f >> g) x = g (f x)
val h = (fn x => x + 1) >> (fn x => x * 2) >> Int.toString
val () = print (Bool.toString ((1 |= 2) 4) ^ " " ^ h 4 ^ "\n")
val () = app print (["a"] +++ ["b", "c"] +++ ["\n"])
