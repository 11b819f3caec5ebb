(* Datatypes in signatures: constructors come with them. *)
signature TREE = sig
  datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
  val insert : int * int tree -> int tree
end
structure Tree : TREE = struct
  datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
  fun insert (x, Leaf) = Node (Leaf, x, Leaf)
    | insert (x, t as Node (l, y, r)) = if x < y then Node (insert (x, l), y, r) else if x > y then Node (l, y, insert (x, r)) else t
end
open Tree
fun list Leaf = [] | list (Node (l, x, r)) = list l @ x :: list r
val t : int Tree.tree = foldl Tree.insert Leaf [4, 1, 3, 2]
val () = print (String.concat (map Int.toString (list t)) ^ "\n")
