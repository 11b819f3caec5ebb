(* error: E0307 *)
fun count n = if n = 0 then count else count (n - 1)
