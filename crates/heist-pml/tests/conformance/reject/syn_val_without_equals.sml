(* error: E0201 *)
val x : int
val y = 2
