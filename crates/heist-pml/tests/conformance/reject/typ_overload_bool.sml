(* error: E0323 *)
val b = true < false
