(* error: E0302 *)
fun volume (a, b, c) = a * b * c
val v = volume (2, 3)
