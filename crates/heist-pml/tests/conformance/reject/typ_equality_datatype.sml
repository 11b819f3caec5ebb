(* error: E0308 *)
datatype t = F of int -> int | G
val b = G = G
