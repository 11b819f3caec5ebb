(* The classic: a functor of sets over an order, applied twice. *)
signature ORD = sig type t val compare : t * t -> order end
functor Set (Ord : ORD) = struct
  type item = Ord.t
  datatype set = Empty | Node of set * item * set
  fun member (Empty, _) = false
    | member (Node (l, y, r), x) = case Ord.compare (x, y) of LESS => member (l, x) | GREATER => member (r, x) | EQUAL => true
  fun add (Empty, x) = Node (Empty, x, Empty)
    | add (s as Node (l, y, r), x) = case Ord.compare (x, y) of LESS => Node (add (l, x), y, r) | GREATER => Node (l, y, add (r, x)) | EQUAL => s
  fun list Empty = [] | list (Node (l, x, r)) = list l @ x :: list r
  fun from l = foldl (fn (x, s) => add (s, x)) Empty l
end
structure IS = Set (struct type t = int val compare = Int.compare end)
structure SS = Set (type t = string fun compare (a, b) = String.compare (b, a))
val s = IS.from [3, 1, 2, 3]
val t = SS.from ["x", "z", "y"]
val () = print (String.concat (map Int.toString (IS.list s)) ^ concat (SS.list t) ^ Bool.toString (IS.member (s, 2)) ^ Bool.toString (SS.member (t, "w")) ^ "\n")
