(* error: E0219 *)
fun answer = 42
