(* error: E0302 *)
functor F (X : sig type t val x : t end) = struct val y = X.x + 1 end
