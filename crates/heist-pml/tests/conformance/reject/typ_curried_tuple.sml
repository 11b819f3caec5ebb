(* error: E0302 *)
fun add x y = x + y : int
val z = add (1, 2)
