(* The collector frees cycles through references like other garbage. *)
datatype node = Node of int * node option ref
fun cycle n = let val first as Node (_, r) = Node (n, ref NONE) val last = foldl (fn (i, prev) => Node (i, ref (SOME prev))) first (List.tabulate (20, fn i => i)) in r := SOME last; first end
fun walk (Node (n, r), 0, s) = s + n | walk (Node (n, r), k, s) = walk (valOf (!r), k - 1, s + n)
fun loop (0, s) = s | loop (k, s) = loop (k - 1, (s + walk (cycle k, 45, 0)) mod 1000003)
val () = print (Int.toString (loop (20000, 0)) ^ "\n")
