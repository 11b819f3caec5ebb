(* error: E0201 *)
val f = fn x = x + 1
