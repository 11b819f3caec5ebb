(* error: E0211 *)
fun f ((a, b) as pair) = pair
