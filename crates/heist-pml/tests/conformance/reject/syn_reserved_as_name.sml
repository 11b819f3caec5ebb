(* error: E0201 *)
val type = 3
