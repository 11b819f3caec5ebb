(* div and mod round down, quot and rem to zero. *)
fun four (a, b) = print (String.concatWith " " (map Int.toString [a div b, a mod b, Int.quot (a, b), Int.rem (a, b)]) ^ "\n")
val () = app four [(7, 2), (~7, 2), (7, ~2), (~7, ~2), (6, 3), (~6, 3), (0, 5), (1, 10), (~1, 10)]
