(* error: E0302 *)
structure S = struct fun double x = x + x end
val y = S.double 2.0
