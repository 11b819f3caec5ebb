(* Left to right: functions before arguments, record fields as written. *)
fun say s x = (print s; x)
val _ = (say "f" (fn x => fn y => x + y)) (say "a" 1) (say "b" 2)
val r = {z = say "z" 1, a = say "a" 2, m = say "m" 3}
val t = (say "1" 1, say "2" 2, say "3" 3)
val l = [say "x" 1, say "y" 2]
val () = print "\n"
val x = say "p" 1 + say "q" 2 * say "r" 3
val () = print "\n"
val rf = say "R" (ref 0)
val () = say "L" rf := say "E" 5
val b = say "u" 1 < say "v" 2
val s = say "A" "x" ^ say "B" "y"
val c = say "h" 1 :: say "t" []
val () = print ("\n" ^ s ^ Int.toString (#z r + #2 t + x + !rf + hd c) ^ "\n")
