(* Tail calls through function values: continuation passing, and a dispatcher. *)
fun loop 0 k = k 0 | loop n k = loop (n - 1) (fn r => k (r + 1))
datatype step = Step of step * int -> string
fun bounce (s as Step f, n) = if n = 0 then "done" else f (s, n - 1)
val table = [fn k => k + 1, fn k => k + 2]
fun run (0, acc, _) = acc | run (n, acc, f :: rest) = run (n - 1, f acc, rest @ [f]) | run (_, acc, []) = acc
val () = print (Int.toString (loop 1000000 (fn r => r)) ^ "\n")
val () = print (bounce (Step bounce, 10000000) ^ "\n")
val () = print (Int.toString (run (1000000, 0, table)) ^ "\n")
