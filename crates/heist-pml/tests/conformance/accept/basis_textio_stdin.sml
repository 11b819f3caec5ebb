(* Reading standard input: lines, characters, the rest, its end. *)
val first = TextIO.inputLine TextIO.stdIn
val () = print ("1: " ^ valOf first)
val () = print (case TextIO.lookahead TextIO.stdIn of SOME c => "next " ^ str c ^ "\n" | NONE => "end\n")
val c = TextIO.input1 TextIO.stdIn
val three = TextIO.inputN (TextIO.stdIn, 3)
val () = print ((case c of SOME c => str c | NONE => "-") ^ "|" ^ three ^ "\n")
val rest = TextIO.inputAll TextIO.stdIn
val () = print (Int.toString (size rest) ^ " " ^ Int.toString (length (String.tokens Char.isSpace rest)) ^ "\n")
val () = print (Bool.toString (TextIO.endOfStream TextIO.stdIn) ^ Bool.toString (isSome (TextIO.inputLine TextIO.stdIn)) ^ "\n")
