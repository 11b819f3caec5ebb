(* error: E0302 *)
val l = [1, 2] @ 3
