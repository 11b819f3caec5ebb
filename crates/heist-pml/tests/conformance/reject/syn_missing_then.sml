(* error: E0201 *)
fun max (a, b) = if a > b a else b
