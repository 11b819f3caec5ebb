(* JSON with the names of SML/NJ's library. *)
open JSON
fun text (OBJECT fields) = "{" ^ String.concatWith "," (map (fn (key, value) => key ^ ":" ^ text value) fields) ^ "}"
  | text (ARRAY parts) = "[" ^ String.concatWith "," (map text parts) ^ "]"
  | text NULL = "null"
  | text (BOOL b) = Bool.toString b
  | text (INT n) = IntInf.toString n
  | text (FLOAT x) = Real.toString x
  | text (STRING s) = "<" ^ String.toString s ^ ">"
fun parsed source = text (JSONParser.parse (JSONParser.openString source)) handle Fail what => what
val () = app (fn source => print (parsed source ^ "\n"))
  [ " { \"a\" : [1, -2.5, 1e3, 123456789012345678901234567890], \"b\" : {}, \"c\":[ ] } "
  , "[true,false , null /* no value */]"
  , "\"\\u00e9\\ud83d\\ude00\\n\\\"\\/\""
  , "12 13"
  , "[1,\n2"
  , "[1 2]"
  , "{\"a\" 1}"
  , "{a : 1}"
  , "tru"
  , "\"open"
  , "1.2.3"
  , "" ]
val several = JSONParser.openString "1 [2]\n\"three\""
val () = print (String.concatWith " " (List.tabulate (3, fn _ => text (JSONParser.parse several))) ^ "\n")
val () = (ignore (JSONParser.parse several)) handle Fail what => print (what ^ "\n")
val value = OBJECT [("x", ARRAY [INT ~1, FLOAT 0.5, BOOL true]), ("y\"", STRING "a\\b\n\001"), ("z", OBJECT []), ("n", NULL)]
val () = (JSONPrinter.print (TextIO.stdOut, value); print "\n")
val () = (JSONPrinter.print' {strm = TextIO.stdOut, pretty = true} value; print "\n")
