(* Type functions through signatures: a container type is an argument. *)
signature CONTAINER = sig type 'a t val single : 'a -> 'a t val append : 'a t * 'a t -> 'a t val toList : 'a t -> 'a list val map : ('a -> 'b) -> 'a t -> 'b t end
functor Twice (C : CONTAINER) = struct
  fun pair (x, y) = C.append (C.single x, C.single y)
  fun nest (x, y) = C.single (pair (x, y))
  fun lens c = C.toList (C.map (fn d => length (C.toList d)) c)
  val mixed = (C.toList (pair (1, 2)), C.toList (pair ("a", "b")))
end
structure ListC = struct type 'a t = 'a list fun single x = [x] val append = op @ fun toList l = l val map = List.map end
datatype 'a rope = One of 'a | Cat of 'a rope * 'a rope
structure RopeC = struct type 'a t = 'a rope val single = One val append = Cat fun toList (One x) = [x] | toList (Cat (a, b)) = toList a @ toList b fun map f (One x) = One (f x) | map f (Cat (a, b)) = Cat (map f a, map f b) end
structure A = Twice (ListC) structure B = Twice (RopeC)
val () = print (concat (#2 A.mixed @ #2 B.mixed) ^ Int.toString (foldl op + 0 (#1 A.mixed @ #1 B.mixed @ A.lens (A.nest (1, 2)) @ B.lens (B.nest (#"a", #"b")))) ^ "\n")
