(* Zippers on lists and trees. *)
datatype 'a tree = Fork of 'a tree * 'a tree | Item of 'a
datatype 'a path = Top | InLeft of 'a path * 'a tree | InRight of 'a tree * 'a path
fun left (Fork (l, r), p) = (l, InLeft (p, r)) | left _ = raise Fail "left of an item"
fun right (Fork (l, r), p) = (r, InRight (l, p)) | right _ = raise Fail "right of an item"
fun up (t, InLeft (p, r)) = (Fork (t, r), p) | up (t, InRight (l, p)) = (Fork (l, t), p) | up (t, Top) = (t, Top)
fun root (t, Top) = t | root z = root (up z)
fun change (_, p) t = (t, p)
fun show (Item s) = s | show (Fork (a, b)) = "(" ^ show a ^ " " ^ show b ^ ")"
val t = Fork (Fork (Item "a", Item "b"), Fork (Item "c", Item "d"))
val z = right (left (t, Top))
val z' = up (change z (Fork (Item "x", Item "y")))
val () = print (show (root z') ^ " " ^ show (root (change (right (right (root z', Top))) (Item "z"))) ^ " " ^ (show (#1 (left (left (left (t, Top))))) handle Fail m => m) ^ "\n")
