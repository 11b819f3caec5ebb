(* error: E0302 *)
val area = 3 * 1.5
