(* Deep frames that hold pointers while the collector runs. *)
datatype t = Leaf | Node of t * int * t
fun left 0 = Leaf | left n = let val s = Int.toString n in Node (left (n - 1), size s, Leaf) end
fun sum Leaf = 0 | sum (Node (a, n, b)) = sum a + n + sum b
fun walk 0 = [] | walk n = let val l = List.tabulate (3, fn i => i + n) val rest = walk (n - 1) in foldl op + 0 l :: rest end
val () = print (Int.toString (sum (left 200000)) ^ "\n")
val () = print (Int.toString (foldl (fn (x, y) => (x + y) mod 1000003) 0 (walk 100000)) ^ "\n")
