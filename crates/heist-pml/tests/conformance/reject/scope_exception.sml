(* error: E0312 *)
fun f g = g () handle NotThere n => n
