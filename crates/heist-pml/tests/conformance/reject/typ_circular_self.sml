(* error: E0307 *)
fun f x = x x
