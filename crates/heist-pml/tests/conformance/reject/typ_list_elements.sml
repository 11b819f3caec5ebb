(* error: E0301 *)
val l = [1, 2, "three"]
