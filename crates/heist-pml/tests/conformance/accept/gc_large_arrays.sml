(* Arrays too large for a nursery, alive for a while. *)
fun make k = Array.tabulate (50000, fn i => i + k)
fun loop (0, _, s) = s
  | loop (k, kept, s) = let val a = make k val s = (s + Array.sub (a, k) + foldl (fn (b, t) => t + Array.sub (b, 49999)) 0 kept) mod 1000003 in loop (k - 1, if length kept > 5 then [a] else a :: kept, s) end
val () = print (Int.toString (loop (60, [], 0)) ^ "\n")
val v = Vector.tabulate (100000, fn i => [i])
val () = print (Int.toString (Vector.foldl (fn ([x], s) => (s + x) mod 1000003 | (_, s) => s) 0 v) ^ "\n")
