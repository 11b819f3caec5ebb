(* error: E0207 *)
val x = (4 div)
