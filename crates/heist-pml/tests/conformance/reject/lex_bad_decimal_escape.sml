(* error: E0104 *)
val s = "a\999b"
