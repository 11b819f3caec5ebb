(* error: E0306 *)
fun inc x = x + 1
val y = inc 1 2
