(* A stream that was read closes its file when it is closed. Also checks the identities of files. *)
fun say s = print (s ^ "\n")
val name = OS.FileSys.tmpName ()
val empty = OS.FileSys.tmpName ()
fun opened () =
  let
    val dir = OS.FileSys.openDir "/proc/self/fd"
    fun count n = case OS.FileSys.readDir dir of NONE => n | SOME _ => count (n + 1)
  in
    count 0 before OS.FileSys.closeDir dir
  end
fun times 0 f = () | times n f = (f () : unit; times (n - 1) f)
fun steady (what, f) =
  let val before' = opened ()
  in times 20 f; say (what ^ " " ^ Int.toString (opened () - before'))
  end
fun both f = (f name; f empty)
val out = TextIO.openOut name
val () = (TextIO.output (out, "first\nsecond\n"); TextIO.closeOut out)
structure S = TextIO.StreamIO
structure B = BinIO.StreamIO
fun on (openIn, closeIn) read () = both (fn file => let val i = openIn file in read i; closeIn i end)
val text = on (TextIO.openIn, TextIO.closeIn)
val bin = on (BinIO.openIn, BinIO.closeIn)
val stream = on (TextIO.getInstream o TextIO.openIn, S.closeIn)
val bytes = on (BinIO.getInstream o BinIO.openIn, B.closeIn)
val () = steady ("unread", text ignore)
val () = steady ("inputLine", text (ignore o TextIO.inputLine))
val () = steady ("lines", text (fn i => let fun go () = if isSome (TextIO.inputLine i) then go () else () in go () end))
val () = steady ("inputAll", text (ignore o TextIO.inputAll))
val () = steady ("inputN", text (fn i => ignore (TextIO.inputN (i, 100))))
val () = steady ("input1", text (fn i => ignore (TextIO.input1 i)))
val () = steady ("lookahead", text (ignore o TextIO.lookahead))
val () = steady ("canInput", text (fn i => ignore (TextIO.canInput (i, 5))))
val () = steady ("endOfStream", text (fn i => (ignore (TextIO.inputAll i); ignore (TextIO.endOfStream i))))
val () = steady ("scanStream", text (ignore o TextIO.scanStream (Int.scan StringCvt.DEC)))
val () = steady ("setInstream", text (fn i => TextIO.setInstream (i, #2 (S.inputAll (TextIO.getInstream i)))))
val () = steady ("closed twice", text (fn i => (ignore (TextIO.inputAll i); TextIO.closeIn i)))
val () = steady ("BinIO", bin (ignore o BinIO.inputAll))
val () = steady ("BinIO input1", bin (ignore o BinIO.input1))
val () = steady ("StreamIO", stream (ignore o S.inputAll))
val () = steady ("StreamIO end", on (#2 o S.inputAll o TextIO.getInstream o TextIO.openIn, S.closeIn) ignore)
val () = steady ("BinIO.StreamIO", bytes (ignore o B.inputAll))
fun closeReader (TextPrimIO.RD {close, ...}) = close ()
val () = steady ("getReader", on (TextIO.getInstream o TextIO.openIn, ignore) (fn i => (ignore (S.inputAll i); closeReader (#1 (S.getReader i)))))
val () = steady ("mkInstream", on (fn file => S.mkInstream (S.getReader (TextIO.getInstream (TextIO.openIn file))), S.closeIn) (ignore o S.inputAll))
val () = steady ("directory", fn () => let val d = OS.FileSys.openDir "/" in ignore (OS.FileSys.readDir d); OS.FileSys.closeDir d end)
val () = steady ("tmpName", fn () => OS.FileSys.remove (OS.FileSys.tmpName ()))
val () = steady ("no such file", fn () => TextIO.closeIn (TextIO.openIn "/nonexistent") handle IO.Io _ => ())
(* Opens more files than a process may have open at the same time. *)
val () = times 3000 (fn () => let val i = TextIO.openIn name in ignore (TextIO.inputAll i); TextIO.closeIn i end)
(* A stream that is at its end stays there, also after it was closed. *)
val i = TextIO.openIn name
val () = say (String.toString (TextIO.inputAll i ^ "|" ^ TextIO.inputAll i ^ "|" ^ TextIO.input i))
val () = (TextIO.closeIn i; say (Bool.toString (TextIO.endOfStream i) ^ TextIO.inputAll i))
(* Identities of files. *)
val a = OS.FileSys.fileId name
val b = OS.FileSys.fileId empty
val here = OS.FileSys.fileId "/"
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
val () = say (Bool.toString (a = OS.FileSys.fileId name) ^ " " ^ Bool.toString (a = b) ^ " " ^ Bool.toString (here = OS.FileSys.fileId "/usr/.."))
val () = say (Bool.toString (OS.FileSys.hash a = OS.FileSys.hash (OS.FileSys.fileId name)) ^ " " ^ order (OS.FileSys.compare (a, a)))
val () = say (Bool.toString ((OS.FileSys.compare (a, b) = LESS) = (OS.FileSys.compare (b, a) = GREATER)) ^ " " ^ Bool.toString (OS.FileSys.compare (a, b) = EQUAL))
val () = say ((ignore (OS.FileSys.fileId "/nonexistent"); "there") handle OS.SysErr (_, SOME e) => OS.errorName e)
(* These files are older than 1970. *)
fun dated seconds = (OS.FileSys.setTime (name, SOME (Time.fromSeconds seconds)); IntInf.toString (Time.toSeconds (OS.FileSys.modTime name)))
val () = say (String.concatWith " " (List.map dated [~1, ~2, ~86400, 0, 1000000000]))
val () = say ((ignore (OS.FileSys.modTime "/nonexistent"); "there") handle OS.SysErr (_, SOME e) => OS.errorName e)
val () = (OS.FileSys.remove name; OS.FileSys.remove empty)
