(* error: E0212 *)
val f = 1 + fn x => x
