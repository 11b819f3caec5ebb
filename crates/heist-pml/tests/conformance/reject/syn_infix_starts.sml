(* error: E0207 *)
val x = * 3
