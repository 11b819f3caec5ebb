(* A functor over a structure with a structure inside, and with a result signature that names it. *)
signature KEY = sig type t val hash : t -> int val eq : t * t -> bool end
functor Table (P : sig structure Key : KEY val buckets : int end) : sig
  type 'a table
  val new : unit -> 'a table
  val set : 'a table -> P.Key.t * 'a -> unit
  val get : 'a table -> P.Key.t -> 'a option
end = struct
  type 'a table = (P.Key.t * 'a) list array
  fun new () = Array.array (P.buckets, [])
  fun at k = P.Key.hash k mod P.buckets
  fun set t (k, v) = let val i = at k in Array.update (t, i, (k, v) :: List.filter (fn (k', _) => not (P.Key.eq (k, k'))) (Array.sub (t, i))) end
  fun get t k = Option.map #2 (List.find (fn (k', _) => P.Key.eq (k, k')) (Array.sub (t, at k)))
end
structure T = Table (structure Key = struct type t = string fun hash s = foldl (fn (c, h) => h * 31 + ord c) 0 (explode s) mod 1000003 val eq = op = end val buckets = 7)
val t : int T.table = T.new ()
val () = app (T.set t) [("one", 1), ("two", 2), ("three", 3), ("two", 22)]
val () = print (Int.toString (valOf (T.get t "two") + valOf (T.get t "one")) ^ Bool.toString (isSome (T.get t "four")) ^ "\n")
