(* error: E0331 *)
fun safe f = f () handle "error" => 0
