(* The positions at which scanners of characters, strings and reals stop. *)
fun say s = print (s ^ "\n")
fun opt f NONE = "NONE" | opt f (SOME x) = "SOME " ^ f x
fun rest scan show s =
  say (case scan Substring.getc (Substring.full s) of
         NONE => "NONE"
       | SOME (x, left) => show x ^ " | " ^ Substring.string left)
val string = rest String.scan String.toString
val char = rest Char.scan Char.toString
(* A double quote that is not escaped ends the conversion. *)
val () = app string ["abc\"def", "\"", "", "a\\\"b\"c", "ab\\qcd", "\\q", "a\nb", "a\\   \\b\"", "\\   \\", "\\   \\\"", "a\\  ", "a\\^Z\\^z", "\\255\\256", "\\u0041\\u0100", "a\200b"]
val () = app char ["\"", "\\\"", "'", "", "a\"", "\\   \\a\\  \\\"", "\\   \\", "\\^@", "\\^`", "\\9", "\\032x"]
val () = app (say o opt String.toString o String.fromString) ["abc\"def", "\"abc", "x\\"]
val () = app (say o opt Char.toString o Char.fromString) ["\"", "\\\"", "ab"]
(* In C strings, a single quote needs no escape, but a double quote does. *)
val () = app (say o opt String.toString o String.fromCString) ["abc\"def", "\"", "it's", "\\\"\\'\\?", "\\x41", "\\x41\\x142", "\\101\\7778", "\\8", "\\^A\\a", "a\\q"]
val () = app (say o opt Char.toString o Char.fromCString) ["\"", "'", "\\\"", "\\x", "\\0", "\\400", ""]
(* A point and an exponent need digits. *)
val real = rest Real.scan Real.toString
val () = app real ["12.E2", "12.", "12.e", ".5", ".", ".E2", "12.5E", "12.5E~", "12.5E~1x", "12E2", "12e+3", "-1.5", "+1.5", "~.5", "~.", "  7.0", "infinit", "~infinity", "nano", "1.2.3", "E5"]
val () = rest IEEEReal.scan IEEEReal.toString "12.E2"
val () = rest Real32.scan Real32.toString "12.E2"
