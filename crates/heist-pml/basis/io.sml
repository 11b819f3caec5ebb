(* Files and streams: TextIO and BinIO. *)

(* Streams of text, on which TextIO and BinIO are built. A chain of chunks keeps the text that was read. Functional streams point into
   this chain; an imperative stream is a position that moves along it. *)
structure Streams =
struct
  datatype next =
    UNREAD of int * string
  | READER of TextPrimIO.reader
  | MORE of string * next ref
  (* The stream has read the whole file, and the source is still open. *)
  | END_OF_FILE of int * string
  | END_OF_READER of TextPrimIO.reader
  (* The stream is closed, or another stream has its source. *)
  | ENDED

  (* A chunk, a position in it, and the rest of the chain. *)
  type input = string * int * next ref

  fun descriptor file =
    case Core.Io.descriptor file of
      number => if number < 0 then NONE else SOME (Descriptor.Number number)
  fun sysErr number = Core.SysErr (Core.System.errorMessage number, SOME number)
  fun fail (name, function, cause) = raise IO.Io {name = name, function = function, cause = cause}
  fun failed (name, function, number) = fail (name, function, sysErr number)

  (* Reads from a reader, which reports errors by exceptions. *)
  fun readFrom (reader, next) =
    let
      val TextPrimIO.RD {name, chunkSize, readVec, ...} = reader
      val readVec =
        case readVec of
          SOME _ => readVec
        | NONE => let val TextPrimIO.RD {readVec, ...} = TextPrimIO.augmentReader reader in readVec end
      val text =
        case readVec of
          SOME read => (read (Int.max (1, chunkSize)) handle e => fail (name, "read", e))
        | NONE => fail (name, "read", IO.BlockingNotSupported)
    in
      if Core.String.size text > 0 then
        let val chunk = (text, ref (READER reader))
        in next := MORE chunk; SOME chunk
        end
      else (next := END_OF_READER reader; NONE)
    end

  fun advance next =
    case ! next of
      MORE chunk => SOME chunk
    | END_OF_FILE _ => NONE
    | END_OF_READER _ => NONE
    | ENDED => NONE
    | READER reader => readFrom (reader, next)
    | UNREAD (file, name) =>
        let val text = Core.Io.read (file, 65536)
        in
          if Core.String.size text > 0 then
            let val chunk = (text, ref (UNREAD (file, name)))
            in next := MORE chunk; SOME chunk
            end
          else
            let val error = Core.Io.lastError ()
            in
              if error <> 0 then failed (name, "read", error) else ();
              next := END_OF_FILE (file, name);
              NONE
            end
        end

  (* Returns the stream at its next character, or NONE at the end. *)
  fun atChar (input as (text, at, next)) =
    if at < Core.String.size text then SOME input
    else
      case advance next of
        NONE => NONE
      | SOME (text, next) => SOME (text, 0, next)

  fun endOf (text, next) = (text, Core.String.size text, next)

  fun input1 input =
    case atChar input of
      NONE => NONE
    | SOME (text, at, next) => SOME (Core.String.sub (text, at), (text, Core.Int.add (at, 1), next))

  fun rest (text, at) = Chars.substring (text, at, Core.String.size text - at)

  fun input i =
    case atChar i of
      NONE => ("", i)
    | SOME (text, at, next) => (rest (text, at), endOf (text, next))

  fun inputN (i, n) =
    let
      fun go (i, n, parts) =
        if n = 0 then (List.rev parts, i)
        else
          case atChar i of
            NONE => (List.rev parts, i)
          | SOME (text, at, next) =>
              let val here = Core.String.size text - at
              in
                if n <= here then (List.rev (Chars.substring (text, at, n) :: parts), (text, at + n, next))
                else go (endOf (text, next), n - here, rest (text, at) :: parts)
              end
      val (parts, i) = if n < 0 then raise Size else go (i, n, nil)
    in
      (String.concat parts, i)
    end

  fun inputAll i =
    let
      fun go (i, parts) =
        case atChar i of
          NONE => (String.concat (List.rev parts), i)
        | SOME (text, at, next) => go (endOf (text, next), rest (text, at) :: parts)
    in
      go (i, nil)
    end

  (* Returns the position after the next newline in a chunk, or ~1 if the chunk has no newline. *)
  fun lineEnd (text, at) =
    let
      val n = Core.String.size text
      fun go i = if i >= n then ~1 else if Core.String.sub (text, i) = #"\n" then i + 1 else go (Core.Int.add (i, 1))
    in
      go at
    end

  fun inputLine i =
    let
      fun go (i, parts) =
        case atChar i of
          NONE => if List.null parts then NONE else SOME (String.concat (List.rev ("\n" :: parts)), i)
        | SOME (text, at, next) =>
            let val stop = lineEnd (text, at)
            in
              if stop < 0 then go (endOf (text, next), rest (text, at) :: parts)
              else
                let val part = Chars.substring (text, at, stop - at)
                in
                  SOME
                    (if List.null parts then part else String.concat (List.rev (part :: parts)), (text, stop, next))
                end
            end
    in
      go (i, nil)
    end

  fun endOfStream i = not (isSome (atChar i))

  fun canInput (i as (_, _, next), n) =
    if n < 0 then raise Size
    else
      case atChar i of
        NONE => SOME 0
      | SOME (text, at, _) => SOME (Int.min (n, Core.String.size text - at))

  fun closeIn (_, _, next) =
    let
      fun closeReader (TextPrimIO.RD {name, close, ...}) =
        (next := ENDED; close () handle e => fail (name, "closeIn", e))
      fun closeFile file = (next := ENDED; ignore (Core.Io.close file))
    in
      case ! next of
        ENDED => ()
      | MORE (_, next) => closeIn ("", 0, next)
      | UNREAD (file, _) => closeFile file
      | END_OF_FILE (file, _) => closeFile file
      | READER reader => closeReader reader
      | END_OF_READER reader => closeReader reader
    end

  (* Returns the reader of the rest, and the text that the stream has already read from it. Ends the stream. *)
  fun getReader i =
    let
      fun go ((text, at, next), parts) =
        let val parts = rest (text, at) :: parts
        in
          case ! next of
            MORE (text, next) => go ((text, 0, next), parts)
          | ENDED => (TextPrimIO.nullRd (), parts)
          | READER reader => (next := ENDED; (reader, parts))
          | END_OF_READER reader => (next := ENDED; (reader, parts))
          | UNREAD (file, name) => (next := ENDED; (ofFile (file, name), parts))
          | END_OF_FILE (file, name) => (next := ENDED; (ofFile (file, name), parts))
        end
      val (reader, parts) = go (i, nil)
    in
      (reader, String.concat (List.rev parts))
    end

  and ofFile (file, name) =
    let
      val closed = ref false
      fun read n =
        if ! closed then raise IO.ClosedStream
        else
          let val text = Core.Io.read (file, n)
          in
            if Core.String.size text > 0 then text
            else
              case Core.Io.lastError () of
                0 => ""
              | error => raise sysErr error
          end
      fun close () = if ! closed then () else (closed := true; ignore (Core.Io.close file))
    in
      TextPrimIO.augmentReader
        (TextPrimIO.RD
           { name = name, chunkSize = 65536, readVec = SOME read, readArr = NONE, readVecNB = NONE, readArrNB = NONE
           , block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE
           , verifyPos = NONE, close = close, ioDesc = descriptor file })
    end
  fun mkInstream (reader, text) : input = (text, 0, ref (READER reader))

  fun openIn name =
    let val file = Core.Io.openFile (name, 0)
    in
      if file < 0 then failed (name, "openIn", ~ file) else ("", 0, ref (UNREAD (file, name)))
    end

  (* `parts` has the text that waits for its writer, the last part first. *)
  datatype output =
    Output of {file : int, name : string, closed : bool ref}
  | Writer of
      { writer : TextPrimIO.writer, name : string, closed : bool ref, parts : string list ref, waiting : int ref
      , mode : IO.buffer_mode ref }

  fun outputOf (file, name) = Output {file = file, name = name, closed = ref false}
  fun openOut (name, how, function) =
    let val file = Core.Io.openFile (name, how)
    in
      if file < 0 then failed (name, function, ~ file) else outputOf (file, name)
    end
  fun check (name, function, closed, status) =
    if status < 0 then
      if ! closed then fail (name, function, IO.ClosedStream) else failed (name, function, ~ status)
    else ()

  fun writeAll (writer, text) =
    let
      val TextPrimIO.WR {writeVec, ...} = writer
      val writeVec =
        case writeVec of
          SOME _ => writeVec
        | NONE => let val TextPrimIO.WR {writeVec, ...} = TextPrimIO.augmentWriter writer in writeVec end
      fun go (write, at) =
        if at >= size text then () else go (write, at + write (CharVectorSlice.slice (text, at, NONE)))
    in
      case writeVec of
        SOME write => go (write, 0)
      | NONE => raise IO.BlockingNotSupported
    end
  fun flushWriter (writer, name, parts, waiting, function) =
    let val text = String.concat (List.rev (! parts))
    in
      parts := nil;
      waiting := 0;
      writeAll (writer, text) handle e => fail (name, function, e)
    end
  fun lastNewline text =
    let fun go i = if i < 0 orelse Core.String.sub (text, i) = #"\n" then i else go (i - 1)
    in go (size text - 1)
    end
  fun put ({writer, name, closed, parts, waiting, mode}, text, function) =
    let
      fun add text = (parts := text :: ! parts; waiting := ! waiting + size text)
      fun flush () = flushWriter (writer, name, parts, waiting, function)
      val TextPrimIO.WR {chunkSize, ...} = writer
    in
      if ! closed then fail (name, function, IO.ClosedStream)
      else
        case ! mode of
          IO.NO_BUF => (add text; flush ())
        | IO.BLOCK_BUF => (add text; if ! waiting >= chunkSize then flush () else ())
        | IO.LINE_BUF =>
            let val stop = lastNewline text + 1
            in
              if stop > 0 then (add (Chars.substring (text, 0, stop)); flush ()) else ();
              add (Chars.substring (text, stop, size text - stop));
              if ! waiting >= chunkSize then flush () else ()
            end
    end

  (* A closed file no longer has a number. *)
  fun output (Output {file, name, closed}, text) =
        check (name, "output", closed, if ! closed then ~1 else Core.Io.write (file, text))
    | output (Writer w, text) = put (w, text, "output")
  fun output1 (Output {file, name, closed}, c) =
        check (name, "output1", closed, if ! closed then ~1 else Core.Io.writeChar (file, c))
    | output1 (Writer w, c) = put (w, Chars.str c, "output1")
  fun outputSlice (Output {file, name, closed}, (text, from, n)) =
        check (name, "output", closed, if ! closed then ~1 else Core.Io.writeRange (file, text, from, n))
    | outputSlice (Writer w, (text, from, n)) = put (w, Chars.substring (text, from, n), "output")
  fun flushOut (Output {file, name, closed}) =
        check (name, "flushOut", closed, if ! closed then 0 else Core.Io.flush file)
    | flushOut (Writer {writer, name, closed, parts, waiting, ...}) =
        if ! closed then () else flushWriter (writer, name, parts, waiting, "flushOut")
  fun closeOut (Output {file, name, closed}) =
        if ! closed then ()
        else (closed := true; check (name, "closeOut", ref false, Core.Io.close file))
    | closeOut (Writer {writer, name, closed, parts, waiting, ...}) =
        if ! closed then ()
        else
          let val TextPrimIO.WR {close, ...} = writer
          in
            flushWriter (writer, name, parts, waiting, "closeOut");
            closed := true;
            close () handle e => fail (name, "closeOut", e)
          end

  fun setBufferMode (Output {file, ...}, mode) =
        Core.Io.setBufferMode (file, case mode of IO.NO_BUF => 0 | IO.LINE_BUF => 1 | IO.BLOCK_BUF => 2)
    | setBufferMode (out as Writer {mode = cell, ...}, mode) =
        (case mode of IO.NO_BUF => flushOut out | _ => (); cell := mode)
  fun getBufferMode (Output {file, ...}) =
        (case Core.Io.bufferMode file of
           0 => IO.NO_BUF
         | 1 => IO.LINE_BUF
         | _ => IO.BLOCK_BUF)
    | getBufferMode (Writer {mode, ...}) = ! mode

  fun mkOutstream (writer, mode) =
    let
      val TextPrimIO.WR {name, ...} = writer
      val out =
        Writer
          { writer = writer, name = name, closed = ref false, parts = ref nil, waiting = ref 0, mode = ref mode }
    in
      AtExit.add (fn () => flushOut out);
      out
    end

  (* Returns a writer to the same destination. Ends the stream. *)
  fun getWriter (out as Output {file, name, closed}) =
        let
          val () = if ! closed then fail (name, "getWriter", IO.ClosedStream) else flushOut out
          val mode = getBufferMode out
          val gone = ref false
          fun write slice =
            if ! gone then raise IO.ClosedStream
            else
              let
                val (text, from, n) = CharVectorSlice.base slice
                fun checked status = if status < 0 then raise sysErr (~ status) else ()
              in
                checked (Core.Io.writeRange (file, text, from, n));
                checked (Core.Io.flush file);
                n
              end
          fun close () = if ! gone then () else (gone := true; ignore (Core.Io.close file))
        in
          closed := true;
          (TextPrimIO.augmentWriter
             (TextPrimIO.WR
                { name = name, chunkSize = 65536, writeVec = SOME write, writeArr = NONE, writeVecNB = NONE
                , writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE, endPos = NONE
                , verifyPos = NONE, close = close, ioDesc = descriptor file }),
           mode)
        end
    | getWriter (out as Writer {writer, name, closed, mode, ...}) =
        (if ! closed then fail (name, "getWriter", IO.ClosedStream) else flushOut out; closed := true; (writer, ! mode))

  (* No stream can return to an earlier position. *)
  fun nameOf (Output {name, ...}) = name
    | nameOf (Writer {name, ...}) = name
  type out_pos = output
  fun noPlace name function _ = fail (name, function, IO.RandomAccessNotSupported)
  fun filePosIn (_ : input) : int = noPlace "<instream>" "filePosIn" ()
  fun getPosOut out : out_pos = noPlace (nameOf out) "getPosOut" ()
  fun setPosOut (out : out_pos) : output = noPlace (nameOf out) "setPosOut" ()
  fun filePosOut (out : out_pos) : int = noPlace (nameOf out) "filePosOut" ()
