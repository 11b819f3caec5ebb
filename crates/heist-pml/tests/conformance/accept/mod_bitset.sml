(* Sets of small integers as words, checked against lists by a functor. *)
signature SET = sig type set val empty : set val add : int * set -> set val mem : int * set -> bool val union : set * set -> set val size : set -> int end
structure Bits :> SET = struct
  type set = word
  val empty = 0w0
  fun bit i = Word.<< (0w1, Word.fromInt i)
  fun add (i, s) = Word.orb (bit i, s)
  fun mem (i, s) = Word.andb (bit i, s) <> 0w0
  val union = Word.orb
  fun size 0w0 = 0 | size s = 1 + size (Word.andb (s, s - 0w1))
end
structure Lists :> SET = struct
  type set = int list
  val empty = []
  fun mem (i : int, s) = List.exists (fn j => i = j) s
  fun add (i, s) = if mem (i, s) then s else i :: s
  fun union (a, b) = foldl add b a
  val size = length
end
functor Use (S : SET) = struct
  val a = foldl S.add S.empty [1, 5, 9, 30, 5]
  val b = foldl S.add S.empty [2, 5, 29]
  val u = S.union (a, b)
  val text = String.concatWith "," (map Int.toString (List.filter (fn i => S.mem (i, u)) (List.tabulate (32, fn i => i)))) ^ ":" ^ Int.toString (S.size u)
end
structure X = Use (Bits) structure Y = Use (Lists)
val () = print (X.text ^ " " ^ Bool.toString (X.text = Y.text) ^ "\n")
