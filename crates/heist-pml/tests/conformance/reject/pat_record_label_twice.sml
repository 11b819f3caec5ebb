(* error: E0327 *)
fun f {a = x, a = y} = x + y
