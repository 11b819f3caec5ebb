(* error: E0336 *)
fun sign n = if n - 1 then 1 else ~1
