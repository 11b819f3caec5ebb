(* Strings. *)

signature STRING =
sig
  eqtype string
  eqtype char
  val maxSize : int
  val size : string -> int
  val sub : string * int -> char
  val extract : string * int * int option -> string
  val substring : string * int * int -> string
  val ^ : string * string -> string
  val concat : string list -> string
  val concatWith : string -> string list -> string
  val str : char -> string
  val implode : char list -> string
  val explode : string -> char list
  val map : (char -> char) -> string -> string
  val translate : (char -> string) -> string -> string
  val tokens : (char -> bool) -> string -> string list
  val fields : (char -> bool) -> string -> string list
  val isPrefix : string -> string -> bool
  val isSubstring : string -> string -> bool
  val isSuffix : string -> string -> bool
  val compare : string * string -> order
  val collate : (char * char -> order) -> string * string -> order
  val < : string * string -> bool
  val <= : string * string -> bool
  val > : string * string -> bool
  val >= : string * string -> bool
  val toString : string -> string
  val scan : (char, 'a) StringCvt.reader -> (string, 'a) StringCvt.reader
  val fromString : string -> string option
  val toCString : string -> string
  val fromCString : string -> string option
end

structure String : sig
  include STRING
  val matchesAt : string * string * int -> bool
end =
struct
  type string = string
  type char = char
  val maxSize = Core.String.maxSize
  val size = Core.String.size
  val unsafeSub = Core.String.sub
  val op ^ = Core.String.append
  val str = Chars.str
  val implode = Chars.implode

  fun sub (s, i) = if Core.Int.within (i, size s) then unsafeSub (s, i) else raise Subscript
  fun extract (s, i, n) = Chars.substring (s, i, Range.check (size s, i, n))
  fun substring (s, i, n) = Chars.substring (s, i, Range.check (size s, i, SOME n))

  fun concat l =
    let
      fun count (nil, n) = n
        | count (s :: rest, n) = count (rest, n + size s)
      val n = count (l, 0)
      val bytes = if n > maxSize then raise Size else Core.Bytes.new n
      fun fill (nil, _) = ()
        | fill (s :: rest, at) =
            let val n = size s
            in Core.Bytes.copyString (s, 0, bytes, at, n); fill (rest, Core.Int.add (at, n))
            end
    in
      fill (l, 0);
      Core.Bytes.freeze bytes
    end

  fun concatWith between l =
    let
      fun go nil = nil
        | go (s :: rest) = between :: s :: go rest
    in
      case l of
        nil => ""
      | s :: rest => concat (s :: go rest)
    end

  fun explode s =
    let fun go (i, l) = if i < 0 then l else go (Core.Int.sub (i, 1), unsafeSub (s, i) :: l)
    in go (size s - 1, nil)
    end

  fun map f s = Chars.make (size s, fn i => f (unsafeSub (s, i)))

  fun translate f s =
    let
      val n = size s
      fun go i = if i >= n then nil else f (unsafeSub (s, i)) :: go (Core.Int.add (i, 1))
    in
      concat (go 0)
    end

  (* Both functions search from the end, so that they build the list in order. *)
  fun fields f s =
    let
      fun go (i, stop, l) =
        if i < 0 then Chars.substring (s, 0, stop) :: l
        else if f (unsafeSub (s, i)) then go (i - 1, i, Chars.substring (s, i + 1, stop - i - 1) :: l)
        else go (i - 1, stop, l)
      val n = size s
    in
      go (n - 1, n, nil)
    end

  fun tokens f s =
    let
      fun add (from, stop, l) = if from = stop then l else Chars.substring (s, from, stop - from) :: l
      fun go (i, stop, l) =
        if i < 0 then add (0, stop, l)
        else if f (unsafeSub (s, i)) then go (i - 1, i, add (i + 1, stop, l))
        else go (i - 1, stop, l)
      val n = size s
    in
      go (n - 1, n, nil)
    end

  (* Returns true if `a` is in `b` at position `at`. The caller must ensure that `b` has room for `a` there. *)
  fun matchesAt (a, b, at) =
    let
      val n = size a
      fun go i = i >= n orelse (unsafeSub (a, i) = unsafeSub (b, Core.Int.add (at, i)) andalso go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun isPrefix a b = size a <= size b andalso matchesAt (a, b, 0)
  fun isSuffix a b = size a <= size b andalso matchesAt (a, b, size b - size a)
  fun isSubstring a b =
    let
      val last = size b - size a
      fun go at = at <= last andalso (matchesAt (a, b, at) orelse go (Core.Int.add (at, 1)))
    in
      go 0
    end

  fun compare (a, b) =
    let val order = Core.String.order (a, b)
    in if order < 0 then LESS else if order = 0 then EQUAL else GREATER
    end

  fun collate f (a, b) =
    let
      val m = size a
      val n = size b
      fun go i =
        if i >= m then if i >= n then EQUAL else LESS
        else if i >= n then GREATER
        else
          case f (unsafeSub (a, i), unsafeSub (b, i)) of
            EQUAL => go (Core.Int.add (i, 1))
          | other => other
    in
      go 0
    end

  fun toString s = translate Char.toString s
  fun toCString s = translate Char.toCString s

  (* Returns the characters before the first text that is not a character, or NONE if the stream begins with such a text. *)
  fun scanWith scanChar skip getc cs =
    let
      fun go (cs, taken) =
        case scanChar cs of
          SOME (c, rest) => go (rest, c :: taken)
        | NONE => SOME (Chars.implodeRev taken, getOpt (skip cs, cs))
    in
      case scanChar cs of
        SOME (c, rest) => go (rest, [c])
      | NONE =>
          case getc cs of
            NONE => SOME ("", cs)
          | SOME _ =>
              case skip cs of
                NONE => NONE
              | SOME rest => SOME ("", rest)
    end

  fun scan getc cs = scanWith (Char.scan getc) (Char.scanGap getc) getc cs
  fun fromString s = StringCvt.scanString scan s
  fun fromCString s =
    StringCvt.scanString (fn getc => scanWith (Char.scanC getc) (fn _ => NONE) getc) s

  val op < = Core.String.<
  val op <= = Core.String.<=
  val op > = Core.String.>
  val op >= = Core.String.>=
end

val op ^ = String.^
val size = String.size
val str = String.str
val concat = String.concat
val implode = String.implode
val explode = String.explode
val substring = String.substring
