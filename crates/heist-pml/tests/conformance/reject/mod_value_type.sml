(* error: E0406 *)
signature S = sig val size : string -> int end
structure A : S = struct fun size s = s ^ "!" end
