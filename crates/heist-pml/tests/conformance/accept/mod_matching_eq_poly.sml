(* Equality type variables in specifications. A more general function matches, too. *)
signature S = sig val member : ''a * ''a list -> bool val same : ''a * ''a -> bool val const : ''a -> ''b -> ''a end
structure M : S = struct
  fun member (x, l) = List.exists (fn y => x = y) l
  fun same (a, b) = a = b
  fun const a _ = a
end
val () = print (Bool.toString (M.member (3, [1, 3]) andalso M.same ("a", "a")) ^ Int.toString (M.const 1 "x") ^ "\n")
