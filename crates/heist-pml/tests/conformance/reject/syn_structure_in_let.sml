(* error: E0209 *)
fun f x = let structure S = struct val y = x end in S.y end
