(* error: E0326 *)
datatype a = X | Y and b = Z | X
