(* error: E0201 *)
val r = {a = 1; b = 2}
