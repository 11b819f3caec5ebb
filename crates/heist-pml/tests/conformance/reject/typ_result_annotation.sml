(* error: E0304 *)
fun half n : real = n div 2
