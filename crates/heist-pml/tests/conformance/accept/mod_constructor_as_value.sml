(* A constructor or exception matched as a plain value. *)
signature S = sig type t val make : int -> t val leaf : t val Node : t * t -> t val size : t -> int val Bad : string -> exn end
structure M :> S = struct
  datatype t = leaf | Leaf of int | Node of t * t
  val make = Leaf
  exception Bad of string
  fun size leaf = 0 | size (Leaf _) = 1 | size (Node (a, b)) = size a + size b
end
val () = print (Int.toString (M.size (M.Node (M.make 1, M.Node (M.leaf, M.make 2)))) ^ "\n")
val () = (raise M.Bad "x") handle e => print (exnName e ^ "\n")
