(* error: E0317 *)
fun f (SOME) = 1 | f NONE = 0
