(* error: E0313 *)
datatype tree = Leaf | Node of trees * int
