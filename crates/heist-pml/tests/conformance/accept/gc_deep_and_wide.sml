(* Deep recursion that allocates at each level, on the way down and on the way up. *)
fun down 0 = [] | down n = let val s = (n, [n, n + 1]) val rest = down (n - 1) in if n mod 1000 = 0 then s :: rest else rest end
datatype chain = End | Link of chain ref * int
fun tree 0 = End | tree n = Link (ref (tree (n - 1)), n)
fun size End = 0 | size (Link (r, _)) = 1 + size (!r)
fun times (0, f) = () | times (n, f) = (f (); times (n - 1, f))
val () = times (5, fn () => ignore (down 100000))
val l = down 100000
val () = print (Int.toString (length l) ^ " " ^ Int.toString (foldl (fn ((n, xs), s) => s + n + foldl op + 0 xs) 0 l) ^ " " ^ Int.toString (size (tree 100000)) ^ "\n")
