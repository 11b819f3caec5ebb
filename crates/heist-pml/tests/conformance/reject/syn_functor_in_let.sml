(* error: E0209 *)
val x = let functor F () = struct end in 3 end
