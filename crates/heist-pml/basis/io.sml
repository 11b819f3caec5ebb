(* Files and streams: IO, TextIO and BinIO. *)

signature IO =
sig
  exception Io of {name : string, function : string, cause : exn}
  exception BlockingNotSupported
  exception NonblockingNotSupported
  exception RandomAccessNotSupported
  exception ClosedStream
  datatype buffer_mode = NO_BUF | LINE_BUF | BLOCK_BUF
end

structure IO : IO =
struct
  exception Io = Core.Io
  exception BlockingNotSupported
  exception NonblockingNotSupported
  exception RandomAccessNotSupported
  exception ClosedStream
  datatype buffer_mode = NO_BUF | LINE_BUF | BLOCK_BUF
end

(* Streams of text, from which those of TextIO and BinIO are made. What was read is kept in a chain of chunks, which functional
   streams point into; an imperative stream is a position that moves along it. *)
structure Streams =
struct
  datatype next =
    UNREAD of int * string
  | MORE of string * next ref
  | ENDED

  (* A chunk, a position in it, and what follows the chunk. *)
  type input = string * int * next ref

  fun sysErr number = Core.SysErr (Core.System.errorMessage number, SOME number)
  fun fail (name, function, cause) = raise IO.Io {name = name, function = function, cause = cause}
  fun failed (name, function, number) = fail (name, function, sysErr number)

  fun advance next =
    case ! next of
      MORE chunk => SOME chunk
    | ENDED => NONE
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
              next := ENDED;
              NONE
            end
        end

  (* At a character, if there is one. *)
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

  (* Where the next line ends in a chunk: after its newline; ~1 if it does not. *)
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
    case ! next of
      ENDED => ()
    | MORE (_, next) => closeIn ("", 0, next)
    | UNREAD (file, name) => (next := ENDED; ignore (Core.Io.close file))

  fun openIn name =
    let val file = Core.Io.openFile (name, 0)
    in
      if file < 0 then failed (name, "openIn", ~ file) else ("", 0, ref (UNREAD (file, name)))
    end

  datatype output = Output of {file : int, name : string, closed : bool ref}

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
  (* A closed file has a number no more. *)
  fun output (Output {file, name, closed}, text) =
    check (name, "output", closed, if ! closed then ~1 else Core.Io.write (file, text))
  fun output1 (Output {file, name, closed}, c) =
    check (name, "output1", closed, if ! closed then ~1 else Core.Io.writeChar (file, c))
  fun outputSlice (Output {file, name, closed}, (text, from, n)) =
    check (name, "output", closed, if ! closed then ~1 else Core.Io.writeRange (file, text, from, n))
  fun flushOut (Output {file, name, closed}) =
    check (name, "flushOut", closed, if ! closed then 0 else Core.Io.flush file)
  fun closeOut (Output {file, name, closed}) =
    if ! closed then ()
    else (closed := true; check (name, "closeOut", ref false, Core.Io.close file))

  fun setBufferMode (Output {file, ...}, mode) =
    Core.Io.setBufferMode (file, case mode of IO.NO_BUF => 0 | IO.LINE_BUF => 1 | IO.BLOCK_BUF => 2)
  fun getBufferMode (Output {file, ...}) =
    case Core.Io.bufferMode file of
      0 => IO.NO_BUF
    | 1 => IO.LINE_BUF
    | _ => IO.BLOCK_BUF
end

signature TEXT_STREAM_IO =
sig
  type elem = char
  type vector = string
  type instream
  type outstream
  val input : instream -> vector * instream
  val input1 : instream -> (elem * instream) option
  val inputN : instream * int -> vector * instream
  val inputAll : instream -> vector * instream
  val canInput : instream * int -> int option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val inputLine : instream -> (string * instream) option
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val outputSubstr : outstream * Substring.substring -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val setBufferMode : outstream * IO.buffer_mode -> unit
  val getBufferMode : outstream -> IO.buffer_mode
end

signature TEXT_IO =
sig
  structure StreamIO : TEXT_STREAM_IO
  type vector = string
  type elem = char
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
  (* The parts of a functional stream. *)
  datatype instream = In of {text : string ref, at : int ref, next : Streams.next ref ref}
  datatype outstream = Out of Streams.output ref

  fun mkInstream (text, at, next) = In {text = ref text, at = ref at, next = ref next}
  fun getInstream (In {text, at, next}) = (! text, ! at, ! next)
  fun setInstream (In {text, at, next}, (text', at', next')) = (text := text'; at := at'; next := next')

  (* Whether it is at a character. *)
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
  type vector = Word8Vector.vector
  type elem = Word8.word
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
  val openIn : string -> instream
  val openOut : string -> outstream
  val openAppend : string -> outstream
end

structure BinIO :> BIN_IO =
struct
  type vector = Word8Vector.vector
  type elem = Word8.word
  type instream = TextIO.instream
  type outstream = TextIO.outstream
  fun input s = Byte.stringToBytes (TextIO.input s)
  fun input1 s = Option.map Byte.charToByte (TextIO.input1 s)
  fun inputN (s, n) = Byte.stringToBytes (TextIO.inputN (s, n))
  fun inputAll s = Byte.stringToBytes (TextIO.inputAll s)
  val canInput = TextIO.canInput
  fun lookahead s = Option.map Byte.charToByte (TextIO.lookahead s)
  val closeIn = TextIO.closeIn
  val endOfStream = TextIO.endOfStream
  fun output (s, v) = TextIO.output (s, Byte.bytesToString v)
  fun output1 (s, b) = TextIO.output1 (s, Byte.byteToChar b)
  val flushOut = TextIO.flushOut
  val closeOut = TextIO.closeOut
  val openIn = TextIO.openIn
  val openOut = TextIO.openOut
  val openAppend = TextIO.openAppend
end
