(* Eight queens by lists, bits and exceptions. *)
fun safe (_, _, []) = true | safe (q, d, p :: ps) = q <> p andalso abs (q - p) <> d andalso safe (q, d + 1, ps)
fun count (n, 0, _) = 1 | count (n, k, ps) = foldl (fn (q, s) => if safe (q, 1, ps) then s + count (n, k - 1, q :: ps) else s) 0 (List.tabulate (n, fn i => i))
fun bits (all, cols, l, r) =
  if cols = all then 1
  else
    let
      fun go (0w0, s) = s
        | go (free, s) = let val b = Word.andb (free, 0w0 - free) in go (free - b, s + bits (all, Word.orb (cols, b), Word.<< (Word.orb (l, b), 0w1), Word.>> (Word.orb (r, b), 0w1))) end
    in go (Word.andb (all, Word.notb (Word.orb (cols, Word.orb (l, r)))), 0) end
exception Solution of int list
fun first n = let fun go (0, ps) = raise Solution ps | go (k, ps) = app (fn q => if safe (q, 1, ps) then go (k - 1, q :: ps) else ()) (List.tabulate (n, fn i => i)) in (go (n, []); []) handle Solution ps => ps end
val () = print (Int.toString (count (8, 8, [])) ^ " " ^ Int.toString (bits (0wxFF, 0w0, 0w0, 0w0)) ^ " " ^ String.concatWith "," (map Int.toString (first 8)) ^ Bool.toString (null (first 3)) ^ "\n")
