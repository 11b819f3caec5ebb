(* MPL.File: files in memory, which many strands may read and write at the same time. *)

signature MPL_FILE =
sig
  type t
  exception Closed
  (* The program writes a file that it has opened for reading. *)
  exception WrongFilePermission
  (* For a pipe, or a file that the system generates (/proc), reads all of the input. *)
  val openFile : string -> t
  (* Appends this number of bytes, which are zeros at first. `file_size` is the previous length of the file, where the new bytes begin. *)
  val openFileWriteable : string -> int -> {file : t, file_size : int}
  val closeFile : t -> unit
  val size : t -> int
  val readChar : t -> int -> char
  val readWord8 : t -> int -> Word8.word
  val unsafeReadChar : t -> int -> char
  val unsafeReadWord8 : t -> int -> Word8.word
  (* Read as many elements as the slice has, beginning at this offset. *)
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
    (* Returns the address of a map, or the negated number of an error. *)
    val openMap = _prim "rt.Map.open" : string * int -> int
    (* All other functions get a reference to such an address. *)
    val close = _prim "rt.Map.close" : int ref -> int
    val size = _prim "rt.Map.size" : int ref -> int
    val get = _prim "rt.Map.get" : int ref * int -> int
    val set = _prim "rt.Map.set" : int ref * int * int -> int
    val loadChars = _prim "rt.Map.load" : int ref * int * char array * int * int -> int
    val loadBytes = _prim "rt.Map.load" : int ref * int * Word8.word array * int * int -> int
    val storeBytes = _prim "rt.Map.store" : int ref * int * Word8.word array * int * int -> int
  end

  (* The address of the map and the name of the file. The address is 0 after the map was closed. Only functions of `Map` read the
     address. *)
  datatype t = FILE of int ref * string

  fun fail number = raise OS.SysErr (OS.errorMsg number, SOME number)
  (* This error occurs if another process cuts the file short. *)
  fun gone name = raise OS.SysErr ("`" ^ name ^ "` was cut short, or cannot be read from its disk any more", OS.syserror "io")
  fun checked (FILE (_, name), result) =
    if result >= 0 then result
    else case result of ~1 => raise Closed | ~2 => raise Subscript | ~4 => gone name | _ => raise WrongFilePermission

  fun opened (name, more) =
    case Map.openMap (name, more) of
      address => if address < 0 then fail (~ address) else FILE (ref address, name)
  fun size (file as FILE (map, _)) = checked (file, Map.size map)
  fun openFile name = opened (name, ~1)
  fun openFileWriteable name more =
    if more < 0 then raise Size
    else
      let val file = opened (name, more)
      in {file = file, file_size = size file - more}
      end
  fun closeFile (FILE (map, _)) =
    case Map.close map of
      0 => ()
    | 1 => raise Closed
    | error => fail (~ error)

  fun byte (file as FILE (map, _), i) = checked (file, Map.get (map, i))
  fun readChar file i = Char.chr (byte (file, i))
  fun readWord8 file i = Word8.fromInt (byte (file, i))
  (* These functions check the offset, too. *)
  val unsafeReadChar = readChar
  val unsafeReadWord8 = readWord8

  (* Copies in pieces. The worker can be stopped between two pieces, because the disk may be slow. Copies nothing unless the map has the
     whole range. *)
  fun pieces copy (file as FILE (map, _), from, slice) =
    let
      val (array, first, n) = ArraySlice.base slice
      fun go at =
        let val count = Int.min (0x10000, n - at)
        in
          ignore (checked (file, copy (map, from + at, array, first + at, count)));
          if at + count < n then go (at + count) else ()
        end
    in
      if from < 0 orelse from > size file - n then raise Subscript else go 0
    end
  fun readChars file from to = pieces Map.loadChars (file, from, to)
  fun readWord8s file from to = pieces Map.loadBytes (file, from, to)
  fun writeChar {file = file as FILE (map, _), file_offset} c = ignore (checked (file, Map.set (map, file_offset, Char.ord c)))
  fun writeWord8s {file, file_offset} from = pieces Map.storeBytes (file, file_offset, from)
end
