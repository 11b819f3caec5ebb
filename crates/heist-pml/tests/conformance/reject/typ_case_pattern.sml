(* error: E0305 *)
fun f n = case n + 1 of "one" => 1 | _ => 2
