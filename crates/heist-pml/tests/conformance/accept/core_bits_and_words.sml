(* Bit tricks on words: population count, reversal, Gray codes, a checksum. *)
fun pop 0w0 = 0 | pop w = 1 + pop (Word.andb (w, w - 0w1))
fun reverse (_, 0, r) = r | reverse (w, n, r) = reverse (Word.>> (w, 0w1), n - 1, Word.orb (Word.<< (r, 0w1), Word.andb (w, 0w1)))
fun gray w = Word.xorb (w, Word.>> (w, 0w1))
fun adler s = let fun go ([], a, b) = Word.orb (Word.<< (b, 0w16), a) | go (c :: cs, a, b) = let val a = (a + Word.fromInt (ord c)) mod 0w65521 in go (cs, a, (b + a) mod 0w65521) end in go (explode s, 0w1, 0w0) end
val () = print (Int.toString (pop 0wxFF0F) ^ " " ^ Word.toString (reverse (0wx1, 8, 0w0)) ^ " " ^ String.concatWith "," (List.tabulate (8, fn i => Word.fmt StringCvt.BIN (gray (Word.fromInt i)))) ^ " " ^ Word.toString (adler "Wikipedia") ^ "\n")
