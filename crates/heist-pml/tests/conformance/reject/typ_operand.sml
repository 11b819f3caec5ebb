(* error: E0323 *)
val n = 1 + "2"
