(* Continuation passing: factorial, tree products with escape, a small generator. *)
fun fact (0, k) = k 1 | fact (n, k) = fact (n - 1, fn r => k (n * r))
datatype tree = L | N of tree * int * tree
fun product t = let fun go (L, k) = k 1 | go (N (_, 0, _), _) = 0 | go (N (l, x, r), k) = go (l, fn a => go (r, fn b => k (a * x * b))) in go (t, fn x => x) end
datatype 'a gen = Done | More of 'a * (unit -> 'a gen)
fun walk (L, k) = k () | walk (N (l, x, r), k) = walk (l, fn () => More (x, fn () => walk (r, k)))
fun same (Done, Done) = true | same (More (x, f), More (y, g)) = x = y andalso same (f (), g ()) | same _ = false
fun list l = foldl (fn (x, t) => let fun ins L = N (L, x, L) | ins (N (a, y, b)) = if x < y then N (ins a, y, b) else N (a, y, ins b) in ins t end) L l
fun fringe l = walk (list l, fn () => Done)
val () = print (Int.toString (fact (10, fn x => x)) ^ " " ^ Int.toString (product (list [3, 1, 2])) ^ Int.toString (product (list [3, 0, 2])) ^ Bool.toString (same (fringe [3, 1, 2], fringe [1, 2, 3])) ^ Bool.toString (same (fringe [1, 2], fringe [1, 2, 3])) ^ "\n")
