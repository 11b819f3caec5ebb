(* Outside of the parallel forms, the words of these forms are ordinary names. *)
val to = 3
val by = 2
fun step {to = hi, by = k} = [| 1 to hi by k |]
val a = [to, by, to + by]
val () = print (String.concatWith "," (map Int.toString a) ^ " " ^ PArray.toString Int.toString "," (step {to = 5, by = by}) ^ "\n")
val otherwise = "otherwise"
val () = print (otherwise ^ "\n")
