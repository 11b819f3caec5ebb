(* error: E0311 *)
val x = let val hidden = 1 in hidden + 1 end
val y = hidden
