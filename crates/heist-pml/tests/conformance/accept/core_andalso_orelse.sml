(* andalso and orelse: short circuits, and their precedence among operators. *)
fun t s = (print s; true)
fun f s = (print s; false)
val a = t "1" andalso f "2" orelse t "3"
val b = f "4" andalso t "5"
val c = t "6" orelse f "7"
val d = f "8" orelse f "9" orelse t "0"
val () = print ("\n" ^ String.concatWith " " (map Bool.toString [a, b, c, d]) ^ "\n")
fun member x l = not (null l) andalso (hd l = x orelse member x (tl l))
val () = print (Bool.toString (member 3 [1, 2, 3]) ^ Bool.toString (member 4 [1, 2, 3]) ^ "\n")
val e = if not true orelse 1 = 1 andalso 2 > 3 then "yes" else "no"
val () = print (e ^ "\n")
