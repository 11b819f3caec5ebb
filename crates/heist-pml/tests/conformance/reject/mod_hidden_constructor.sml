(* error: E0311 *)
structure S :> sig type t val a : t end = struct datatype t = A | B val a = A end
val x = S.A
