(* error: E0404 *)
functor Twice (X : sig val n : int val name : string end) = struct val m = X.n * 2 end
structure T = Twice (struct val n = 3 end)
