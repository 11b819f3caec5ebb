(* error: E0332 *)
datatype t = it | that