end

signature STREAM_IO =
sig
  type elem
  type vector
  type instream
  type outstream
  type out_pos
  type reader
  type writer
  type pos
  val input : instream -> vector * instream
  val input1 : instream -> (elem * instream) option
  val inputN : instream * int -> vector * instream
  val inputAll : instream -> vector * instream
  val canInput : instream * int -> int option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val mkInstream : reader * vector -> instream
  val getReader : instream -> reader * vector
  val filePosIn : instream -> pos
  val setBufferMode : outstream * IO.buffer_mode -> unit
  val getBufferMode : outstream -> IO.buffer_mode
  val mkOutstream : writer * IO.buffer_mode -> outstream
  val getWriter : outstream -> writer * IO.buffer_mode
  val getPosOut : outstream -> out_pos
  val setPosOut : out_pos -> outstream
  val filePosOut : out_pos -> pos
end

signature TEXT_STREAM_IO =
sig
  include STREAM_IO where type vector = string where type elem = char
  val inputLine : instream -> (string * instream) option
  val outputSubstr : outstream * Substring.substring -> unit
end

signature IMPERATIVE_IO =
sig
  structure StreamIO : STREAM_IO
  type vector = StreamIO.vector
  type elem = StreamIO.elem
  type instream
  type outstream
  val input : instream -> vector
  val input1 : instream -> elem option
  val inputN : instream * int -> vector
  val inputAll : instream -> vector
  val canInput : instream * int -> int option
  val lookahead : instream -> elem option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val mkInstream : StreamIO.instream -> instream
  val getInstream : instream -> StreamIO.instream
  val setInstream : instream * StreamIO.instream -> unit
  val mkOutstream : StreamIO.outstream -> outstream
  val getOutstream : outstream -> StreamIO.outstream
  val setOutstream : outstream * StreamIO.outstream -> unit
  val getPosOut : outstream -> StreamIO.out_pos
  val setPosOut : outstream * StreamIO.out_pos -> unit
