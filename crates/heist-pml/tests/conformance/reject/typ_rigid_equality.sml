(* error: E0308 *)
fun eq (x : 'a, y : 'a) = x = y
