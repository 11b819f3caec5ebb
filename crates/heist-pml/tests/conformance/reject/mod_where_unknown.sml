(* error: E0412 *)
signature S = sig type t end
signature T = S where type u = int
