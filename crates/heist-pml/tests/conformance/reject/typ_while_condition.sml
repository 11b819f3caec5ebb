(* error: E0336 *)
val i = ref 0
val () = while i do i := 1
