(* error: E0410 *)
functor Join (structure A : sig type t val x : t end structure B : sig type t val f : t -> int end sharing type A.t = B.t) = struct val r = B.f A.x end
structure J = Join (structure A = struct type t = int val x = 1 end structure B = struct type t = string val f = size end)
