(* A polymorphic binary search tree. *)
datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
fun insert cmp (Leaf, x) = Node (Leaf, x, Leaf)
  | insert cmp (t as Node (l, y, r), x) =
      (case cmp (x, y) of LESS => Node (insert cmp (l, x), y, r) | GREATER => Node (l, y, insert cmp (r, x)) | EQUAL => t)
fun fold f b Leaf = b | fold f b (Node (l, x, r)) = fold f (f (x, fold f b l)) r
fun fromList cmp = foldl (fn (x, t) => insert cmp (t, x)) Leaf
val words = String.tokens (not o Char.isAlpha) "the quick brown fox jumps over the lazy dog and the cat"
val t = fromList String.compare words
val () = print (String.concatWith " " (rev (fold op :: [] t)) ^ "\n")
val n = fromList Int.compare [5, 2, 8, 1, 9, 3, 5]
val () = print (Int.toString (fold op + 0 n) ^ " " ^ Int.toString (fold (fn (_, k) => k + 1) 0 n) ^ "\n")
