(* open in expressions, with shadowing in both directions. *)
structure M = struct val a = 1 val b = 2 fun f x = x + a end
val a = 100
val r1 = let open M in a + b + f 10 end
val r2 = let open M val a = 1000 in a + f 0 end
fun g b = let open M in f b + b end
fun h a = let val x = a open M in x + a end
val () = print (String.concatWith " " (map Int.toString [r1, r2, g 50, h 7, a]) ^ "\n")
