(* error: E0302 *)
val x = 7 / 2
