(* error: E0303 *)
fun name n = case n of 1 => "one" | 2 => 2 | _ => "many"
