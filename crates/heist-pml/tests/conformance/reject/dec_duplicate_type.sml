(* error: E0325 *)
type t = int and t = string
