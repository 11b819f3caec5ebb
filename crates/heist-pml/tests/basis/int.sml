fun say s = print (s ^ "\n")
fun try f = (say (f ())) handle e => say ("raises " ^ exnName e)
val bool = Bool.toString
val int = Int.toString
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
open StringCvt
val all = [(7, 2), (~7, 2), (7, ~2), (~7, ~2), (6, 3), (~6, 3), (0, 5)]
val () = app (fn (a, b) => try (fn () => String.concatWith " " (map int [a div b, a mod b, Int.quot (a, b), Int.rem (a, b)]))) all
val () = try (fn () => int (1 div 0))
val () = try (fn () => int (1 mod 0))
val () = try (fn () => int (Int.quot (1, 0)) ^ int (Int.rem (1, 0)))
val () = try (fn () => int (valOf Int.maxInt + 1))
val () = try (fn () => int (valOf Int.minInt - 1))
val () = try (fn () => int (valOf Int.maxInt * 2))
val () = try (fn () => int (~ (valOf Int.minInt)))
val () = try (fn () => int (abs (valOf Int.minInt)))
val () = try (fn () => int (valOf Int.minInt div ~1))
val () = try (fn () => int (valOf Int.minInt + valOf Int.maxInt))
val () = try (fn () => int (Int.min (1, 2)) ^ int (Int.max (1, 2)) ^ int (Int.sign ~5) ^ int (Int.sign 0) ^ int (Int.sign 7) ^ int (Int.abs ~3))
val () = try (fn () => bool (Int.sameSign (1, 2)) ^ bool (Int.sameSign (1, ~2)) ^ bool (Int.sameSign (0, 2)))
val () = try (fn () => order (Int.compare (1, 2)) ^ order (Int.compare (2, 2)) ^ order (Int.compare (3, ~2)))
val () = try (fn () => bool (1 < 2) ^ bool (2 <= 1) ^ bool (1 > 0) ^ bool (~1 >= 0))
val () = app (fn r => try (fn () => Int.fmt r 255 ^ " " ^ Int.fmt r ~255 ^ " " ^ Int.fmt r 0)) [BIN, OCT, DEC, HEX]
val () = try (fn () => int 0 ^ int 7 ^ int ~1 ^ int 1234567890 ^ int ~1234567890123 ^ int 10 ^ int 99 ^ int 100)
fun i (r, s) = try (fn () => case StringCvt.scanString (Int.scan r) s of NONE => "NONE" | SOME r => int r)
val () =
  app i
    [ (HEX, "0x1F"), (HEX, "0x"), (HEX, "0xg"), (HEX, "~0X1f"), (HEX, "1f"), (DEC, "0x12"), (DEC, "+12"), (DEC, "- 12"), (DEC, "-12a")
    , (BIN, "102"), (OCT, " \t\n778"), (DEC, "+-1"), (DEC, ""), (DEC, "99999999999999999999"), (DEC, "~99999999999999999999"), (BIN, "2") ]
