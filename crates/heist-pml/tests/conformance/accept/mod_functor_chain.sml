(* Functors applied to the results of functors. *)
signature MONOID = sig type t val unit : t val times : t * t -> t end
functor Pair (structure A : MONOID structure B : MONOID) = struct
  type t = A.t * B.t
  val unit = (A.unit, B.unit)
  fun times ((a, b), (c, d)) = (A.times (a, c), B.times (b, d))
end
functor Fold (M : MONOID) = struct fun all f l = foldl (fn (x, m) => M.times (m, f x)) M.unit l end
structure Sum = struct type t = int val unit = 0 val times = op + end
structure Text = struct type t = string val unit = "" val times = op ^ end
structure Max = struct type t = int val unit = ~1000 val times = Int.max end
structure ST = Pair (structure A = Sum structure B = Text)
structure All = Pair (structure A = ST structure B = Max)
structure F = Fold (All)
val ((sum, text), max) = F.all (fn n => ((n, Int.toString n), n)) [3, 9, 4]
val () = print (Int.toString sum ^ " " ^ text ^ " " ^ Int.toString max ^ "\n")
