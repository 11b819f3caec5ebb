(* error: E0325 *)
val x = 1 and x = 2