end

signature TEXT_IO =
sig
  structure StreamIO :
    TEXT_STREAM_IO
      where type reader = TextPrimIO.reader
      where type writer = TextPrimIO.writer
      where type pos = TextPrimIO.pos
  type vector = StreamIO.vector
  type elem = StreamIO.elem
  type instream
  type outstream
  val input : instream -> vector
  val input1 : instream -> elem option
  val inputN : instream * int -> vector
  val inputAll : instream -> vector
  val canInput : instream * int -> int option
  val lookahead : instream -> elem option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val mkInstream : StreamIO.instream -> instream
  val getInstream : instream -> StreamIO.instream
  val setInstream : instream * StreamIO.instream -> unit
  val mkOutstream : StreamIO.outstream -> outstream
  val getOutstream : outstream -> StreamIO.outstream
  val setOutstream : outstream * StreamIO.outstream -> unit
  val getPosOut : outstream -> StreamIO.out_pos
  val setPosOut : outstream * StreamIO.out_pos -> unit
  val inputLine : instream -> string option
  val outputSubstr : outstream * Substring.substring -> unit
  val openIn : string -> instream
  val openOut : string -> outstream
  val openAppend : string -> outstream
  val openString : string -> instream
  val stdIn : instream
  val stdOut : outstream
  val stdErr : outstream
  val print : string -> unit
  val scanStream :
    ((char, StreamIO.instream) StringCvt.reader -> ('a, StreamIO.instream) StringCvt.reader) -> instream -> 'a option
end

structure TextIO :> TEXT_IO =
struct
  structure StreamIO =
  struct
    type elem = char
    type vector = string
    type instream = Streams.input
    type outstream = Streams.output
    type out_pos = Streams.out_pos
    type reader = TextPrimIO.reader
    type writer = TextPrimIO.writer
    type pos = TextPrimIO.pos
    val mkInstream = Streams.mkInstream
    val getReader = Streams.getReader
    val filePosIn = Streams.filePosIn
    val mkOutstream = Streams.mkOutstream
    val getWriter = Streams.getWriter
    val getPosOut = Streams.getPosOut
    val setPosOut = Streams.setPosOut
    val filePosOut = Streams.filePosOut
    val input = Streams.input
    val input1 = Streams.input1
    val inputN = Streams.inputN
    val inputAll = Streams.inputAll
    val canInput = Streams.canInput
    val closeIn = Streams.closeIn
    val endOfStream = Streams.endOfStream
    val inputLine = Streams.inputLine
    val output = Streams.output
    val output1 = Streams.output1
    fun outputSubstr (out, s) = Streams.outputSlice (out, Substring.base s)
    val flushOut = Streams.flushOut
    val closeOut = Streams.closeOut
    val setBufferMode = Streams.setBufferMode
    val getBufferMode = Streams.getBufferMode
  end

  type elem = char
  type vector = string
  (* The fields are the parts of a functional stream. *)
  datatype instream = In of {text : string ref, at : int ref, next : Streams.next ref ref}
  datatype outstream = Out of Streams.output ref

  fun mkInstream (text, at, next) = In {text = ref text, at = ref at, next = ref next}
  fun getInstream (In {text, at, next}) = (! text, ! at, ! next)
  fun setInstream (In {text, at, next}, (text', at', next')) = (text := text'; at := at'; next := next')

  (* Returns true if the stream is at a character. *)
  fun fill (In {text, at, next}) =
    ! at < Core.String.size (! text)
    orelse
      (case Streams.advance (! next) of
         NONE => false
       | SOME (text', next') => (text := text'; at := 0; next := next'; true))

  fun lookahead (stream as In {text, at, ...}) =
    if fill stream then SOME (Core.String.sub (! text, ! at)) else NONE
  fun input1 (stream as In {text, at, ...}) =
    if fill stream then
      let val c = Core.String.sub (! text, ! at)
      in at := ! at + 1; SOME c
      end
    else NONE
  fun endOfStream stream = not (fill stream)

  fun by f stream =
    let val (result, rest) = f (getInstream stream)
    in setInstream (stream, rest); result
    end
  fun input stream = by Streams.input stream
  fun inputN (stream, n) = by (fn i => Streams.inputN (i, n)) stream
  fun inputAll stream = by Streams.inputAll stream
  fun canInput (stream, n) = Streams.canInput (getInstream stream, n)
  fun inputLine (stream as In {text, at, ...}) =
    let val stop = Streams.lineEnd (! text, ! at)
    in
      if stop >= 0 then
        let val line = Chars.substring (! text, ! at, stop - ! at)
        in at := stop; SOME line
        end
      else
        case Streams.inputLine (getInstream stream) of
          NONE => NONE
        | SOME (line, rest) => (setInstream (stream, rest); SOME line)
    end
  fun closeIn stream =
    (Streams.closeIn (getInstream stream); setInstream (stream, ("", 0, ref Streams.ENDED)))
  fun scanStream scan stream =
    case scan Streams.input1 (getInstream stream) of
      NONE => NONE
    | SOME (result, rest) => (setInstream (stream, rest); SOME result)

  fun mkOutstream out = Out (ref out)
  fun getOutstream (Out out) = ! out
  fun setOutstream (Out out, out') = out := out'
  fun getPosOut (Out out) = Streams.getPosOut (! out)
  fun setPosOut (Out out, pos) = out := Streams.setPosOut pos
  fun output (Out out, text) = Streams.output (! out, text)
  fun output1 (Out out, c) = Streams.output1 (! out, c)
  fun outputSubstr (Out out, s) = StreamIO.outputSubstr (! out, s)
  fun flushOut (Out out) = Streams.flushOut (! out)
  fun closeOut (Out out) = Streams.closeOut (! out)

  fun openIn name = mkInstream (Streams.openIn name)
  fun openOut name = mkOutstream (Streams.openOut (name, 1, "openOut"))
  fun openAppend name = mkOutstream (Streams.openOut (name, 2, "openAppend"))
  fun openString text = mkInstream (text, 0, ref Streams.ENDED)
  val stdIn = mkInstream ("", 0, ref (Streams.UNREAD (0, "<stdin>")))
  val stdOut = mkOutstream (Streams.outputOf (1, "<stdout>"))
  val stdErr = mkOutstream (Streams.outputOf (2, "<stderr>"))
  val print = Core.Io.print
end

val print = TextIO.print

signature BIN_IO =
sig
  include IMPERATIVE_IO
    where type StreamIO.vector = Word8Vector.vector
    where type StreamIO.elem = Word8.word
    where type StreamIO.reader = BinPrimIO.reader
    where type StreamIO.writer = BinPrimIO.writer
    where type StreamIO.pos = BinPrimIO.pos
  val openIn : string -> instream
  val openOut : string -> outstream
  val openAppend : string -> outstream
end

(* A stream of bytes is a stream of text whose characters stand for bytes. *)
structure BinIO :> BIN_IO =
struct
  val bytes = Byte.stringToBytes
  val text = Byte.bytesToString

  fun textReader reader =
    let
      val BinPrimIO.RD r = BinPrimIO.augmentReader reader
    in
      TextPrimIO.augmentReader
        (TextPrimIO.RD
           { name = #name r, chunkSize = #chunkSize r, readVec = Option.map (fn read => text o read) (#readVec r)
           , readArr = NONE, readVecNB = Option.map (fn read => Option.map text o read) (#readVecNB r), readArrNB = NONE
           , block = #block r, canInput = #canInput r, avail = #avail r, getPos = #getPos r, setPos = #setPos r
           , endPos = #endPos r, verifyPos = #verifyPos r, close = #close r, ioDesc = #ioDesc r })
    end
  fun byteReader reader =
    let
      val TextPrimIO.RD r = TextPrimIO.augmentReader reader
    in
      BinPrimIO.augmentReader
        (BinPrimIO.RD
           { name = #name r, chunkSize = #chunkSize r, readVec = Option.map (fn read => bytes o read) (#readVec r)
           , readArr = NONE, readVecNB = Option.map (fn read => Option.map bytes o read) (#readVecNB r), readArrNB = NONE
           , block = #block r, canInput = #canInput r, avail = #avail r, getPos = #getPos r, setPos = #setPos r
           , endPos = #endPos r, verifyPos = #verifyPos r, close = #close r, ioDesc = #ioDesc r })
    end
  fun textWriter writer =
    let
      val BinPrimIO.WR w = BinPrimIO.augmentWriter writer
      fun sliced slice = Word8VectorSlice.full (bytes (CharVectorSlice.vector slice))
    in
      TextPrimIO.augmentWriter
        (TextPrimIO.WR
           { name = #name w, chunkSize = #chunkSize w, writeVec = Option.map (fn write => write o sliced) (#writeVec w)
           , writeArr = NONE, writeVecNB = Option.map (fn write => write o sliced) (#writeVecNB w), writeArrNB = NONE
           , block = #block w, canOutput = #canOutput w, getPos = #getPos w, setPos = #setPos w, endPos = #endPos w
           , verifyPos = #verifyPos w, close = #close w, ioDesc = #ioDesc w })
    end
  fun byteWriter writer =
    let
      val TextPrimIO.WR w = TextPrimIO.augmentWriter writer
      fun sliced slice = CharVectorSlice.full (text (Word8VectorSlice.vector slice))
    in
      BinPrimIO.augmentWriter
        (BinPrimIO.WR
           { name = #name w, chunkSize = #chunkSize w, writeVec = Option.map (fn write => write o sliced) (#writeVec w)
           , writeArr = NONE, writeVecNB = Option.map (fn write => write o sliced) (#writeVecNB w), writeArrNB = NONE
           , block = #block w, canOutput = #canOutput w, getPos = #getPos w, setPos = #setPos w, endPos = #endPos w
           , verifyPos = #verifyPos w, close = #close w, ioDesc = #ioDesc w })
    end

  structure StreamIO =
  struct
    open TextIO.StreamIO
    type vector = Word8Vector.vector
    type elem = Word8.word
    type reader = BinPrimIO.reader
    type writer = BinPrimIO.writer
    type pos = BinPrimIO.pos
    fun first f (x, rest) = (f x, rest)
    fun input i = first bytes (TextIO.StreamIO.input i)
    fun input1 i = Option.map (first Byte.charToByte) (TextIO.StreamIO.input1 i)
    fun inputN arg = first bytes (TextIO.StreamIO.inputN arg)
    fun inputAll i = first bytes (TextIO.StreamIO.inputAll i)
    fun output (out, v) = TextIO.StreamIO.output (out, text v)
    fun output1 (out, b) = TextIO.StreamIO.output1 (out, Byte.byteToChar b)
    fun mkInstream (reader, v) = TextIO.StreamIO.mkInstream (textReader reader, text v)
    fun getReader i =
      let val (reader, s) = TextIO.StreamIO.getReader i
      in (byteReader reader, bytes s)
      end
    fun mkOutstream (writer, mode) = TextIO.StreamIO.mkOutstream (textWriter writer, mode)
    fun getWriter out = first byteWriter (TextIO.StreamIO.getWriter out)
  end

  structure Bytes = StreamIO
  open TextIO
  structure StreamIO = Bytes
  type vector = Word8Vector.vector
  type elem = Word8.word
  fun input s = bytes (TextIO.input s)
  fun input1 s = Option.map Byte.charToByte (TextIO.input1 s)
  fun inputN arg = bytes (TextIO.inputN arg)
  fun inputAll s = bytes (TextIO.inputAll s)
  fun lookahead s = Option.map Byte.charToByte (TextIO.lookahead s)
  fun output (s, v) = TextIO.output (s, text v)
  fun output1 (s, b) = TextIO.output1 (s, Byte.byteToChar b)
end
