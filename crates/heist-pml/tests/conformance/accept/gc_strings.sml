(* Strings of all lengths, built by concatenation. *)
fun repeat (s, 0) = "" | repeat (s, n) = s ^ repeat (s, n - 1)
fun loop (0, n) = n | loop (k, n) = let val s = repeat (Int.toString k, k mod 20) in loop (k - 1, n + size s) end
val big = String.concat (List.tabulate (50000, fn i => if i mod 2 = 0 then "ab" else "c"))
val () = print (Int.toString (loop (50000, 0)) ^ " " ^ Int.toString (size big) ^ " " ^ Int.toString (length (String.tokens (fn c => c = #"c") big)) ^ "\n")
