(* error: E0404 *)
signature S = sig type elem val x : int end
structure A : S = struct val x = 3 end
