(* Makes and checks binary trees. One tree lives long. *)
datatype tree = Nil | Node of tree * tree
fun make 0 = Node (Nil, Nil) | make d = Node (make (d - 1), make (d - 1))
fun check Nil = 0 | check (Node (l, r)) = 1 + check l + check r
val long = make 14
fun loop (0, n) = n | loop (k, n) = loop (k - 1, n + check (make 8))
val () = print (Int.toString (loop (1000, 0)) ^ " " ^ Int.toString (check long) ^ "\n")
