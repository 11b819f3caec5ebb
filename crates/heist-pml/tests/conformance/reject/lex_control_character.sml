(* error: E0101 *)
val a = 1 
val b = a
