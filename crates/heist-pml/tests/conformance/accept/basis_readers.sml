(* Streams from readers and to writers, and the way back. *)
(* A writer that collects its input. *)
fun collector parts =
  TextPrimIO.WR
    { name = "collector", chunkSize = 8
    , writeVec = SOME (fn s => (parts := CharVectorSlice.vector s :: ! parts; CharVectorSlice.length s))
    , writeArr = NONE, writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE
    , getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => parts := "<closed>" :: ! parts
    , ioDesc = NONE }
fun trial mode =
  let
    val parts = ref nil
    val out = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (TextPrimIO.augmentWriter (collector parts), mode))
  in
    TextIO.output (out, "one\ntwo");
    TextIO.output1 (out, #"3");
    TextIO.output (out, "four");
    TextIO.flushOut out;
    TextIO.closeOut out;
    print (String.concatWith "|" (List.map String.toString (List.rev (! parts))) ^ "\n");
    TextIO.output (out, "more") handle IO.Io {function, cause, ...} => print (function ^ ": " ^ exnName cause ^ "\n")
  end
val () = List.app trial [IO.NO_BUF, IO.LINE_BUF, IO.BLOCK_BUF]

(* A reader that counts down. *)
fun countdown from =
  let
    val left = ref from
    fun read _ = if ! left = 0 then "" else (left := ! left - 1; Int.toString (! left + 1) ^ "\n")
  in
    TextPrimIO.RD
      { name = "countdown", chunkSize = 10, readVec = SOME read, readArr = NONE, readVecNB = NONE, readArrNB = NONE
      , block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE
      , verifyPos = NONE, close = fn () => print "closed\n", ioDesc = NONE }
  end
val stream = TextIO.mkInstream (TextIO.StreamIO.mkInstream (TextPrimIO.augmentReader (countdown 4), "five\n"))
val () = print (valOf (TextIO.inputLine stream))
val () = print (valOf (TextIO.inputLine stream))
val (reader, seen) = TextIO.StreamIO.getReader (TextIO.getInstream stream)
val TextPrimIO.RD {readVec, close, ...} = TextPrimIO.augmentReader reader
val () = print ("[" ^ String.toString seen ^ "] " ^ valOf readVec 100)
val () = close ()

(* A stream that was made from a reader reads the same file as bytes. *)
val name = OS.FileSys.tmpName ()
val out = BinIO.openOut name
val () = BinIO.output (out, Word8Vector.tabulate (5, fn i => Word8.fromInt (i * 60)))
val (writer, mode) = BinIO.StreamIO.getWriter (BinIO.getOutstream out)
val out = BinIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF)
val () = BinIO.StreamIO.output1 (out, 0w7)
val () = BinIO.StreamIO.closeOut out
val (reader, _) = BinIO.StreamIO.getReader (BinIO.getInstream (BinIO.openIn name))
val (all, _) = BinIO.StreamIO.inputAll (BinIO.StreamIO.mkInstream (reader, Word8Vector.fromList [0w1]))
val () = Word8Vector.app (fn b => print (Word8.toString b ^ " ")) all
val () = print "\n"
val () = OS.FileSys.remove name
val BinPrimIO.RD {readVec, ...} = BinPrimIO.openVector (Word8Vector.fromList [0w1, 0w2, 0w3])
val () = print (Int.toString (Word8Vector.length (valOf readVec 2)) ^ Int.toString (Word8Vector.length (valOf readVec 2)) ^ "\n")
