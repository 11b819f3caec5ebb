(* error: E0318 *)
fun square x = x * x
fun f (square y) = y
