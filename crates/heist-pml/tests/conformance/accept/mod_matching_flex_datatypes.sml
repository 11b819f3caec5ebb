(* A datatype matched by an abstract type spec, by eqtype, and by itself. *)
structure D = struct datatype d = P | Q of int val p = P fun q n = Q n fun show P = "P" | show (Q n) = "Q" ^ Int.toString n end
structure A : sig type d val p : d val show : d -> string end = D
structure B : sig eqtype d val q : int -> d end = D
structure C :> sig datatype d = P | Q of int val show : d -> string end = D
val () = print (A.show (D.Q 1) ^ Bool.toString (B.q 2 = D.Q 2) ^ C.show (C.Q 3) ^ A.show A.p ^ "\n")
