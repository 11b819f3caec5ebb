(* error: E0316 *)
val x : int list list = [] : (int, string) list
