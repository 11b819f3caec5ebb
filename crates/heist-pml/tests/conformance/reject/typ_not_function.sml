(* error: E0306 *)
val n = 5
val m = n 6
