(* error: E0329 *)
fun 'a f (x : 'a) = let fun 'a g (y : 'a) = y in g x end
