(* error: E0317 *)
fun f (NONE x) = x | f (SOME x) = x
