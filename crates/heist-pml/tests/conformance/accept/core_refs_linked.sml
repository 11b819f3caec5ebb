(* A doubly linked list with references and removal in the middle. *)
datatype 'a node = Node of {value : 'a, prev : 'a node option ref, next : 'a node option ref}
fun node x = Node {value = x, prev = ref NONE, next = ref NONE}
fun link (a as Node {next, ...}, b as Node {prev, ...}) = (next := SOME b; prev := SOME a)
fun values (Node {value, next, ...}) = value :: (case !next of NONE => [] | SOME n => values n)
fun back (Node {value, prev, ...}) = value :: (case !prev of NONE => [] | SOME n => back n)
fun remove (Node {prev, next, ...}) =
  ((case !prev of SOME (Node p) => #next p := !next | NONE => ());
   (case !next of SOME (Node n) => #prev n := !prev | NONE => ()))
val nodes = map node [1, 2, 3, 4, 5]
fun chain (a :: (rest as b :: _)) = (link (a, b); chain rest) | chain _ = ()
val () = chain nodes
val () = remove (List.nth (nodes, 2))
val () = print (String.concatWith " " (map Int.toString (values (hd nodes))) ^ " / " ^ String.concatWith " " (map Int.toString (back (List.last nodes))) ^ "\n")
