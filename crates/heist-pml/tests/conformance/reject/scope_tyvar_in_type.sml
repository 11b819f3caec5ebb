(* error: E0314 *)
type pair = 'a * 'a
