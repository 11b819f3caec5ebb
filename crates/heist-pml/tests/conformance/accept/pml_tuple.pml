(* Parallel tuples are ordinary tuples, of any width. *)
fun fact n = if n = 0 then 1 else n * fact (n - 1)
val (a, b) = (| fact 5, fact 6 |)
val t = (| 1 + 1, "two", [3], (| 4.5, #"x" |) |)
val (n, s, l, (r, c)) = t
val () = print (Int.toString (a + b) ^ " " ^ Int.toString n ^ s ^ Int.toString (hd l) ^ Real.toString r ^ str c ^ "\n")
val () = print (Int.toString (op + (| fact 3, fact 4 |)) ^ " " ^ Int.toString (#2 (| 1, 2, 3 |)) ^ "\n")
