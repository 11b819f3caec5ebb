(* MPL.File: files in memory, which many strands read and write at once. *)

signature MPL_FILE =
sig
  type t
  exception Closed
  (* A file that was opened to be read is written. *)
  exception WrongFilePermission
  val openFile : string -> t
  (* Appends so many bytes, zeros at first. The length that the file had is where they are. *)
  val openFileWriteable : string -> int -> {file : t, file_size : int}
  val closeFile : t -> unit
  val size : t -> int
  val readChar : t -> int -> char
  val readWord8 : t -> int -> Word8.word
  val unsafeReadChar : t -> int -> char
  val unsafeReadWord8 : t -> int -> Word8.word
  (* From this offset on, as many as the slice has. *)
  val readChars : t -> int -> char ArraySlice.slice -> unit
  val readWord8s : t -> int -> Word8.word ArraySlice.slice -> unit
  val writeChar : {file : t, file_offset : int} -> char -> unit
  val writeWord8s : {file : t, file_offset : int} -> Word8.word ArraySlice.slice -> unit
end

structure MPLFile :> MPL_FILE =
struct
  exception Closed
  exception WrongFilePermission

  structure Map =
  struct
    (* Addresses, and results as those of `Core.Io`. Nothing of this is checked. *)
    val openMap = _prim "rt.Map.open" : int * int * int -> int
    val close = _prim "rt.Map.close" : int * int -> int
    val getChar = _prim "rt.Map.get" : int -> char
    val getByte = _prim "rt.Map.get" : int -> Word8.word
    val setChar = _prim "rt.Map.set" : int * char -> unit
    val loadChars = _prim "rt.Map.load" : int * char array * int * int -> unit
    val loadBytes = _prim "rt.Map.load" : int * Word8.word array * int * int -> unit
    val storeBytes = _prim "rt.Map.store" : int * Word8.word array * int * int -> unit
  end

  datatype state = Reading | Writing | Gone
  (* Where the file is in memory, if it has any bytes. *)
  type t = {address : int, length : int, state : state ref}

  fun map (file, length, writable) =
    if length = 0 then 0
    else
      case Map.openMap (Word.toInt (Posix.FileSys.fdToWord file), length, if writable then 1 else 0) of
        address => if address < 0 then raise OS.SysErr (OS.errorMsg (~ address), SOME (~ address)) else address
  (* The file is closed, whatever happens. *)
  fun using file f =
    (f file before Posix.IO.close file)
    handle error => (Posix.IO.close file; raise error)

  fun openFile name =
    using (Posix.FileSys.openf (name, Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags nil))
      (fn file =>
         let val length = Posix.FileSys.ST.size (Posix.FileSys.fstat file)
         in {address = map (file, length, false), length = length, state = ref Reading}
         end)
  fun openFileWriteable name more =
    let
      open Posix.FileSys
      val () = if more < 0 then raise Size else ()
    in
      using (createf (name, O_RDWR, O.append, S.flags [S.irusr, S.iwusr, S.irgrp, S.iroth]))
        (fn file =>
           let
             val before' = ST.size (fstat file)
             val length = before' + more
           in
             ftruncate (file, length);
             {file = {address = map (file, length, true), length = length, state = ref Writing}, file_size = before'}
           end)
    end
  fun isOpen ({state, ...} : t) = ! state <> Gone
  fun closeFile (file as {address, length, state} : t) =
    if not (isOpen file) then raise Closed
    else (state := Gone; if length = 0 then () else ignore (Map.close (address, length)))
  fun size (file as {length, ...} : t) = if isOpen file then length else raise Closed

  (* The address of so many bytes. *)
  fun place (file as {address, length, ...} : t, from, n) =
    if from < 0 orelse from > length - n then raise Subscript
    else if isOpen file then Core.Int.add (address, from)
    else raise Closed
  fun placeToWrite (file as {state, ...} : t, from, n) =
    let val address = place (file, from, n)
    in if ! state = Writing then address else raise WrongFilePermission
    end

  fun readChar file i = Map.getChar (place (file, i, 1))
  fun readWord8 file i = Map.getByte (place (file, i, 1))
  (* Checked, too. *)
  val unsafeReadChar = readChar
  val unsafeReadWord8 = readWord8
  fun readChars file from to =
    let val (a, first, n) = ArraySlice.base to
    in Map.loadChars (place (file, from, n), a, first, n)
    end
  fun readWord8s file from to =
    let val (a, first, n) = ArraySlice.base to
    in Map.loadBytes (place (file, from, n), a, first, n)
    end
  fun writeChar {file, file_offset} c = Map.setChar (placeToWrite (file, file_offset, 1), c)
  fun writeWord8s {file, file_offset} from =
    let val (a, first, n) = ArraySlice.base from
    in Map.storeBytes (placeToWrite (file, file_offset, n), a, first, n)
    end
end
