(* error: E0412 *)
signature S = sig type t = int end
signature T = S where type t = string
