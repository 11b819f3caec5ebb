(* error: E0323 *)
val s = "a" + "b"
