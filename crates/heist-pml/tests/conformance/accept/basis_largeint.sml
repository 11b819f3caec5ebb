(* Conversions between LargeInt and Int, Position, and the fixed sizes. *)
val big = LargeInt.fromInt 1000000 * LargeInt.fromInt 1000000 * 1000000
val () = print (LargeInt.toString big ^ " " ^ Int.toString (Int.fromLarge (big div 1000000)) ^ " " ^ LargeInt.toString (Int.toLarge ~5) ^ "\n")
val () = print (Int32.toString (valOf Int32.maxInt) ^ " " ^ Int32.toString (valOf Int32.minInt) ^ " " ^ Int.toString Word8.wordSize ^ "\n")
val () = (ignore (valOf Int32.maxInt + 1); print "no\n") handle Overflow => print "Overflow\n"
val () = (ignore (Int32.fromInt 2147483648); print "no\n") handle Overflow => print "Overflow\n"
