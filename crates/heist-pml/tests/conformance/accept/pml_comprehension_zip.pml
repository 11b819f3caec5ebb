(* Several binders advance together, to the end of the shortest array; where sees all of them. *)
fun show xs = print (PArray.toString Int.toString " " xs ^ "\n")
val a = [| 1, 2, 3, 4, 5 |]
val b = [| 10, 20, 30 |]
val c = [| 100 to 900 by 100 |]
val () = show [| x + y | x in a, y in b |]
val () = show [| x + y + z | x in a, y in b, z in c |]
val () = show [| x * y | x in a, y in b where x + y > 20 |]
val () = show [| w + x + y + z | w in a, x in a, y in a, z in a where w mod 2 = 1 |]
val () = show [| x | x in a, _ in b |]
