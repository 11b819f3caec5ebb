(* error: E0308 *)
fun isZero (x : real) = x = 0.0
