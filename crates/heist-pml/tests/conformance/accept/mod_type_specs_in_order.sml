(* In a signature, type definitions joined by `and` take effect one after the other. *)
type t = int
signature S = sig type t = bool and u = t val x : u end
structure X : S = struct type t = bool and u = bool val x = true end
val _ = print (Bool.toString X.x ^ "\n")
