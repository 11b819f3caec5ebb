(* Substrings, which are slices of strings, and Byte. *)

signature SUBSTRING =
sig
  type substring
  type char
  type string
  val sub : substring * int -> char
  val size : substring -> int
  val base : substring -> string * int * int
  val extract : string * int * int option -> substring
  val substring : string * int * int -> substring
  val full : string -> substring
  val string : substring -> string
  val isEmpty : substring -> bool
  val getc : substring -> (char * substring) option
  val first : substring -> char option
  val triml : int -> substring -> substring
  val trimr : int -> substring -> substring
  val slice : substring * int * int option -> substring
  val concat : substring list -> string
  val concatWith : string -> substring list -> string
  val explode : substring -> char list
  val isPrefix : string -> substring -> bool
  val isSubstring : string -> substring -> bool
  val isSuffix : string -> substring -> bool
  val compare : substring * substring -> order
  val collate : (char * char -> order) -> substring * substring -> order
  val splitl : (char -> bool) -> substring -> substring * substring
  val splitr : (char -> bool) -> substring -> substring * substring
  val splitAt : substring * int -> substring * substring
  val dropl : (char -> bool) -> substring -> substring
  val dropr : (char -> bool) -> substring -> substring
  val takel : (char -> bool) -> substring -> substring
  val taker : (char -> bool) -> substring -> substring
  val position : string -> substring -> substring * substring
  val span : substring * substring -> substring
  val translate : (char -> string) -> substring -> string
  val tokens : (char -> bool) -> substring -> substring list
  val fields : (char -> bool) -> substring -> substring list
  val app : (char -> unit) -> substring -> unit
  val foldl : (char * 'a -> 'a) -> 'a -> substring -> 'a
  val foldr : (char * 'a -> 'a) -> 'a -> substring -> 'a
end

structure Substring : SUBSTRING =
struct
  structure Slice = CharSequences.VectorSlice
  datatype slice = datatype Slice.slice
  type substring = CharVectorSlice.slice
  type char = char
  type string = string

  val sub = Slice.sub
  val size = Slice.length
  val base = Slice.base
  val extract = Slice.slice
  fun substring (s, i, n) = Slice.slice (s, i, SOME n)
  val full = Slice.full
  val string = Slice.vector
  val isEmpty = Slice.isEmpty
  val getc = Slice.getItem
  fun first (Slice (s, i, n)) = if n = 0 then NONE else SOME (Core.String.sub (s, i))

  (* If the number is negative, these functions raise Subscript at once, and not when the result is applied. *)
  fun triml k =
    if k < 0 then raise Subscript
    else fn Slice (s, i, n) => if k > n then Slice (s, i + n, 0) else Slice (s, i + k, n - k)
  fun trimr k =
    if k < 0 then raise Subscript
    else fn Slice (s, i, n) => if k > n then Slice (s, i, 0) else Slice (s, i, n - k)

  val slice = Slice.subslice
  val concat = Slice.concat
  fun concatWith between l = String.concatWith between (List.map string l)

  fun explode (Slice (s, i, n)) =
    let fun go (j, l) = if j < i then l else go (j - 1, Core.String.sub (s, j) :: l)
    in go (i + n - 1, nil)
    end

  fun isPrefix a (Slice (s, i, n)) = String.size a <= n andalso String.matchesAt (a, s, i)
  fun isSuffix a (Slice (s, i, n)) =
    String.size a <= n andalso String.matchesAt (a, s, i + n - String.size a)

  (* Returns the first position of `a` in the slice, or the end of the slice if it does not contain `a`. *)
  fun find (a, s, i, n) =
    let
      val last = i + n - String.size a
      fun go at = if at > last then i + n else if String.matchesAt (a, s, at) then at else go (at + 1)
    in
      go i
    end
  fun isSubstring a (Slice (s, i, n)) =
    String.size a = 0 orelse find (a, s, i, n) < i + n
  fun position a (Slice (s, i, n)) =
    let val at = find (a, s, i, n)
    in (Slice (s, i, at - i), Slice (s, at, i + n - at))
    end

  val collate = Slice.collate
  fun compare (a, b) = collate Char.compare (a, b)

  (* Return the end of the longest prefix or suffix in which `f` accepts all characters. *)
  fun prefix (f, s, i, n) =
    let
      val stop = i + n
      fun go j = if j < stop andalso f (Core.String.sub (s, j)) then go (j + 1) else j
    in
      go i
    end
  fun suffix (f, s, i, n) =
    let fun go j = if j > i andalso f (Core.String.sub (s, j - 1)) then go (j - 1) else j
    in go (i + n)
    end

  fun splitl f (Slice (s, i, n)) =
    let val at = prefix (f, s, i, n)
    in (Slice (s, i, at - i), Slice (s, at, i + n - at))
    end
  fun splitr f (Slice (s, i, n)) =
    let val at = suffix (f, s, i, n)
    in (Slice (s, i, at - i), Slice (s, at, i + n - at))
    end
  fun splitAt (Slice (s, i, n), k) =
    if k < 0 orelse k > n then raise Subscript else (Slice (s, i, k), Slice (s, i + k, n - k))
  fun dropl f s = #2 (splitl f s)
  fun takel f s = #1 (splitl f s)
  fun dropr f s = #1 (splitr f s)
  fun taker f s = #2 (splitr f s)

  fun span (Slice (s, i, _), Slice (s', i', n')) =
    if s = s' andalso i <= i' + n' then Slice (s, i, i' + n' - i) else raise Span

  fun translate f slice = String.concat (List.map f (explode slice))

  fun fields f (Slice (s, from, n)) =
    let
      fun go (i, stop, l) =
        if i < from then Slice (s, from, stop - from) :: l
        else if f (Core.String.sub (s, i)) then go (i - 1, i, Slice (s, i + 1, stop - i - 1) :: l)
        else go (i - 1, stop, l)
    in
      go (from + n - 1, from + n, nil)
    end
  fun tokens f s = List.filter (not o isEmpty) (fields f s)

  val app = Slice.app
  val foldl = Slice.foldl
  val foldr = Slice.foldr
end

signature BYTE =
sig
  val byteToChar : Core.word8 -> char
  val charToByte : char -> Core.word8
  val bytesToString : Word8Vector.vector -> string
  val stringToBytes : string -> Word8Vector.vector
  val unpackStringVec : Word8VectorSlice.slice -> string
  val unpackString : Word8ArraySlice.slice -> string
  val packString : Word8Array.array * int * Substring.substring -> unit
end

structure Byte : BYTE =
struct
  val byteToChar = Core.Char.fromByte
  val charToByte = Core.Char.toByte
  val bytesToString = Core.ByteVector.toString
  val stringToBytes = Core.ByteVector.ofString
  fun unpackStringVec slice = bytesToString (Word8VectorSlice.vector slice)
  fun unpackString slice = bytesToString (Word8ArraySlice.vector slice)
  fun packString (array, i, s) =
    Word8Array.copyVec {src = stringToBytes (Substring.string s), dst = array, di = i}
end

type substring = Substring.substring
