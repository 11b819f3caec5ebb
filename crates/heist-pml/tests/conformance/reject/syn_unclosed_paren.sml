(* error: E0202 *)
val area = (3 * 4
val a = 3
