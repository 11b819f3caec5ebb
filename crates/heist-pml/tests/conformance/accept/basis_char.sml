(* The structure Char: classes over the whole range. *)
fun count p = length (List.filter p (List.tabulate (256, chr)))
val () = app (fn p => print (Int.toString (count p) ^ " ")) [Char.isAlpha, Char.isDigit, Char.isAlphaNum, Char.isUpper, Char.isLower, Char.isSpace, Char.isPunct, Char.isCntrl, Char.isPrint, Char.isGraph, Char.isHexDigit, Char.isAscii]
val () = print "\n"
val () = print (str (Char.toUpper #"q") ^ str (Char.toLower #"Q") ^ str (Char.toUpper #"1") ^ Int.toString (ord Char.maxChar) ^ str (Char.succ #"a") ^ str (Char.pred #"z") ^ "\n")
val () = print (String.concatWith " " (map Char.toString [#"a", #"\n", #"\"", chr 0, chr 127, chr 200]) ^ "\n")
val () = print (Bool.toString (Char.contains "aeiou" #"e") ^ Bool.toString (Char.notContains "aeiou" #"e") ^ (case Char.fromString "\\nx" of SOME c => Int.toString (ord c) | NONE => "none") ^ "\n")
val () = (ignore (Char.succ (chr 255)); print "no\n") handle Chr => print "Chr\n"
