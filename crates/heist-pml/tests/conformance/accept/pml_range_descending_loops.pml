(* Ranges whose steps do not hit the end, and ranges inside of ranges. *)
fun show xs = print (PArray.toString Int.toString " " xs ^ "\n")
val () = show [| i | i in [| 10 to 0 by ~4 |] |]
val () = show (PArray.concat (PArray.toList [| [| i to 3 |] | i in [| 3 to 1 by ~1 |] |]))
val () = show [| lengthP [| 0 to 10 by k |] | k in [| 1 to 5 |] |]
val () = show [| lengthP [| 10 to 0 by ~k |] | k in [| 1 to 5 |] |]
