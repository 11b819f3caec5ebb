(* A hundred thousand elements through several operations. *)
val n = 100000
val a = [| i mod 1000 | i in [| 1 to n |] |]
val b = [| x * 2 + 1 | x in a where x mod 3 = 0 |]
val s = scanP (op +) 0 b
val () = print (Int.toString (lengthP b) ^ " " ^ Int.toString (sumP b) ^ " " ^ Int.toString ((s ! lengthP s - 1) + (b ! lengthP b - 1)) ^ "\n")
