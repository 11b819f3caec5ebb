(* error: E0324 *)
fun add x x = x + x
