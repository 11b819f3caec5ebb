(* error: E0302 *)
val n = 1 + "2"
