(* Polymorphic equality on types that contain type parameters. *)
datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
datatype ('a, 'b) either = Left of 'a | Right of 'b
fun same (a : (''a tree, ''b) either list, b) = a = b
fun count x = foldl (fn (y, n) => if x = y then n + 1 else n) 0
fun group l = foldr (fn (x, []) => [[x]] | (x, (y :: ys) :: r) => if x = y then (x :: y :: ys) :: r else [x] :: (y :: ys) :: r | (x, r) => [x] :: r) [] l
val t = Node (Leaf, 1, Node (Leaf, 2, Leaf))
val () = print (Bool.toString (same ([Left t, Right "x"], [Left t, Right "x"])) ^ Bool.toString (same ([Left t, Right #"x"], [Right #"x"])) ^ Int.toString (count (SOME "a") [NONE, SOME "a", SOME "b", SOME ("" ^ "a")]) ^ " " ^ String.concatWith "," (map (fn g => Int.toString (length g)) (group [1, 1, 2, 3, 3, 3])) ^ Int.toString (length (group [Leaf, t, t])) ^ "\n")
