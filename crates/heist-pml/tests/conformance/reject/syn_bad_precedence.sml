(* error: E0213 *)
infix 12 ===
fun a === b = a = b
