(* error: E0201 *)
val f : int => int = fn x => x
