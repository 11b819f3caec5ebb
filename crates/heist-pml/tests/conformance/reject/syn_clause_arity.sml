(* error: E0204 *)
fun power x 0 = 1
  | power x = x
