(* error: E0323 *)
fun id (x : 'a) : 'a = x + 1
