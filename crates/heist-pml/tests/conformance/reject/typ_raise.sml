(* error: E0330 *)
fun fail () = raise "error"
