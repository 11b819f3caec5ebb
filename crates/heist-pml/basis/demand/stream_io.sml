(* Streams of any elements over readers and writers. *)

functor StreamIO
  (structure PrimIO : PRIM_IO
   structure Vector : MONO_VECTOR
   structure VectorSlice : MONO_VECTOR_SLICE
   structure Array : MONO_ARRAY
   structure ArraySlice : MONO_ARRAY_SLICE
   sharing type PrimIO.elem = Vector.elem = VectorSlice.elem = Array.elem = ArraySlice.elem
   sharing type PrimIO.vector = Vector.vector = VectorSlice.vector = Array.vector = ArraySlice.vector
   sharing type PrimIO.vector_slice = VectorSlice.slice = ArraySlice.vector_slice
   sharing type PrimIO.array = Array.array = ArraySlice.array
   sharing type PrimIO.array_slice = ArraySlice.slice
   val someElem : PrimIO.elem) :>
STREAM_IO
  where type elem = PrimIO.elem
  where type vector = PrimIO.vector
  where type reader = PrimIO.reader
  where type writer = PrimIO.writer
  where type pos = PrimIO.pos =
struct
  type elem = PrimIO.elem
  type vector = PrimIO.vector
  type reader = PrimIO.reader
  type writer = PrimIO.writer
  type pos = PrimIO.pos

  fun fail (name, function, cause) = raise IO.Io {name = name, function = function, cause = cause}
  val empty = Vector.fromList nil

  (* The elements that were read are a chain of chunks, into which all streams of a reader point. An empty chunk is an end of the file. *)
  type source = {reader : reader, name : string}
  datatype chunk = Chunk of {elements : vector, place : pos option, next : next ref}
  and next =
    (* The stream has read nothing yet. *)
    UNREAD
  | NEXT of chunk
    (* The stream is closed, or its reader was taken. *)
  | ENDED
  (* A source, a chunk, and an index into the chunk. *)
  type instream = source * chunk * int

  fun mkInstream (reader, elements) =
    let val PrimIO.RD {name, ...} = reader
    in ({reader = PrimIO.augmentReader reader, name = name}, Chunk {elements = elements, place = NONE, next = ref UNREAD}, 0)
    end

  fun link ({reader = PrimIO.RD {getPos, ...}, ...} : source, next, read) =
    let
      val place = case getPos of NONE => NONE | SOME here => (SOME (here ()) handle _ => NONE)
      fun added elements =
        let val chunk = Chunk {elements = elements, place = place, next = ref UNREAD}
        in next := NEXT chunk; chunk
        end
    in
      Option.map added (read ())
    end

  (* Returns the next chunk, or NONE if the stream has ended. *)
  fun following (source as {reader = PrimIO.RD {readVec, chunkSize, ...}, name} : source, Chunk {next, ...}, function) =
    case ! next of
      NEXT chunk => SOME chunk
    | ENDED => NONE
    | UNREAD =>
        case readVec of
          NONE => fail (name, function, IO.BlockingNotSupported)
        | SOME read =>
            link (source, next, fn () => SOME (read (Int.max (1, chunkSize))) handle e => fail (name, function, e))

  fun rest (elements, at) = VectorSlice.vector (VectorSlice.slice (elements, at, NONE))

  fun input1 ((source, chunk as Chunk {elements, ...}, at) : instream) =
    if at < Vector.length elements then SOME (Vector.sub (elements, at), (source, chunk, at + 1))
    else
      case following (source, chunk, "input1") of
        SOME (chunk as Chunk {elements, ...}) =>
          if Vector.length elements > 0 then SOME (Vector.sub (elements, 0), (source, chunk, 1)) else NONE
      | NONE => NONE

  (* Returns the rest of this chunk, or the next chunk if the rest is empty, and the stream after it. If there are no elements, the
     stream is at an end of the file. *)
  fun elementsOf (stream as (source, chunk as Chunk {elements, ...}, at) : instream, function) =
    if at < Vector.length elements then (rest (elements, at), (source, chunk, Vector.length elements))
    else
      case following (source, chunk, function) of
        SOME (chunk as Chunk {elements, ...}) => (elements, (source, chunk, Vector.length elements))
      | NONE => (empty, stream)
  fun input stream = elementsOf (stream, "input")

  fun inputN (stream, n) =
    let
      fun go (stream, n, parts) =
        if n = 0 then (List.rev parts, stream)
        else
          let
            val (elements, after as (source, chunk, stop)) = elementsOf (stream, "inputN")
            val here = Vector.length elements
          in
            (* If the stream is too short, reads past its end, as MLton does. *)
            if here = 0 then (List.rev parts, after)
            else if here <= n then go (after, n - here, elements :: parts)
            else
              ( List.rev (VectorSlice.vector (VectorSlice.slice (elements, 0, SOME n)) :: parts)
              , (source, chunk, stop - here + n) )
          end
      val (parts, stream) = if n < 0 then raise Size else go (stream, n, nil)
    in
      (Vector.concat parts, stream)
    end

  fun inputAll stream =
    let
      fun go (stream, parts) =
        let val (elements, after) = elementsOf (stream, "inputAll")
        in
          if Vector.length elements = 0 then (Vector.concat (List.rev parts), after) else go (after, elements :: parts)
        end
    in
      go (stream, nil)
    end

  fun endOfStream (source, chunk as Chunk {elements, ...}, at) =
    at >= Vector.length elements
    andalso
      (case following (source, chunk, "endOfStream") of
         SOME (Chunk {elements, ...}) => Vector.length elements = 0
       | NONE => true)

  fun canInput ((source as {reader = PrimIO.RD {readVecNB, chunkSize, ...}, name}, Chunk {elements, next, ...}, at), n) =
    let fun least elements = SOME (Int.min (n, Vector.length elements))
    in
      if n < 0 then raise Size
      else if at < Vector.length elements then SOME (Int.min (n, Vector.length elements - at))
      else
        case ! next of
          NEXT (Chunk {elements, ...}) => least elements
        | ENDED => SOME 0
        | UNREAD =>
            case readVecNB of
              NONE => fail (name, "canInput", IO.NonblockingNotSupported)
            | SOME read =>
                case link (source, next, fn () => read (Int.max (1, chunkSize)) handle e => fail (name, "canInput", e)) of
                  NONE => NONE
                | SOME (Chunk {elements, ...}) => least elements
    end

  fun last (Chunk {next, ...}) = case ! next of NEXT chunk => last chunk | _ => next

  fun closeIn ({reader = PrimIO.RD {close, ...}, name}, chunk, _) =
    let val next = last chunk
    in
      case ! next of
        ENDED => ()
      | _ => (next := ENDED; close () handle e => fail (name, "closeIn", e))
    end

  fun getReader ({reader, name}, chunk as Chunk {elements, ...}, at) =
    let
      val next = last chunk
      fun go (Chunk {next, ...}, parts) =
        case ! next of
          NEXT (chunk as Chunk {elements, ...}) => go (chunk, elements :: parts)
        | _ => Vector.concat (List.rev parts)
    in
      case ! next of
        ENDED => fail (name, "getReader", IO.ClosedStream)
      | _ => (next := ENDED; (reader, go (chunk, [rest (elements, at)])))
    end

  (* A reader knows its place only before a chunk. To find a place within a chunk, the function reads the beginning of the chunk again. *)
  fun filePosIn ({reader = PrimIO.RD {readVec, getPos, setPos, ...}, name}, chunk as Chunk {place, ...}, at) =
    let
      fun cannot () = fail (name, "filePosIn", IO.RandomAccessNotSupported)
      fun skip (_, 0) = ()
        | skip (read, n) =
            case Vector.length (read n) of
              0 => cannot ()
            | m => skip (read, n - m)
    in
      case (! (last chunk), place, readVec, getPos, setPos) of
        (ENDED, _, _, _, _) => fail (name, "filePosIn", IO.ClosedStream)
      | (_, SOME place, SOME read, SOME getPos, SOME setPos) =>
          if at = 0 then place
          else
            ((let
                val now = getPos ()
                val () = setPos place
                val () = skip (read, at)
                val here = getPos ()
              in
                setPos now; here
              end)
             handle IO.Io io => raise IO.Io io
                  | e => fail (name, "filePosIn", e))
      | (UNREAD, NONE, _, SOME getPos, _) =>
          (* The stream has read nothing yet, and had no elements at the beginning. *)
          let val Chunk {elements, ...} = chunk
          in if at = Vector.length elements then getPos () handle e => fail (name, "filePosIn", e) else cannot ()
          end
      | _ => cannot ()
    end

  (* The parts that wait to be written, the last part first. *)
  datatype outstream =
    Out of
      { writer : writer, name : string, parts : vector list ref, waiting : int ref, mode : IO.buffer_mode ref, closed : bool ref }
  type out_pos = outstream * pos

  fun write (Out {writer = PrimIO.WR {writeVec, ...}, name, parts, waiting, ...}, function) =
    let
      val all = Vector.concat (List.rev (! parts))
      (* If some elements cannot be written, later calls do not try these elements again. *)
      val () = (parts := nil; waiting := 0)
      fun go (writeVec, slice) =
        if VectorSlice.isEmpty slice then ()
        else
          let val n = writeVec slice handle e => fail (name, function, e)
          in go (writeVec, VectorSlice.subslice (slice, n, NONE))
          end
    in
      if Vector.length all = 0 then ()
      else
        case writeVec of
          NONE => fail (name, function, IO.BlockingNotSupported)
        | SOME writeVec => go (writeVec, VectorSlice.full all)
    end

  fun flushOut (out as Out {closed, ...}) = if ! closed then () else write (out, "flushOut")

  fun add (out as Out {writer = PrimIO.WR {chunkSize, ...}, name, parts, waiting, mode, closed}, elements, function) =
    if ! closed then fail (name, function, IO.ClosedStream)
    else
      ( parts := elements :: ! parts
      ; waiting := ! waiting + Vector.length elements
      ; case ! mode of
          IO.NO_BUF => write (out, function)
          (* Elements other than characters have no lines. *)
        | _ => if ! waiting >= chunkSize then write (out, function) else () )
  fun output (out, elements) = add (out, elements, "output")
  fun output1 (out, element) = add (out, Vector.fromList [element], "output1")

  fun mkOutstream (writer, mode) =
    let
      val PrimIO.WR {name, ...} = writer
      val out =
        Out
          { writer = PrimIO.augmentWriter writer, name = name, parts = ref nil, waiting = ref 0, mode = ref mode
          , closed = ref false }
    in
      OS.Process.atExit (fn () => flushOut out);
      out
    end

  fun closeOut (out as Out {writer = PrimIO.WR {close, ...}, name, closed, ...}) =
    if ! closed then ()
    else (write (out, "closeOut"); closed := true; close () handle e => fail (name, "closeOut", e))

  fun setBufferMode (out as Out {mode = cell, ...}, mode) =
    (case mode of IO.NO_BUF => flushOut out | _ => (); cell := mode)
  fun getBufferMode (Out {mode, ...}) = ! mode

  (* Ends the stream. *)
  fun getWriter (out as Out {writer, name, mode, closed, ...}) =
    if ! closed then fail (name, "getWriter", IO.ClosedStream)
    else (write (out, "getWriter"); closed := true; (writer, ! mode))

  fun getPosOut (out as Out {writer = PrimIO.WR {getPos, ...}, name, closed, ...}) =
    if ! closed then fail (name, "getPosOut", IO.ClosedStream)
    else
      case getPos of
        NONE => fail (name, "getPosOut", IO.RandomAccessNotSupported)
      | SOME getPos => (write (out, "getPosOut"); (out, getPos () handle e => fail (name, "getPosOut", e)))
  fun setPosOut (out as Out {writer = PrimIO.WR {setPos, ...}, name, closed, ...}, pos) =
    if ! closed then fail (name, "setPosOut", IO.ClosedStream)
    else
      case setPos of
        NONE => fail (name, "setPosOut", IO.RandomAccessNotSupported)
      | SOME setPos => (write (out, "setPosOut"); setPos pos handle e => fail (name, "setPosOut", e); out)
  fun filePosOut (_ : outstream, pos) = pos
