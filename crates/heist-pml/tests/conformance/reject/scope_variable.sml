(* error: E0311 *)
fun area r = pi * r * r
