(* error: E0401 *)
structure A = struct structure B = struct val x = 1 end end
val y = A.C.x
