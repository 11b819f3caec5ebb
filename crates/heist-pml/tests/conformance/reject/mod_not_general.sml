(* error: E0406 *)
signature S = sig val id : 'a -> 'a end
structure A : S = struct fun id (x : int) = x end
