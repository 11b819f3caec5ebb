(* error: E0336 *)
fun both a b = a andalso b + 1
