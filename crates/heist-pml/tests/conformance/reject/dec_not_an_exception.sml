(* error: E0335 *)
datatype t = A
exception E = A
