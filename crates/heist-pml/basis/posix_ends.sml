(* Readers and writers of descriptors. *)
functor PosixEnds
  (structure Prim : PRIM_IO where type pos = int
   val read : int * int -> Prim.vector
   val write : int * Prim.vector_slice -> int
   structure File :
   sig
     val isRegular : int -> bool
     val length : int -> int
     val place : int -> int
     val setPlace : int * int -> unit
     (* Sets these flags, and keeps the flags that are set already. *)
     val addFlags : int * Core.word -> unit
     val append : Core.word
     val nonblock : Core.word
     val close : int -> unit
   end) =
struct
  (* Returns a reference that says whether the descriptor is closed, and a function that closes the descriptor once. *)
  fun guard fd =
    let val closed = ref false
    in
      { isOpen = fn () => not (! closed)
      , close = fn () => if ! closed then () else (closed := true; File.close fd) }
    end
  fun reader {fd, name, initBlkMode} =
    let
      val {isOpen, close} = guard fd
      fun whenOpen f x = if isOpen () then f x else raise IO.ClosedStream
      val regular = File.isRegular fd
      fun optional f = if regular then SOME (whenOpen (fn () => f fd)) else NONE
    in
      if initBlkMode then () else File.addFlags (fd, File.nonblock);
      Prim.augmentReader
        (Prim.RD
           { name = name, chunkSize = 65536, readVec = SOME (whenOpen (fn n => read (fd, n))), readArr = NONE
           , readVecNB = NONE, readArrNB = NONE, block = NONE, canInput = NONE
           , avail = fn () => if regular andalso isOpen () then SOME (File.length fd - File.place fd) else NONE
           , getPos = optional File.place
           , setPos = if regular then SOME (whenOpen (fn at => File.setPlace (fd, at))) else NONE
           , endPos = optional File.length, verifyPos = optional File.place, close = close, ioDesc = SOME (Descriptor.Number fd) })
    end
  fun writer {fd, name, appendMode, initBlkMode, chunkSize} =
    let
      val {isOpen, close} = guard fd
      fun writeSlice slice = if isOpen () then write (fd, slice) else raise IO.ClosedStream
    in
      if appendMode then File.addFlags (fd, File.append) else ();
      if initBlkMode then () else File.addFlags (fd, File.nonblock);
      Prim.augmentWriter
        (Prim.WR
           { name = name, chunkSize = chunkSize, writeVec = SOME writeSlice, writeArr = NONE, writeVecNB = NONE
           , writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE, endPos = NONE
           , verifyPos = NONE, close = close, ioDesc = SOME (Descriptor.Number fd) })
    end
end
