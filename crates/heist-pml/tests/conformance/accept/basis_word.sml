(* Words of 8 bits and more: arithmetic that wraps, bits, shifts, conversions. *)
val a = 0wxF0 : Word8.word
fun w x = print (Word8.toString x ^ " ")
val () = (w (a + 0w32); w (a * 0w2); w (0w0 - 0w1); w (Word8.notb a); w (Word8.orb (a, 0w15)); w (Word8.andb (a, 0wx3C)); w (Word8.xorb (a, 0wxFF)); w (Word8.<< (a, 0w1)); w (Word8.>> (a, 0w4)); w (Word8.~>> (a, 0w4)); w (Word8.~>> (a, 0w9)); w (Word8.<< (a, 0w8)); w (~ a))
val () = print "\n"
val () = print (String.concatWith " " [Int.toString (Word8.toInt a), Int.toString (Word8.toIntX a), Word8.toString (Word8.fromInt 511), Word8.toString (Word8.fromInt ~1), LargeWord.toString (Word8.toLarge a), Int.toString (Word.toInt (Word.andb (0wx1234, 0wxFF)))] ^ "\n")
val () = print (String.concatWith " " [Word.fmt StringCvt.BIN 0w10, Word.fmt StringCvt.OCT 0w64, Word.fmt StringCvt.DEC 0wxFF, Word.toString (valOf (Word.fromString "1f")), Word.toString (valOf (StringCvt.scanString (Word.scan StringCvt.DEC) "99"))] ^ "\n")
val () = print (String.concatWith " " (map Bool.toString [0w3 < 0w5, 0w0 - 0w1 > 0w1000, Word.min (0w3, 0w2) = 0w2]) ^ " " ^ Word.toString (0w17 div 0w5) ^ Word.toString (0w17 mod 0w5) ^ "\n")
val () = (ignore (0w1 div (0w0 : word)); print "no\n") handle Div => print "Div\n"
val n = foldl (fn (c, h) => Word.andb (Word.xorb (h * 0w33, Word.fromInt (ord c)), 0wxFFFFFFFF)) 0w5381 (explode "hello world")
val () = print (Word.toString n ^ "\n")