fun f s = try (fn () => case Int.fromString s of NONE => "NONE" | SOME i => int i)
val () = app f ["12", "~12", "-12", " 12 ", "x", "", "1x", "0012", "~", "~~1"]
val () = try (fn () => int (Int.fromLarge (Int.toLarge 5)) ^ int (Int.fromInt 3) ^ int (Int.toInt 4))
val () = try (fn () => int (Int.fromLarge (IntInf.pow (2, 100))))
(* Word *)
val w = Word.toString
val () = try (fn () => w (0wx10 + 0w1) ^ " " ^ w (0w10 * 0w10) ^ " " ^ w (0w10 div 0w3) ^ " " ^ w (0w10 mod 0w3))
val () = try (fn () => w (0w1 div 0w0))
val () = try (fn () => w (0w1 mod 0w0))
val () = try (fn () => w (Word.andb (0wxF0, 0wx3C)) ^ " " ^ w (Word.orb (0wxF0, 0wx3C)) ^ " " ^ w (Word.xorb (0wxF0, 0wx3C)) ^ " " ^ w (Word.andb (Word.notb 0wxF0, 0wxFFF)))
val () = try (fn () => w (Word.<< (0w1, 0w5)) ^ " " ^ w (Word.>> (0wx100, 0w4)) ^ " " ^ w (Word.<< (0w1, 0w100)) ^ " " ^ w (Word.>> (0w5, 0w100)) ^ " " ^ int (Word.toIntX (Word.~>> (Word.fromInt ~16, 0w2))) ^ int (Word.toIntX (Word.~>> (Word.fromInt ~16, 0w200))))
val () = try (fn () => order (Word.compare (0w1, 0w2)) ^ bool (0w1 < 0w2) ^ bool (0w1 - 0w2 > 0w5) ^ w (Word.min (0w1, 0w2)) ^ w (Word.max (0w1, 0w2)))
val () = try (fn () => int (Word.toInt 0w5) ^ int (Word.toIntX (~ 0w5)) ^ int (Word.toIntX (Word.fromInt ~5)))
val () = try (fn () => int (Word.toInt (~ 0w5)))
val () = app (fn r => try (fn () => Word.fmt r 0w255 ^ " " ^ Word.fmt r 0w0)) [BIN, OCT, DEC, HEX]
fun ws (r, s) = try (fn () => case StringCvt.scanString (Word.scan r) s of NONE => "NONE" | SOME r => w r)
val () =
  app ws
    [ (HEX, "0x1F"), (HEX, "0wx1F"), (HEX, "0wg"), (HEX, "0w1"), (HEX, "0X1f"), (HEX, "1f"), (DEC, "0w12"), (DEC, "0wx12"), (DEC, "- 12")
    , (BIN, "0w102"), (OCT, " \t\n778"), (DEC, "w"), (DEC, "99999999999999999999999"), (HEX, "0wx") ]
val () = try (fn () => w (valOf (Word.fromString "ff")) ^ bool (isSome (Word.fromString "g")))
val () = try (fn () => w (Word.fromLargeInt 300) ^ LargeInt.toString (Word.toLargeInt 0w7) ^ LargeInt.toString (Word.toLargeIntX (Word.fromInt ~7)) ^ w (Word.andb (Word.fromLargeInt ~1, 0wxFF)))
(* Word8 *)
val w8 = Word8.toString
val () = try (fn () => w8 (0wxFF + 0w2) ^ " " ^ w8 (0w2 - 0w3) ^ " " ^ w8 (0wx10 * 0wx10) ^ " " ^ w8 (0wxF0 div 0wx10) ^ " " ^ w8 (0wxF1 mod 0wx10) ^ " " ^ w8 (~ 0w1))
val () = try (fn () => w8 (Word8.notb 0wxF) ^ " " ^ w8 (Word8.<< (0wxFF, 0w4)) ^ " " ^ w8 (Word8.>> (0wxFF, 0w4)) ^ " " ^ w8 (Word8.~>> (0wx80, 0w4)) ^ " " ^ w8 (Word8.~>> (0wx80, 0w9)) ^ " " ^ w8 (Word8.<< (0w1, 0w8)))
val () = try (fn () => w8 (Word8.andb (0wxF0, 0wx3C)) ^ w8 (Word8.orb (0wxF0, 0wx3C)) ^ w8 (Word8.xorb (0wxF0, 0wx3C)))
val () = try (fn () => int (Word8.toInt 0wxFF) ^ int (Word8.toIntX 0wxFF) ^ w8 (Word8.fromInt 511) ^ w8 (Word8.fromInt ~1) ^ int Word8.wordSize)
val () = try (fn () => order (Word8.compare (0wxFF, 0w1)) ^ bool (Word8.< (0wxFF, 0w1)) ^ w8 (Word8.max (0w3, 0w200)) ^ w8 (Word8.min (0w3, 0w200)))
val () = try (fn () => LargeInt.toString (Word8.toLargeInt 0wxFF) ^ LargeInt.toString (Word8.toLargeIntX 0wxFF) ^ w8 (Word8.fromLargeInt 257))
val () = try (fn () => Word8.fmt BIN 0wxA5 ^ Word8.fmt DEC 0wxA5 ^ w8 (valOf (Word8.fromString "7f")))
val () = try (fn () => w8 (valOf (Word8.fromString "100")))
val () = try (fn () => w8 (Word8.fromLargeWord (Word8.toLargeWord 0wxAB)))
(* IntInf *)
val t = IntInf.toString
val big = IntInf.pow (2, 100)
val () = try (fn () => t big ^ " " ^ t (~ big) ^ " " ^ t (big + 1) ^ " " ^ t (big - big) ^ " " ^ t (big * big))
val () = app (fn (a, b) => try (fn () => String.concatWith " " (map t [IntInf.div (a, b), IntInf.mod (a, b), IntInf.quot (a, b), IntInf.rem (a, b)])))
  [(big, 7), (~ big, 7), (big, ~7), (~ big, ~7), (big, big), (7, big), (~7, big), (7, 0), (7, 2), (~7, 2), (7, ~2), (~7, ~2)]
