(* error: E0217 *)
fun f x = x + 1 end
