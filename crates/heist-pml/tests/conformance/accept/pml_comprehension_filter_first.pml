(* where filters before the body is computed, so elements that are filtered out raise no exception. *)
fun show xs = print (PArray.toString Int.toString " " xs ^ "\n")
val xs = [| 0, 1, 2, 0, 5 |]
val () = show [| 10 div x | x in xs where x <> 0 |]
val () = (show [| 10 div x | x in xs |]) handle Div => print "Div\n"
val count = ref 0
val ys = [| (count := !count + 1; x) | x in xs where x > 1 |]
val () = print (Int.toString (!count) ^ "\n")
