(* A result signature with where type that refers to the parameter. *)
signature COLLECTION = sig type elem type t val empty : t val add : elem * t -> t val toList : t -> elem list end
functor Bag (E : sig type t val less : t * t -> bool end) :> COLLECTION where type elem = E.t = struct
  type elem = E.t
  type t = elem list
  val empty = []
  fun add (x, []) = [x] | add (x, y :: t) = if E.less (x, y) then x :: y :: t else y :: add (x, t)
  fun toList t = t
end
structure RB = Bag (type t = real val less = Real.<)
val b = foldl RB.add RB.empty [2.5, 1.5, 3.5]
val () = print (String.concatWith " " (map Real.toString (RB.toList b)) ^ "\n")
