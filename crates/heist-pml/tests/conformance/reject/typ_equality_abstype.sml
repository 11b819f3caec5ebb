(* error: E0308 *)
abstype t = T of int with val a = T 1 val b = T 2 end
val same = a = b
