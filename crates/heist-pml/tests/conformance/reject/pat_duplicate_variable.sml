(* error: E0324 *)
fun same (x, x) = true
