(* error: E0336 *)
fun sign n = if n then 1 else ~1
val x = sign 3
