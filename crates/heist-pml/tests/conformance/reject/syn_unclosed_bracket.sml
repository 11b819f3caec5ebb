(* error: E0202 *)
val l = [1, 2, 3
val m = 4
