(* Each application of a functor makes new datatypes of its body, but not of its argument. *)
functor Wrap (X : sig datatype d = A | B of int val show : d -> string end) = struct
  datatype w = W of X.d | Two of X.d * X.d
  fun show (W d) = X.show d | show (Two (X.A, X.B n)) = "A and B" ^ Int.toString n | show (Two (d, e)) = X.show d ^ X.show e
end
structure X = struct datatype d = A | B of int fun show A = "A" | show (B n) = "B" ^ Int.toString n end
structure V = Wrap (X) structure W = Wrap (X)
val () = print (V.show (V.Two (X.A, X.B 3)) ^ " " ^ W.show (W.W (X.B 4)) ^ " " ^ V.show (V.Two (X.B 1, X.A)) ^ "\n")
