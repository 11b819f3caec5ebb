(* On one worker, the effects of parallel forms happen from left to right. *)
fun say (s, x) = (print s; x)
val (a, b) = (| say ("a", 1), say ("b", 2) |)
val l = [| say ("c", 3), say ("d", 4) |]
val m = [| say (Int.toString i, i) | i in [| 1 to 3 |] |]
val n = parN [fn () => say ("e", 5), fn () => say ("f", 6)]
val () = print ("\n" ^ Int.toString (a + b + sumP l + sumP m + hd n) ^ "\n")
