(* error: E0408 *)
signature S = sig datatype 'a t = Leaf | Node of 'a t * 'a end
structure M : S = struct datatype 'a t = Leaf | Node of 'a * 'a t end
