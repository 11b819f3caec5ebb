(* error: E0217 *)
val x = (1 + 2)) * 3
