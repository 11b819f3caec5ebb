(* Makes and drops lists: much garbage, and little live data. *)
fun loop (0, sum) = sum
  | loop (n, sum) = let val l = List.tabulate (100, fn i => i * n) in loop (n - 1, (sum + foldl op + 0 (map (fn x => x + 1) (rev l))) mod 1000003) end
val () = print (Int.toString (loop (20000, 0)) ^ "\n")
