(* error: E0412 *)
signature S = sig type t type u sharing type t = u end where type t = int where type u = int
