(* error: E0309 *)
fun eq (x : 'a, y : 'a) = x = y
