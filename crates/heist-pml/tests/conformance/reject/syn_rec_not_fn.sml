(* error: E0205 *)
val rec ones = 1 :: ones
