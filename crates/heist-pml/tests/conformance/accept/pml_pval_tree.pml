(* A short circuit with pval: the program may not need the right product. *)
datatype tree = Leaf of int | Node of tree * tree
fun product (Leaf n) = n
  | product (Node (l, r)) =
      let
        pval right = product r
        val left = product l
      in
        if left = 0 then 0 else left * right
      end
fun bad () = Leaf (1 div 0) handle Div => Leaf 9
val t = Node (Node (Leaf 2, Leaf 3), Node (Leaf 4, bad ()))
val () = print (Int.toString (product t) ^ " " ^ Int.toString (product (Node (Leaf 0, t))) ^ "\n")
