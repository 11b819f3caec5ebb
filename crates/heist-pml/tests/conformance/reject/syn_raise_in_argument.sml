(* error: E0212 *)
fun f x = if x < 0 then abs raise Domain else x
