(* error: E0411 *)
signature S = sig type t = int type u = string sharing type t = u end
