(* error: E0309 *)
fun f (x : 'a) = let fun g (y : 'a) = y in (g x, g 1) end
