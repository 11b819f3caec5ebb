(* error: E0334 *)
exception Carry of 'a
