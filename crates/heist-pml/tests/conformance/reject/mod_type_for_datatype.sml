(* error: E0408 *)
signature S = sig datatype t = A | B end
structure M : S = struct type t = bool end
