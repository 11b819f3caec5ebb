(* Readers and writers, on which streams are built. *)

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

(* Every program has these messages, so they use the exceptions of `Core`: the compiler elaborates `OS` only for programs that need it. *)
val () =
  ExnMessage.add
    (* The texts are those of MLton's Basis. *)
    (fn Core.SysErr (text, NONE) => SOME (concat ["SysErr: ", text])
      | Core.SysErr (text, SOME error) => SOME (concat ["SysErr: ", text, " [", Core.System.errorName error, "]"])
      | Core.Io {name, function, cause} =>
          SOME (concat ["Io: ", function, " \"", name, "\" failed with ", General.exnMessage cause])
      | _ => NONE)

(* The actions that run before the program ends. The compiler calls `run` after the last declaration. *)
structure AtExit =
struct
  val actions : (unit -> unit) list ref = ref nil
  val exiting = ref false
  (* If an action raises an exception, `run` ignores it. *)
  fun run () =
    case ! actions of
      nil => ()
    | f :: rest => (exiting := true; actions := rest; f () handle _ => (); run ())
  (* An action that another action adds does not run. *)
  fun add f =
    if ! exiting then ()
    else
      ( case ! actions of
          nil => Core.System.atExit run
        | _ => ()
      ; actions := f :: ! actions
      )
end

(* The number of an open file. `os.sml` has the rest of the structure. Messages print this name for the type. *)
structure OS =
struct
  structure IO =
  struct
    datatype iodesc = Number of int
  end
end
structure Descriptor = OS.IO

signature PRIM_IO =
sig
  type elem
  type vector
  type vector_slice
  type array
  type array_slice
  eqtype pos
  val compare : pos * pos -> order
  datatype reader =
    RD of
      { name : string
      , chunkSize : int
      , readVec : (int -> vector) option
      , readArr : (array_slice -> int) option
      , readVecNB : (int -> vector option) option
      , readArrNB : (array_slice -> int option) option
      , block : (unit -> unit) option
      , canInput : (unit -> bool) option
      , avail : unit -> int option
      , getPos : (unit -> pos) option
      , setPos : (pos -> unit) option
      , endPos : (unit -> pos) option
      , verifyPos : (unit -> pos) option
      , close : unit -> unit
      , ioDesc : Descriptor.iodesc option }
  datatype writer =
    WR of
      { name : string
      , chunkSize : int
      , writeVec : (vector_slice -> int) option
      , writeArr : (array_slice -> int) option
      , writeVecNB : (vector_slice -> int option) option
      , writeArrNB : (array_slice -> int option) option
      , block : (unit -> unit) option
      , canOutput : (unit -> bool) option
      , getPos : (unit -> pos) option
      , setPos : (pos -> unit) option
      , endPos : (unit -> pos) option
      , verifyPos : (unit -> pos) option
      , close : unit -> unit
      , ioDesc : Descriptor.iodesc option }
  val openVector : vector -> reader
  val nullRd : unit -> reader
  val nullWr : unit -> writer
  val augmentReader : reader -> reader
  val augmentWriter : writer -> writer
end

functor PrimIO
  (structure Vector : MONO_VECTOR
   structure VectorSlice : MONO_VECTOR_SLICE
   structure Array : MONO_ARRAY
   structure ArraySlice : MONO_ARRAY_SLICE
   sharing type Array.elem = ArraySlice.elem = Vector.elem = VectorSlice.elem
   sharing type ArraySlice.vector = Array.vector = Vector.vector = VectorSlice.vector
   sharing type ArraySlice.vector_slice = VectorSlice.slice
   sharing type Array.array = ArraySlice.array
   val someElem : Vector.elem
   eqtype pos
   val compare : pos * pos -> order) : PRIM_IO =
struct
  type elem = Vector.elem
  type vector = Vector.vector
  type vector_slice = VectorSlice.slice
  type array = Array.array
  type array_slice = ArraySlice.slice
  type pos = pos
  val compare = compare

  datatype reader =
    RD of
      { name : string
      , chunkSize : int
      , readVec : (int -> vector) option
      , readArr : (array_slice -> int) option
      , readVecNB : (int -> vector option) option
      , readArrNB : (array_slice -> int option) option
      , block : (unit -> unit) option
      , canInput : (unit -> bool) option
      , avail : unit -> int option
      , getPos : (unit -> pos) option
      , setPos : (pos -> unit) option
      , endPos : (unit -> pos) option
      , verifyPos : (unit -> pos) option
      , close : unit -> unit
      , ioDesc : Descriptor.iodesc option }
  datatype writer =
    WR of
      { name : string
      , chunkSize : int
      , writeVec : (vector_slice -> int) option
      , writeArr : (array_slice -> int) option
      , writeVecNB : (vector_slice -> int option) option
      , writeArrNB : (array_slice -> int option) option
      , block : (unit -> unit) option
      , canOutput : (unit -> bool) option
      , getPos : (unit -> pos) option
      , setPos : (pos -> unit) option
      , endPos : (unit -> pos) option
      , verifyPos : (unit -> pos) option
      , close : unit -> unit
      , ioDesc : Descriptor.iodesc option }

  fun openVector v =
    let
      val at = ref 0
      val closed = ref false
      fun open' f x = if ! closed then raise IO.ClosedStream else f x
      fun read n =
        let
          val n = if n < 0 then raise Size else Int.min (n, Vector.length v - ! at)
          val from = ! at
        in
          at := from + n;
          VectorSlice.slice (v, from, SOME n)
        end
      fun readVec n = VectorSlice.vector (read n)
      fun readArr slice =
        let
          val (dst, di, n) = ArraySlice.base slice
          val src = read n
        in
          ArraySlice.copyVec {src = src, dst = dst, di = di};
          VectorSlice.length src
        end
    in
      RD
        { name = "<vector>", chunkSize = 4096
        , readVec = SOME (open' readVec), readArr = SOME (open' readArr)
        , readVecNB = SOME (open' (SOME o readVec)), readArrNB = SOME (open' (SOME o readArr))
        , block = SOME (open' (fn () => ())), canInput = SOME (open' (fn () => true))
        , avail = fn () => if ! closed then NONE else SOME (Vector.length v - ! at)
        , getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE
        , close = fn () => closed := true, ioDesc = NONE }
    end

  fun nullRd () =
    case openVector (Vector.fromList nil) of
      RD {chunkSize, readVec, readArr, readVecNB, readArrNB, block, canInput, avail, getPos, setPos, endPos, verifyPos, close, ioDesc, ...} =>
        RD
          { name = "<null>", chunkSize = chunkSize, readVec = readVec, readArr = readArr, readVecNB = readVecNB
          , readArrNB = readArrNB, block = block, canInput = canInput, avail = avail, getPos = getPos, setPos = setPos
          , endPos = endPos, verifyPos = verifyPos, close = close, ioDesc = ioDesc }

  fun nullWr () =
    let
      val closed = ref false
      fun open' f x = if ! closed then raise IO.ClosedStream else f x
    in
      WR
        { name = "<null>", chunkSize = 4096
        , writeVec = SOME (open' VectorSlice.length), writeArr = SOME (open' ArraySlice.length)
        , writeVecNB = SOME (open' (SOME o VectorSlice.length)), writeArrNB = SOME (open' (SOME o ArraySlice.length))
        , block = SOME (open' (fn () => ())), canOutput = SOME (open' (fn () => true))
        , getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE
        , close = fn () => closed := true, ioDesc = NONE }
    end

  (* Returns the first function of a list that exists. *)
  fun first nil = NONE
    | first (SOME f :: _) = SOME f
    | first (NONE :: rest) = first rest
  (* Makes a function from other functions if they exist. *)
  fun from f = Option.map f
  fun fromBoth f (SOME a, SOME b) = SOME (f (a, b))
    | fromBoth _ _ = NONE
  fun blocking (block, try) x =
    case (block (); try x) of
      SOME result => result
    | NONE => blocking (block, try) x
  fun trying (ready, f) x = if ready () then SOME (f x) else NONE

  fun augmentReader (RD r) =
    let
      val {readVec, readArr, readVecNB, readArrNB, block, canInput, ...} = r
      fun vecByArr readArr n =
        let
          val a = if n < 0 then raise Size else Array.array (n, someElem)
          val count = readArr (ArraySlice.full a)
        in
          ArraySlice.vector (ArraySlice.slice (a, 0, SOME count))
        end
      fun vecByArrNB readArr n =
        let val a = if n < 0 then raise Size else Array.array (n, someElem)
        in Option.map (fn count => ArraySlice.vector (ArraySlice.slice (a, 0, SOME count))) (readArr (ArraySlice.full a))
        end
      fun put slice v =
        let val (dst, di, _) = ArraySlice.base slice
        in Array.copyVec {src = v, dst = dst, di = di}; Vector.length v
        end
      fun arrByVec readVec slice = put slice (readVec (ArraySlice.length slice))
      fun arrByVecNB readVec slice = Option.map (put slice) (readVec (ArraySlice.length slice))
      val vec = first [readVec, from vecByArr readArr, fromBoth blocking (block, readVecNB)]
      val vec = first [vec, fromBoth blocking (block, from vecByArrNB readArrNB)]
      val arr = first [readArr, from arrByVec vec]
      val vecNB = first [readVecNB, from vecByArrNB readArrNB, fromBoth trying (canInput, vec)]
      val arrNB = first [readArrNB, from arrByVecNB vecNB]
    in
      RD
        { name = #name r, chunkSize = #chunkSize r, readVec = vec, readArr = arr, readVecNB = vecNB, readArrNB = arrNB
        , block = block, canInput = canInput, avail = #avail r, getPos = #getPos r, setPos = #setPos r
        , endPos = #endPos r, verifyPos = #verifyPos r, close = #close r, ioDesc = #ioDesc r }
    end

  fun augmentWriter (WR w) =
    let
      val {writeVec, writeArr, writeVecNB, writeArrNB, block, canOutput, ...} = w
      fun vecByArr writeArr slice =
        let
          val n = VectorSlice.length slice
          val a = Array.tabulate (n, fn i => VectorSlice.sub (slice, i))
        in
          writeArr (ArraySlice.full a)
        end
      fun arrByVec writeVec slice = writeVec (VectorSlice.full (ArraySlice.vector slice))
      val vec = first [writeVec, from vecByArr writeArr, fromBoth blocking (block, writeVecNB)]
      val vec = first [vec, fromBoth blocking (block, from vecByArr writeArrNB)]
      val arr = first [writeArr, from arrByVec vec]
      val vecNB = first [writeVecNB, from vecByArr writeArrNB, fromBoth trying (canOutput, vec)]
      val arrNB = first [writeArrNB, from arrByVec vecNB]
    in
      WR
        { name = #name w, chunkSize = #chunkSize w, writeVec = vec, writeArr = arr, writeVecNB = vecNB, writeArrNB = arrNB
        , block = block, canOutput = canOutput, getPos = #getPos w, setPos = #setPos w, endPos = #endPos w
        , verifyPos = #verifyPos w, close = #close w, ioDesc = #ioDesc w }
    end
end

structure TextPrimIO =
  PrimIO
    (structure Vector = CharVector
     structure VectorSlice = CharVectorSlice
     structure Array = CharArray
     structure ArraySlice = CharArraySlice
     val someElem = #" "
     type pos = int
     val compare = Int.compare)

structure BinPrimIO =
  PrimIO
    (structure Vector = Word8Vector
     structure VectorSlice = Word8VectorSlice
     structure Array = Word8Array
     structure ArraySlice = Word8ArraySlice
     val someElem : Word8.word = 0w0
     type pos = int
     val compare = Int.compare)
