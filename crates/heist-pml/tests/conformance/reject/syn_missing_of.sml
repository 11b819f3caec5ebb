(* error: E0201 *)
fun isZero n = case n 0 => true | _ => false
