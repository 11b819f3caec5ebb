(* Ranges: both ends, steps up and down, wrong directions, one element. *)
fun show xs = print ("[" ^ PArray.toString Int.toString "," xs ^ "]\n")
val () = show [| 1 to 5 |]
val () = show [| 1 to 10 by 3 |]
val () = show [| 1 to 11 by 3 |]
val () = show [| 5 to 1 by ~2 |]
val () = show [| 6 to 1 by ~2 |]
val () = show [| 5 to 1 |]
val () = show [| 1 to 5 by ~1 |]
val () = show [| 7 to 7 by ~3 |]
val () = show [| ~2 to 2 |]
val n = 3
val () = show [| n - 1 to n * n by n - 1 |]
val () = (show [| 1 to 3 by n - 3 |]; print "no\n") handle _ => print "step 0\n"
