(* error: E0316 *)
fun f (x : list) = x
