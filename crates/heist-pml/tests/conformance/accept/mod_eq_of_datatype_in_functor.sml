(* Equality on a functor's parameter types: eqtype and equality type variables. *)
functor Assoc (eqtype k) = struct
  type 'a t = (k * 'a) list
  fun find (k : k) t = case List.find (fn (k', _) => k = k') t of SOME (_, v) => SOME v | NONE => NONE
  fun same (a : (k * ''v) list, b) = a = b
end
structure S = Assoc (type k = string)
structure P = Assoc (type k = int * bool)
val () = print (Int.toString (valOf (S.find "b" [("a", 1), ("b", 2)])) ^ getOpt (P.find (1, true) [((1, true), "yes")], "no") ^ Bool.toString (S.same ([("x", 1)], [("x", 1)])) ^ "\n")
