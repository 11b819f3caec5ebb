(* error: E0414 *)
structure A = struct val x = 1 end and A = struct val x = 2 end
