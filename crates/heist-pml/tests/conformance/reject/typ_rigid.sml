(* error: E0309 *)
fun id (x : 'a) : 'a = x + 1
