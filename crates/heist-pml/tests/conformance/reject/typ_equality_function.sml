(* error: E0308 *)
val same = (fn x => x + 1) = (fn x => 1 + x)
