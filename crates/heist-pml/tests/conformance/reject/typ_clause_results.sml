(* error: E0303 *)
fun f [] = 0
  | f (x :: _) = [x]
