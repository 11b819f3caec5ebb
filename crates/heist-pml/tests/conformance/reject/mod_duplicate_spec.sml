(* error: E0413 *)
signature S = sig val x : int val y : int val x : string end
