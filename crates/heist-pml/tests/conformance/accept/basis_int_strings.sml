(* Int: toString, fromString, fmt, scan. *)
fun opt NONE = "-" | opt (SOME n) = Int.toString n
val () = print (String.concatWith " " (map (opt o Int.fromString) ["12", "~12", "-12", "+7", "  9", "9x", "x9", "", "~", "0x10", "007"]) ^ "\n")
val () = print (String.concatWith " " (map (fn r => Int.fmt r ~255) [StringCvt.BIN, StringCvt.OCT, StringCvt.DEC, StringCvt.HEX]) ^ "\n")
val hex = StringCvt.scanString (Int.scan StringCvt.HEX)
val () = print (String.concatWith " " (map (opt o hex) ["ff", "FF", "0xff", "~10", "g", "0x"]) ^ " " ^ opt (StringCvt.scanString (Int.scan StringCvt.BIN) "1012") ^ "\n")
val () = print (String.concatWith " " (map Int.toString [Int.min (3, ~4), Int.max (3, ~4), abs ~5, Int.sign ~9, Int.sign 0, ~7 div 2, ~7 mod 2, Int.quot (~7, 2), Int.rem (~7, 2)]) ^ Bool.toString (Int.sameSign (~1, ~2)) ^ "\n")
val () = (ignore (Int.fromString "99999999999999999999999"); print "no\n") handle Overflow => print "Overflow\n"
