(* error: E0201 *)
val l = [1, 2, 3,]
