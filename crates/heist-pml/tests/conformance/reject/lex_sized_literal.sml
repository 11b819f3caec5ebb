(* error: E0320 *)
val least = ~16 : Int5.int
val most = 15 : Int5.int
val more = 16 : Int5.int
