(* error: E0310 *)
val x = let datatype t = A | B in A end
