(* error: E0215 *)
val h = fn (a b c) => a
