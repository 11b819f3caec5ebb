(* error: E0313 *)
signature S = sig type t end
signature T = S where type u = int
