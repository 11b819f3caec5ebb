(* StringCvt: padding, splitting, and scanners that the program defines. *)
val () = print ("[" ^ StringCvt.padLeft #"." 6 "abc" ^ "][" ^ StringCvt.padRight #"." 6 "abc" ^ "][" ^ StringCvt.padLeft #"." 2 "abc" ^ "]\n")
fun scanPair getc s =
  case Int.scan StringCvt.DEC getc s of
    NONE => NONE
  | SOME (a, s) => (case getc (StringCvt.skipWS getc s) of
        SOME (#":", s) => (case Int.scan StringCvt.DEC getc s of SOME (b, s) => SOME ((a, b), s) | NONE => NONE)
      | _ => NONE)
fun test s = print (case StringCvt.scanString scanPair s of SOME (a, b) => Int.toString a ^ "," ^ Int.toString b ^ " " | NONE => "none ")
val () = (app test ["1:2", " 10 : ~3x", "1", ":2", "5:"]; print "\n")
val (digits, rest) = StringCvt.splitl Char.isDigit Substring.getc (Substring.full "123abc")
val () = print (digits ^ " " ^ Substring.string rest ^ " " ^ StringCvt.takel Char.isAlpha Substring.getc rest ^ "\n")
val b = StringCvt.scanString Bool.scan "  true" and c = Bool.fromString "false!" and d = Bool.fromString "no"
val () = print (Bool.toString (valOf b) ^ Bool.toString (valOf c) ^ Bool.toString (isSome d) ^ "\n")
