(* A visitor as a signature; two implementations; one traversal functor. *)
signature VISITOR = sig type result val leaf : int -> result val node : string * result list -> result end
datatype tree = Leaf of int | Node of string * tree list
functor Walk (V : VISITOR) = struct fun walk (Leaf n) = V.leaf n | walk (Node (s, ts)) = V.node (s, map walk ts) end
structure Sum = Walk (type result = int fun leaf n = n fun node (_, rs) = foldl op + 0 rs)
structure Show = Walk (type result = string val leaf = Int.toString fun node (s, rs) = s ^ "(" ^ String.concatWith " " rs ^ ")")
structure Depth = Walk (type result = int fun leaf _ = 1 fun node (_, rs) = 1 + foldl Int.max 0 rs)
val t = Node ("a", [Leaf 1, Node ("b", [Leaf 2, Node ("c", [])]), Leaf 3])
val () = print (Int.toString (Sum.walk t) ^ " " ^ Show.walk t ^ " " ^ Int.toString (Depth.walk t) ^ "\n")
