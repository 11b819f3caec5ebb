(* Symbolic names in signatures and records of operators. *)
signature VEC = sig type t val ++ : t * t -> t val ** : int * t -> t val <> : t * t -> bool val make : int list -> t val list : t -> int list end
structure Vec :> VEC = struct
  type t = int vector
  infix ++ **
  fun a ++ b = Vector.mapi (fn (i, x) => x + Vector.sub (b, i)) a
  fun k ** a = Vector.map (fn x => k * x) a
  fun a <> b = not (a = b)
  val make = Vector.fromList
  fun list v = Vector.foldr op :: [] v
end
val v = Vec.make [1, 2, 3]
val w = Vec.++ (v, Vec.** (10, v))
val () = print (String.concatWith "," (map Int.toString (Vec.list w)) ^ Bool.toString (Vec.<> (v, w)) ^ Bool.toString (Vec.<> (v, Vec.make [1, 2, 3])) ^ "\n")
