(* error: E0405 *)
signature S = sig exception E end
structure A : S = struct val E = 3 end
