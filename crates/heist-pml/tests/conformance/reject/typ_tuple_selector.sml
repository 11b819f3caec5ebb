(* error: E0322 *)
val third = #3 (1, 2)
