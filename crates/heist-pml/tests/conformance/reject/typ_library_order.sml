(* error: E0302 *)
val total = foldl 0 (op +) [1, 2, 3]
