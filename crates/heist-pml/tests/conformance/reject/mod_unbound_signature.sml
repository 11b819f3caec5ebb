(* error: E0402 *)
structure S : ORDERED_KEY = struct val x = 1 end
