(* ref as a pattern constructor. *)
fun incr (r as ref n) = r := n + 1
fun both (ref a, ref b) = a + b
val r = ref 5
val () = (incr r; incr r)
val ref v = r
fun follow (ref (SOME (ref x))) = x | follow (ref NONE) = 0
val () = print (Int.toString v ^ " " ^ Int.toString (both (r, ref 10)) ^ " " ^ Int.toString (follow (ref (SOME r))) ^ "\n")
datatype node = Node of int * node ref | End
fun sum (Node (n, ref rest)) = n + sum rest | sum End = 0
val tail = ref End
val list = Node (1, ref (Node (2, tail)))
val () = tail := Node (3, ref End)
val () = print (Int.toString (sum list) ^ "\n")
