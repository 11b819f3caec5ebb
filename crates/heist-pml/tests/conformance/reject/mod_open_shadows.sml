(* error: E0302 *)
structure S = struct fun length (s : string) = size s end
open S
val n = length [1, 2, 3]
