(* error: E0305 *)
val (a, b) = [1, 2]
