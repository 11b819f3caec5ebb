(* A filter that numbers the lines of its input and reverses each line. *)
fun loop n =
  case TextIO.inputLine TextIO.stdIn of
    NONE => n - 1
  | SOME line => (print (StringCvt.padLeft #" " 3 (Int.toString n) ^ " " ^ implode (rev (explode (String.extract (line, 0, SOME (size line - 1))))) ^ "\n"); loop (n + 1))
val n = loop 1
val () = TextIO.output (TextIO.stdOut, Int.toString n ^ " lines\n")
