(* Word8 in loops, comparisons and matches. *)
fun crc (b : Word8.word, c) = let fun go (0, c) = c | go (k, c) = go (k - 1, if Word8.andb (c, 0wx80) <> 0w0 then Word8.xorb (Word8.<< (c, 0w1), 0wx07) else Word8.<< (c, 0w1)) in go (8, Word8.xorb (b, c)) end
val bytes = map (Word8.fromInt o ord) (explode "123456789")
fun name (0w0 : Word8.word) = "zero" | name 0wxF4 = "check" | name _ = "other"
val c = foldl crc 0w0 bytes
val () = print (Word8.toString c ^ name c ^ name (c - c) ^ Int.toString (foldl (fn (b, s) => s + Word8.toInt b) 0 bytes) ^ Bool.toString (Word8.> (0w200, 0w100)) ^ Word8.toString (0w200 + 0w100) ^ "\n")
