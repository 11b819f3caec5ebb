(* error: E0322 *)
val r = {x = 1, y = 2}
val z = #z r
