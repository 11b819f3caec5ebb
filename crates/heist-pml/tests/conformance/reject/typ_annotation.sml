(* error: E0304 *)
val x : string = 42
