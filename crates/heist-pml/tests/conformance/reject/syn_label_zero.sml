(* error: E0214 *)
val r = {0 = "zero", 1 = "one"}
