(* Signatures built up by include and where type over several steps. *)
signature SEMIGROUP = sig type t val op' : t * t -> t end
signature MONOID = sig include SEMIGROUP val unit : t end
signature GROUP = sig include MONOID val inverse : t -> t end
signature INT_GROUP = GROUP where type t = int
functor Power (M : MONOID) = struct fun power (_, 0) = M.unit | power (x, n) = if n mod 2 = 0 then power (M.op' (x, x), n div 2) else M.op' (x, power (x, n - 1)) end
functor Signed (G : GROUP) = struct structure P = Power (G) fun power (x, n) = if n < 0 then G.inverse (P.power (x, ~n)) else P.power (x, n) end
structure Add : INT_GROUP = struct type t = int val op' = op + val unit = 0 val inverse = ~ end
structure Mod7 :> INT_GROUP = struct type t = int fun op' (a, b) = a * b mod 7 val unit = 1 fun inverse a = let fun go k = if a * k mod 7 = 1 then k else go (k + 1) in go 1 end end
structure SA = Signed (Add) structure SM = Signed (Mod7)
val () = print (Int.toString (SA.power (5, ~3)) ^ " " ^ Int.toString (SM.power (3, 5)) ^ " " ^ Int.toString (SM.power (3, ~5)) ^ "\n")
