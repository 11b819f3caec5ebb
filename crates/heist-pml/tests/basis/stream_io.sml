(* The functors StreamIO and ImperativeIO, with ints as elements. *)

fun show s = print (s ^ "\n")
(* Streams of ints over a reader and a writer in memory. *)
structure IntPrimIO = PrimIO (structure Vector = IntVector structure VectorSlice = IntVectorSlice structure Array = IntArray structure ArraySlice = IntArraySlice val someElem = 0 type pos = int val compare = Int.compare)
structure S = StreamIO (structure PrimIO = IntPrimIO structure Vector = IntVector structure VectorSlice = IntVectorSlice structure Array = IntArray structure ArraySlice = IntArraySlice val someElem = 0)
structure I = ImperativeIO (structure StreamIO = S structure Vector = IntVector structure Array = IntArray)
fun text v = "[" ^ String.concatWith "," (IntVector.foldr (fn (i, l) => Int.toString i :: l) nil v) ^ "]"
(* A reader that returns 0, 1, ... n-1, three elements at a time. After an end of the file, it begins again at 100. *)
fun numbers n =
  let
    val at = ref 0
    val ended = ref false
    val closed = ref 0
    fun read k =
      let val m = Int.min (Int.min (k, 3), n - ! at)
      in
        if m = 0 andalso not (! ended) then (ended := true; at := 0; IntVector.fromList nil)
        else let val from = ! at + (if ! ended then 100 else 0) in at := ! at + m; IntVector.tabulate (m, fn i => from + i) end
      end
  in
    (closed, IntPrimIO.RD { name = "numbers", chunkSize = 4, readVec = SOME read, readArr = NONE, readVecNB = NONE, readArrNB = NONE, block = NONE, canInput = NONE, avail = fn () => NONE
      , getPos = SOME (fn () => ! at), setPos = SOME (fn p => at := p), endPos = NONE, verifyPos = NONE, close = fn () => closed := ! closed + 1, ioDesc = NONE })
  end
val (closed, reader) = numbers 7
val s = S.mkInstream (reader, IntVector.fromList [~1])
val (v, s1) = S.input s
val () = show (text v)
val (v, s2) = S.input s1
val () = show (text v)
val SOME (x, s3) = S.input1 s2
val () = show (Int.toString x ^ " " ^ Int.toString (S.filePosIn s3) ^ " " ^ Int.toString (S.filePosIn s2 handle IO.Io {cause = IO.RandomAccessNotSupported, ...} => ~1))
val (v, s4) = S.inputN (s3, 2)
val () = show (text v)
val (v, s5) = S.inputN (s4, 9)
val () = show (text v ^ Bool.toString (S.endOfStream s5) ^ Bool.toString (isSome (S.input1 s5)))
val (v, s6) = S.input s5
val () = show (text v)
val (v, s7) = S.inputN (s6, 2)
val () = show (text v)
val (v, s8) = S.inputAll s7
val () = show (text v)
(* again from the beginning: the stream keeps the elements that were read *)
val (v, _) = S.inputAll s
val () = show (text v)
val () = show (case S.canInput (s, 5) of NONE => "none" | SOME n => Int.toString n)
val () = show ((ignore (S.canInput (s8, 5)); "?") handle IO.Io {cause = IO.NonblockingNotSupported, function, name} => function ^ name | _ => "x")
val () = (S.closeIn s1; S.closeIn s8)
val () = show (Int.toString (! closed) ^ text (#1 (S.input s8)) ^ ((ignore (S.getReader s); "?") handle IO.Io {cause = IO.ClosedStream, ...} => "closed"))
(* getReader *)
val (_, reader) = numbers 10
val s = S.mkInstream (reader, IntVector.fromList nil)
val SOME (_, s) = S.input1 s
val (IntPrimIO.RD {readVec = SOME read, ...}, v) = S.getReader s
val () = show (text v ^ text (read 2))
(* imperative *)
val (_, reader) = numbers 5
val i = I.mkInstream (S.mkInstream (reader, IntVector.fromList nil))
val () = show (Int.toString (valOf (I.lookahead i)) ^ Int.toString (valOf (I.input1 i)) ^ Int.toString (valOf (I.input1 i)) ^ text (I.inputN (i, 10)) ^ Bool.toString (I.endOfStream i) ^ Bool.toString (isSome (I.input1 i)) ^ Int.toString (valOf (I.input1 i)))
(* a writer that takes two elements at a time *)
val written : int list ref = ref nil
val place = ref 0
fun write slice = let val n = Int.min (2, IntVectorSlice.length slice) in IntVectorSlice.app (fn x => written := x :: ! written) (IntVectorSlice.subslice (slice, 0, SOME n)); place := ! place + n; n end
fun writer broken = IntPrimIO.WR { name = "list", chunkSize = 4, writeVec = SOME (if broken then fn _ => raise Fail "full" else write), writeArr = NONE, writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE
   , getPos = SOME (fn () => ! place), setPos = SOME (fn p => place := p), endPos = NONE, verifyPos = NONE, close = fn () => show "closed", ioDesc = NONE }
fun all () = text (IntVector.fromList (List.rev (! written)))
val out = S.mkOutstream (writer false, IO.BLOCK_BUF)
val () = (S.output (out, IntVector.fromList [1, 2, 3]); show (all ()); S.output1 (out, 4); show (all ()); S.output1 (out, 5))
val p = S.getPosOut out
val () = show (Int.toString (S.filePosOut p) ^ all ())
val out = S.setPosOut p
val () = (S.setBufferMode (out, IO.NO_BUF); S.output1 (out, 6); show (all ()); S.setBufferMode (out, IO.LINE_BUF); S.output1 (out, 7); S.closeOut out; S.closeOut out; show (all ()))
val () = show ((S.output1 (out, 8); "?") handle IO.Io {cause = IO.ClosedStream, function, ...} => function)
val o2 = I.mkOutstream (S.mkOutstream (writer true, IO.BLOCK_BUF))
val () = show ((I.output (o2, IntVector.fromList [1]); I.flushOut o2; "?") handle IO.Io {cause = Fail s, function, name} => name ^ function ^ s)
val (w, mode) = S.getWriter (I.getOutstream o2)
val () = show (case mode of IO.BLOCK_BUF => "block" | _ => "?")
val o3 = I.mkOutstream (S.mkOutstream (writer false, IO.BLOCK_BUF))
val () = written := nil
val () = I.output1 (o3, 9)
val () = OS.Process.atExit (fn () => show "end")
