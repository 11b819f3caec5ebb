(* error: E0407 *)
signature S = sig type 'a t end
structure A : S = struct type t = int end
