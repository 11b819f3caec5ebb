(* Writing a file, adding to it, and reading it back. *)
val name = OS.FileSys.tmpName ()
val out = TextIO.openOut name
val () = (TextIO.output (out, "alpha\nbeta\n"); TextIO.output1 (out, #"g"); TextIO.closeOut out)
val out = TextIO.openAppend name
val () = (TextIO.output (out, "amma\n"); TextIO.closeOut out)
val input = TextIO.openIn name
fun lines () = case TextIO.inputLine input of NONE => [] | SOME l => l :: lines ()
val ls = lines ()
val () = (TextIO.closeIn input; OS.FileSys.remove name)
val () = print (Int.toString (length ls) ^ " " ^ concat ls)
val () = (ignore (TextIO.openIn name); print "no\n") handle IO.Io {function, ...} => print (if size function > 0 then "Io\n" else "?\n")
