(* error: E0332 *)
fun f (a, b) = let val op :: = 3 in a end
