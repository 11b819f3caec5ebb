(* error: E0410 *)
signature S = sig type t = int val x : t end
structure A : S = struct type t = string val x = "one" end
