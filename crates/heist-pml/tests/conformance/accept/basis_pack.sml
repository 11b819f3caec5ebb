(* Words and reals as bytes. *)
fun hex v = Word8Vector.foldr (fn (b, s) => StringCvt.padLeft #"0" 2 (Word8.toString b) ^ s) "" v
val bytes = Word8Vector.fromList [0wx01, 0wx02, 0wx03, 0wx84, 0wx05, 0wx06, 0wx07, 0wx88, 0wx09]
fun words name sub n = (print name; List.app (fn i => print (" " ^ LargeWord.toString (sub (bytes, i)))) (List.tabulate (n, fn i => i)); print "\n")
val () = words "8" PackWord8Big.subVecX 4
val () = words "16 big" PackWord16Big.subVec 4
val () = words "16 little" PackWord16Little.subVecX 4
val () = words "32 big" PackWord32Big.subVecX 2
val () = words "32 little" PackWord32Little.subVec 2
val () = words "64 little" PackWord64Little.subVec 1
val () = (PackWord32Big.subVec (bytes, 2); print "no\n") handle Subscript => print "Subscript\n"
val array = Word8Array.array (8, 0w0)
val () = PackWord16Big.update (array, 1, 0wxABCDE)
val () = PackWord32Little.update (array, 1, 0wx12345678)
val () = print (hex (Word8Array.vector array) ^ "\n")
val () = print (hex (PackRealBig.toBytes 1.5) ^ " " ^ hex (PackRealLittle.toBytes ~2.0) ^ "\n")
val () = print (Real.toString (PackReal64Big.fromBytes (PackReal64Big.toBytes 0.1)) ^ "\n")
fun single r = hex (PackReal32Big.toBytes r) ^ " " ^ Real32.toString (PackReal32Little.fromBytes (PackReal32Little.toBytes r)) ^ "\n"
val () = List.app (print o single) [1.0, ~0.1, 1E38, 1E39, 1E~40, 0.0, ~0.0]
val () = print (Int.toString PackReal32Big.bytesPerElem ^ " " ^ Bool.toString PackWord8Big.isBigEndian ^ "\n")
