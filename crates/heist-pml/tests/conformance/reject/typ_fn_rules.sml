(* error: E0303 *)
val f = fn 0 => "zero" | n => n + 1