val () = try (fn () => let val (a, b) = IntInf.divMod (~ big, 1000) val (c, d) = IntInf.quotRem (~ big, 1000) in String.concatWith " " (map t [a, b, c, d]) end)
val () = try (fn () => t (IntInf.pow (3, 50)) ^ " " ^ t (IntInf.pow (5, 0)) ^ t (IntInf.pow (2, ~1)) ^ t (IntInf.pow (1, ~5)) ^ t (IntInf.pow (~1, ~5)) ^ t (IntInf.pow (~1, ~4)) ^ t (IntInf.pow (~3, 3)))
val () = try (fn () => t (IntInf.pow (0, ~1)))
val () = try (fn () => int (IntInf.log2 1) ^ " " ^ int (IntInf.log2 1023) ^ " " ^ int (IntInf.log2 1024) ^ " " ^ int (IntInf.log2 big))
val () = try (fn () => int (IntInf.log2 0))
val () = try (fn () => String.concatWith " " (map t [IntInf.andb (big + 5, 7), IntInf.orb (big, 7), IntInf.xorb (~ big, 7), IntInf.notb big, IntInf.andb (~1, big), IntInf.notb 0]))
val () = try (fn () => String.concatWith " " (map t [IntInf.<< (1, 0w70), IntInf.<< (~3, 0w65), IntInf.~>> (big, 0w90), IntInf.~>> (~ big - 1, 0w90), IntInf.~>> (~1, 0w5), IntInf.~>> (5, 0w100), IntInf.~>> (~5, 0w100)]))
val () = try (fn () => order (IntInf.compare (big, 1)) ^ order (IntInf.compare (~ big, 1)) ^ order (IntInf.compare (big, big)) ^ bool (big = IntInf.pow (2, 100)) ^ bool (big < big + 1) ^ bool (big >= big + 1))
val () = try (fn () => t (IntInf.abs (~ big)) ^ int (IntInf.sign (~ big)) ^ t (IntInf.min (big, 1)) ^ t (IntInf.max (~ big, 1)) ^ bool (IntInf.sameSign (big, 1)))
val () = app (fn r => try (fn () => IntInf.fmt r big ^ " " ^ IntInf.fmt r (~ big) ^ " " ^ IntInf.fmt r 0)) [BIN, OCT, DEC, HEX]
fun fi s = try (fn () => case IntInf.fromString s of NONE => "NONE" | SOME i => t i)
val () = app fi ["123456789012345678901234567890", "~123456789012345678901234567890xyz", "-5", "", "x", "+7"]
val () = try (fn () => case StringCvt.scanString (IntInf.scan HEX) "0xFFFFFFFFFFFFFFFFFFFF" of NONE => "NONE" | SOME i => t i)
val () = try (fn () => int (IntInf.toInt 5) ^ t (IntInf.fromInt ~5) ^ bool (isSome IntInf.precision) ^ bool (isSome IntInf.maxInt))
val () = try (fn () => int (IntInf.toInt big))
val m : IntInf.int = 4611686018427387904
val () = try (fn () => String.concatWith " " (map t [m - 1, m, m + 1, ~ m, ~ m - 1, (m - 1) + 1, (m + 1) - 2, m * m, ~ m * 2, m div 2, m * 4 - 1, (m * 2) div ~1]))
fun fact 0 = 1 : IntInf.int | fact n = n * fact (n - 1)
val () = try (fn () => t (fact 50))
val () = try (fn () => t (fact 100 div fact 98))
