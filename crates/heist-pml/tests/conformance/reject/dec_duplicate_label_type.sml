(* error: E0327 *)
type point = {x : int, x : int}
