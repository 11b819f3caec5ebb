(* error: E0332 *)
exception nil of int
