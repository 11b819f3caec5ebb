(* a ! i binds less tightly than arithmetic and more tightly than ::, and associates to the left. *)
val a = [| 10, 20, 30, 40 |]
val m = [| [| 1, 2 |], [| 3, 4 |] |]
val i = 1
val x = a ! i + 1
val y = a ! 2 * i
val z = m ! 1 ! 0
val l = a ! 0 :: a ! 3 :: [m ! 0 ! 1]
val w = (a ! 1) + (a ! 2)
val eq = a ! 0 = 10
val () = print (String.concatWith " " (map Int.toString ([x, y, z, w] @ l)) ^ Bool.toString eq ^ "\n")
val r = ref 5
val () = r := !r + (a ! 0)
val () = print (Int.toString (!r) ^ ((Int.toString (a ! 4)) handle Subscript => " subscript") ^ "\n")
