(* error: E0404 *)
functor F (X : sig val n : int end) : sig val n : int val m : int end = struct val n = X.n end
