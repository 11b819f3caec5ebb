(* Structures that offered the rest of the Basis more than their signatures say. *)

structure Vector : VECTOR = Vector
structure Char : CHAR = Char
structure String : STRING = String
