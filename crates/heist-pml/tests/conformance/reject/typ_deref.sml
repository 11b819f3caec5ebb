(* error: E0302 *)
val n = 3
val m = !n + 1
