(* error: E0302 *)
val r = ref 0
val () = r := "one"
