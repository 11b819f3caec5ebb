(* error: E0304 *)
fun f (x : int, y) : string = x + y
