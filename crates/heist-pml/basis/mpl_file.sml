(* MPL.File: files in memory, which many strands read and write at once. *)

signature MPL_FILE =
sig
  type t
  exception Closed
  (* A file that was opened to be read is written. *)
  exception WrongFilePermission
  (* Of a pipe, or a file that the system makes up (/proc), all that there is to read. *)
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
    (* The address of a map, or an error's number, negated. *)
    val openMap = _prim "rt.Map.open" : string * int -> int
    (* All others get references to such an address. *)
    val close = _prim "rt.Map.close" : int ref -> int
    val size = _prim "rt.Map.size" : int ref -> int
    val get = _prim "rt.Map.get" : int ref * int -> int
    val set = _prim "rt.Map.set" : int ref * int * int -> int
    val loadChars = _prim "rt.Map.load" : int ref * int * char array * int * int -> int
    val loadBytes = _prim "rt.Map.load" : int ref * int * Word8.word array * int * int -> int
    val storeBytes = _prim "rt.Map.store" : int ref * int * Word8.word array * int * int -> int
  end

  (* The address of the map, which is 0 after it was closed. Only functions of `Map` look at it. *)
  type t = int ref

  fun checked result =
    if result >= 0 then result
    else raise (case result of ~1 => Closed | ~2 => Subscript | _ => WrongFilePermission)
  fun fail number = raise OS.SysErr (OS.errorMsg number, SOME number)

  fun opened (name, more) =
    case Map.openMap (name, more) of
      address => if address < 0 then fail (~ address) else ref address
  fun size file = checked (Map.size file)
  fun openFile name = opened (name, ~1)
  fun openFileWriteable name more =
    if more < 0 then raise Size
    else
      let val file = opened (name, more)
      in {file = file, file_size = size file - more}
      end
  fun closeFile file =
    case Map.close file of
      0 => ()
    | 1 => raise Closed
    | error => fail (~ error)

  fun readChar file i = Char.chr (checked (Map.get (file, i)))
  fun readWord8 file i = Word8.fromInt (checked (Map.get (file, i)))
  (* Checked, too. *)
  val unsafeReadChar = readChar
  val unsafeReadWord8 = readWord8

  (* Copies in pieces, between which the worker can be stopped: the disk may be slow. Nothing is copied unless the map has the range. *)
  fun pieces copy (file, from, slice) =
    let
      val (array, first, n) = ArraySlice.base slice
      fun go at =
        let val count = Int.min (0x10000, n - at)
        in
          ignore (checked (copy (file, from + at, array, first + at, count)));
          if at + count < n then go (at + count) else ()
        end
    in
      if from < 0 orelse from > size file - n then raise Subscript else go 0
    end
  fun readChars file from to = pieces Map.loadChars (file, from, to)
  fun readWord8s file from to = pieces Map.loadBytes (file, from, to)
  fun writeChar {file, file_offset} c = ignore (checked (Map.set (file, file_offset, Char.ord c)))
  fun writeWord8s {file, file_offset} from = pieces Map.storeBytes (file, file_offset, from)
end
