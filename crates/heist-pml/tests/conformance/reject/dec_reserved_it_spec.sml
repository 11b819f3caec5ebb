(* error: E0332 *)
signature S = sig exception it end
