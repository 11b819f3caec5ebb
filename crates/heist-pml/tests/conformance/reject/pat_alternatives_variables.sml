(* error: E0338 *)
fun f ((x, 0) | (0, y)) = x | f _ = 0
