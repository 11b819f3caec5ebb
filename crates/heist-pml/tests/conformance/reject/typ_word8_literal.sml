(* error: E0320 *)
val b : Word8.word = 0w300
