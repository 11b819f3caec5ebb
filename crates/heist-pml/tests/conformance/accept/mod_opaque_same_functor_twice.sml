(* Two applications of a functor to the same argument: the types of the argument agree, and the types of the body differ. *)
functor Box (type t) :> sig type box val put : t -> box val get : box -> t end = struct type box = t list fun put x = [x] val get = hd end
structure X = struct type t = int * int end
structure A = Box (X)
structure B = Box (X)
val p = A.get (A.put (1, 2))
val q = B.get (B.put p)
val boxes = (A.put p, B.put q)
val () = print (Int.toString (#1 p + #2 q + #1 (A.get (#1 boxes)) + #2 (B.get (#2 boxes))) ^ "\n")
