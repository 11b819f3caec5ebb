(* error: E0319 *)
fun f 1.0 = "one" | f _ = "other"
