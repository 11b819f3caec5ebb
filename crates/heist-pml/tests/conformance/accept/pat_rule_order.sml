(* The first rule that matches wins, even if its test comes late. *)
datatype t = A | B | C | D
fun f (A, _, D) = 1 | f (_, B, _) = 2 | f (A, C, C) = 3 | f (B, _, _) = 4 | f (_, _, A) = 5 | f (x, y, z) = if x = y then 6 else 7
val all = [A, B, C, D]
val table = List.concat (map (fn x => List.concat (map (fn y => map (fn z => f (x, y, z)) all) all)) all)
val () = app (fn n => print (Int.toString n)) table
val () = print "\n"
fun g (true, false, _) = "a" | g (_, true, true) = "b" | g (false, _, false) = "c" | g _ = "d"
val bs = [true, false]
val () = app (fn a => app (fn b => app (fn c => print (g (a, b, c))) bs) bs) bs
val () = print "\n"
