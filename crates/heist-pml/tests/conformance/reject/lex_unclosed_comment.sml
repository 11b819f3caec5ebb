(* error: E0102 *)
val a = 1 (* a comment (* inside *) that goes on
val b = 2
