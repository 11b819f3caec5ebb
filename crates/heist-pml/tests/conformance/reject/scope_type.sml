(* error: E0313 *)
fun f (x : integer) = x
