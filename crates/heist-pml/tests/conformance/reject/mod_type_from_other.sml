(* error: E0302 *)
structure A = struct datatype t = T end
structure B = struct datatype t = T fun f T = 1 end
val x = B.f A.T
