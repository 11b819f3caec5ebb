(* The structure PArray. *)
fun show xs = print (PArray.toString Int.toString "," xs ^ "\n")
val a = PArray.tab (5, fn i => i * i)
val grid = PArray.tab2D (2, 3, fn (i, j) => 10 * i + j)
val () = show a
val () = show (PArray.concat (PArray.toList grid))
val () = PArray.app (fn x => print (Int.toString x ^ ";")) a
val () = print "\n"
val () = print (Int.toString (PArray.reduce op + 0 a) ^ " " ^ Int.toString (PArray.sub (PArray.sub (grid, 1), 2)) ^ "\n")
val () = show (PArray.scan op + 0 a)
val () = show (PArray.filter (fn x => x > 3) (PArray.fromList [1, 5, 2, 7]))
val () = show (PArray.range (3, 6))
