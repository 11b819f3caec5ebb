(* error: E0328 *)
type ('a, 'a) pair = 'a * 'a
