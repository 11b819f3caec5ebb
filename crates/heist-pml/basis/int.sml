(* Integers of fixed size. *)

signature INTEGER =
sig
  eqtype int
  val toLarge : int -> Core.intinf
  val fromLarge : Core.intinf -> int
  val toInt : int -> Core.int
  val fromInt : Core.int -> int
  val precision : Core.int option
  val minInt : int option
  val maxInt : int option
  val + : int * int -> int
  val - : int * int -> int
  val * : int * int -> int
  val div : int * int -> int
  val mod : int * int -> int
  val quot : int * int -> int
  val rem : int * int -> int
  val compare : int * int -> order
  val < : int * int -> bool
  val <= : int * int -> bool
  val > : int * int -> bool
  val >= : int * int -> bool
  val ~ : int -> int
  val abs : int -> int
  val min : int * int -> int
  val max : int * int -> int
  val sign : int -> Core.int
  val sameSign : int * int -> bool
  val fmt : StringCvt.radix -> int -> string
  val toString : int -> string
  val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (int, 'a) StringCvt.reader
  val fromString : string -> int option
end

(* Digits: the functions that numbers of all sizes share. *)
structure Digits =
struct
  fun base StringCvt.BIN = 2
    | base StringCvt.OCT = 8
    | base StringCvt.DEC = 10
    | base StringCvt.HEX = 16

  (* Returns 99 if the character is not a digit. *)
  fun value c =
    if c >= #"0" andalso c <= #"9" then Core.Int.sub (ord c, 48)
    else if c >= #"a" andalso c <= #"f" then Core.Int.sub (ord c, 87)
    else if c >= #"A" andalso c <= #"F" then Core.Int.sub (ord c, 55)
    else 99

  fun char i = Core.Char.chr (if i < 10 then Core.Int.add (i, 48) else Core.Int.add (i, 55))

  fun startsDigit (base, getc, cs) =
    case getc cs of
      SOME (c, _) => value c < base
    | NONE => false

  (* Skips a sign, if there is one. Returns whether the sign is a minus. *)
  fun sign (getc, cs) =
    case getc cs of
      SOME (#"~", rest) => (true, rest)
    | SOME (#"-", rest) => (true, rest)
    | SOME (#"+", rest) => (false, rest)
    | _ => (false, cs)

  (* Skips one character, which must be `a` or `b`. *)
  fun past (a, b, getc, cs) =
    case getc cs of
      SOME (c, rest) => if c = a orelse c = b then SOME rest else NONE
    | NONE => NONE

  (* Skips `0x` if a digit follows. *)
  fun hexPrefix (getc, cs) =
    case past (#"0", #"0", getc, cs) of
      NONE => cs
    | SOME afterZero =>
        case past (#"x", #"X", getc, afterZero) of
          NONE => cs
        | SOME rest => if startsDigit (16, getc, rest) then rest else cs

  (* Skips `0w` if a digit follows. For hexadecimal numbers, also skips `0wx` and `0x`. *)
  fun wordPrefix (base, getc, cs) =
    case past (#"0", #"0", getc, cs) of
      NONE => cs
    | SOME afterZero =>
        if base = 16 then
          case past (#"w", #"w", getc, afterZero) of
            NONE => hexPrefix (getc, cs)
          | SOME afterW =>
              (case past (#"x", #"X", getc, afterW) of
                 NONE => cs
               | SOME rest => if startsDigit (16, getc, rest) then rest else cs)
        else
          case past (#"w", #"w", getc, afterZero) of
            NONE => cs
          | SOME rest => if startsDigit (base, getc, rest) then rest else cs

  (* Returns the text of a word in a base, with a minus if `negative`. *)
  fun fmtWord (w, base, negative) =
    let
      fun count (w, n) = if w < base then n else count (w div base, Core.Int.add (n, 1))
      val n = count (w, if negative then 2 else 1)
      val bytes = Core.Bytes.new n
      fun fill (w, i) =
        let
          val rest = w div base
          val digit = Core.Word.toIntX (w - rest * base)
        in
          Core.Bytes.setChar (bytes, i, char digit);
          if rest = 0w0 then () else fill (rest, Core.Int.sub (i, 1))
        end
    in
      if negative then Core.Bytes.setChar (bytes, 0, #"~") else ();
      fill (w, n - 1);
      Core.Bytes.freeze bytes
    end

  (* As `fmtWord` in base 10. The division is faster, because the divisor is a constant. *)
  fun decimalWord (w, negative) =
    let
      fun count (w, n) = if w < 0w10 then n else count (w div 0w10, Core.Int.add (n, 1))
      val n = count (w, if negative then 2 else 1)
      val bytes = Core.Bytes.new n
      fun fill (w, i) =
        let
          val rest = w div 0w10
          val digit = Core.Word.toIntX (w - rest * 0w10)
        in
          Core.Bytes.setChar (bytes, i, Core.Char.chr (Core.Int.add (digit, 48)));
          if rest = 0w0 then () else fill (rest, Core.Int.sub (i, 1))
        end
    in
      if negative then Core.Bytes.setChar (bytes, 0, #"~") else ();
      fill (w, n - 1);
      Core.Bytes.freeze bytes
    end
end

structure Int : INTEGER =
struct
  type int = int
  fun toInt (i : int) = i
  fun fromInt (i : int) = i
  val toLarge = Core.IntInf.fromInt
  val fromLarge = Core.IntInf.toInt
  val precision = SOME Core.Int.precision
  val minInt = SOME Core.Int.minInt
  val maxInt = SOME Core.Int.maxInt
  val quot = Core.Int.quot
  val rem = Core.Int.rem
  fun compare (a : int, b) = if a < b then LESS else if a = b then EQUAL else GREATER
  fun min (a : int, b) = if a < b then a else b
  fun max (a : int, b) = if a > b then a else b
  fun sign (i : int) = if i < 0 then ~1 else if i = 0 then 0 else 1
  fun sameSign (a, b) = sign a = sign b

  (* Returns the magnitude as a word, which can represent the magnitude of the smallest int as well. *)
  fun magnitude i = if i < 0 then ~ (Core.Int.toWord i) else Core.Int.toWord i

  fun toString i = Digits.decimalWord (magnitude i, i < 0)
  fun fmt StringCvt.DEC i = toString i
    | fmt radix i = Digits.fmtWord (magnitude i, Core.Int.toWord (Digits.base radix), i < 0)

  (* Computes the value as a negative number, because the smallest int has no positive counterpart. *)
  fun scan radix getc cs =
    let
      val base = Digits.base radix
      val (negative, cs) = Digits.sign (getc, StringCvt.skipWS getc cs)
      val cs = if base = 16 then Digits.hexPrefix (getc, cs) else cs
      fun go (n, cs) =
        let fun done () = SOME (if negative then n else ~ n, cs)
        in
          case getc cs of
            NONE => done ()
          | SOME (c, rest) =>
              let val digit = Digits.value c
              in if digit < base then go (n * base - digit, rest) else done ()
              end
        end
    in
      if Digits.startsDigit (base, getc, cs) then go (0, cs) else NONE
    end

  fun fromString s = StringCvt.scanString (scan StringCvt.DEC) s

  val op + = Core.Int.+
  val op - = Core.Int.-
  val op * = Core.Int.*
  val op div = Core.Int.div
  val op mod = Core.Int.mod
  val op < = Core.Int.<
  val op <= = Core.Int.<=
  val op > = Core.Int.>
  val op >= = Core.Int.>=
  val ~ = Core.Int.~
  val abs = Core.Int.abs
end

(* Computes the operations of a small type on ints, and then checks the range of the result. *)
functor SmallInt
  (type int
   val toInt : int -> Core.int
   val fromInt : Core.int -> int
   val precision : Core.int) =
struct
  type int = int
  val toInt = toInt
  val fromInt = fromInt
  fun toLarge i = Core.IntInf.fromInt (toInt i)
  fun fromLarge i = fromInt (Core.IntInf.toInt i)
  val maxInt = SOME (fromInt (Core.Word.toIntX (Core.Word.shl (0w1, Core.Int.toWord (precision - 1)) - 0w1)))
  val minInt = SOME (fromInt (~ (toInt (valOf maxInt)) - 1))
  val precision = SOME precision
  fun compare (a, b) = Int.compare (toInt a, toInt b)
  fun min (a, b) = if toInt a < toInt b then a else b
  fun max (a, b) = if toInt a > toInt b then a else b
  fun sign i = Int.sign (toInt i)
  fun sameSign (a, b) = sign a = sign b
  fun fmt radix i = Int.fmt radix (toInt i)
  fun toString i = Int.toString (toInt i)
  fun scan radix getc cs =
    case Int.scan radix getc cs of
      NONE => NONE
    | SOME (i, rest) => SOME (fromInt i, rest)
  fun fromString s = StringCvt.scanString (scan StringCvt.DEC) s
end

structure Int8 : INTEGER =
struct
  structure Small = SmallInt (open Core.Int8 type int = Core.int8)
  open Core.Int8 Small
end

structure Int16 : INTEGER =
struct
  structure Small = SmallInt (open Core.Int16 type int = Core.int16)
  open Core.Int16 Small
end

structure Int32 : INTEGER =
struct
  structure Small = SmallInt (open Core.Int32 type int = Core.int32)
  open Core.Int32 Small
end

structure Int64 = Int
structure FixedInt = Int
structure Position = Int
