(* error: E0215 *)
fun f (g x) y = x
val h = fn (a b c) => a