end

functor ImperativeIO
  (structure StreamIO : STREAM_IO
   structure Vector : MONO_VECTOR
   structure Array : MONO_ARRAY
   sharing type StreamIO.elem = Vector.elem = Array.elem
   sharing type StreamIO.vector = Vector.vector = Array.vector) :>
IMPERATIVE_IO
  where type StreamIO.elem = StreamIO.elem
  where type StreamIO.vector = StreamIO.vector
  where type StreamIO.reader = StreamIO.reader
  where type StreamIO.writer = StreamIO.writer
  where type StreamIO.pos = StreamIO.pos
  where type StreamIO.instream = StreamIO.instream
  where type StreamIO.outstream = StreamIO.outstream
  where type StreamIO.out_pos = StreamIO.out_pos =
struct
  structure StreamIO = StreamIO
  type vector = StreamIO.vector
  type elem = StreamIO.elem
  (* An imperative stream moves along functional streams. *)
  datatype instream = In of StreamIO.instream ref
  datatype outstream = Out of StreamIO.outstream ref

  fun mkInstream stream = In (ref stream)
  fun getInstream (In cell) = ! cell
  fun setInstream (In cell, stream) = cell := stream
  fun moved (In cell) (result, stream) = (cell := stream; result)

  fun input stream = moved stream (StreamIO.input (getInstream stream))
  fun inputN (stream, n) = moved stream (StreamIO.inputN (getInstream stream, n))
  fun inputAll stream = moved stream (StreamIO.inputAll (getInstream stream))
  (* At an end of the file, the stream moves past it, as `input` does, so that the stream can read elements that come later. *)
  fun input1 stream =
    case StreamIO.input1 (getInstream stream) of
      SOME (element, after) => SOME (moved stream (element, after))
    | NONE => (ignore (input stream); NONE)
  fun lookahead stream = Option.map #1 (StreamIO.input1 (getInstream stream))
  fun canInput (stream, n) = StreamIO.canInput (getInstream stream, n)
  fun endOfStream stream = StreamIO.endOfStream (getInstream stream)
  fun closeIn stream = StreamIO.closeIn (getInstream stream)

  fun mkOutstream stream = Out (ref stream)
  fun getOutstream (Out cell) = ! cell
  fun setOutstream (Out cell, stream) = cell := stream
  fun output (Out cell, elements) = StreamIO.output (! cell, elements)
  fun output1 (Out cell, element) = StreamIO.output1 (! cell, element)
  fun flushOut (Out cell) = StreamIO.flushOut (! cell)
  fun closeOut (Out cell) = StreamIO.closeOut (! cell)
  fun getPosOut (Out cell) = StreamIO.getPosOut (! cell)
  fun setPosOut (Out cell, place) = cell := StreamIO.setPosOut place
end
