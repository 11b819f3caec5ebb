(* The prefix sums of an Euler tour are the sums from the root down. *)
datatype tree = Node of int * tree list
fun tour (Node (v, ts)) = (true, v) :: List.concat (map tour ts) @ [(false, ~v)]
val t = Node (1, [Node (2, [Node (3, [])]), Node (10, [Node (20, []), Node (30, [Node (40, [])])])])
val entries = PArray.fromList (tour t)
val sums = scanP (op +) 0 [| v | (_, v) in entries |]
val down = [| s + v | (enter, v) in entries, s in sums where enter |]
val () = print (PArray.toString Int.toString " " down ^ "\n")
