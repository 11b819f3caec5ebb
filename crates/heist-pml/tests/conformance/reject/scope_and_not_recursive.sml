(* error: E0311 *)
val f = fn 0 => 1 | n => n * f (n - 1)
