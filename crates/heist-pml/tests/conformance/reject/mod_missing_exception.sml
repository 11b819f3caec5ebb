(* error: E0404 *)
signature S = sig exception Failed of string end
structure A : S = struct exception Fail of string end
