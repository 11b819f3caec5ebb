(* Word8Vector, Word8Array, Byte, CharVector, CharArray. *)
val v = Byte.stringToBytes "AZ"
val () = print (Int.toString (Word8.toInt (Word8Vector.sub (v, 0))) ^ Byte.bytesToString (Word8Vector.map (fn b => b + 0w1) v) ^ str (Byte.byteToChar 0w66) ^ Word8.toString (Byte.charToByte #"a") ^ "\n")
val a = Word8Array.array (4, 0wxFE)
val () = (Word8Array.update (a, 1, 0w1); print (Int.toString (Word8Array.foldl (fn (b, s) => s + Word8.toInt b) 0 a) ^ "\n"))
val c = CharArray.fromList (explode "hello")
val () = (CharArray.update (c, 0, #"J"); CharArray.modify Char.toUpper c; print (CharArray.vector c ^ CharVector.tabulate (3, fn i => chr (97 + i)) ^ CharVector.map Char.toUpper "x" ^ Int.toString (CharVector.foldl (fn (c, n) => n + ord c) 0 "ab") ^ "\n")
)
