(* Equality that is required through several levels of functors. *)
functor Elem (eqtype t val show : t -> string) = struct type t = t val show = show end
functor SetOf (E : sig eqtype t val show : t -> string end) = struct
  type t = E.t list
  fun add (x, s) = if List.exists (fn y => x = y) s then s else x :: s
  fun equal (a, b) = List.all (fn x => List.exists (fn y => y = x) b) a andalso length a = length b
  fun show s = "{" ^ String.concatWith "," (map E.show (rev s)) ^ "}"
end
structure A = SetOf (Elem (type t = int val show = Int.toString))
structure B = SetOf (struct type t = A.t val show = A.show end)
val a = foldl A.add [] [1, 2, 1, 3]
val b = foldl B.add [] [a, [1], a]
val () = print (A.show a ^ B.show b ^ Bool.toString (A.equal (a, rev a)) ^ "\n")
