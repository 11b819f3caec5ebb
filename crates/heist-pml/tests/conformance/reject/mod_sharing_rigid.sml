(* error: E0411 *)
signature S = sig type t = int end
signature T = sig structure A : S structure B : S sharing type A.t = B.t end
