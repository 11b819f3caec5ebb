(* Words. *)

signature WORD =
sig
  eqtype word
  val wordSize : int
  val toLarge : word -> Core.word
  val toLargeX : word -> Core.word
  val toLargeWord : word -> Core.word
  val toLargeWordX : word -> Core.word
  val fromLarge : Core.word -> word
  val fromLargeWord : Core.word -> word
  val toLargeInt : word -> Core.intinf
  val toLargeIntX : word -> Core.intinf
  val fromLargeInt : Core.intinf -> word
  val toInt : word -> int
  val toIntX : word -> int
  val fromInt : int -> word
  val andb : word * word -> word
  val orb : word * word -> word
  val xorb : word * word -> word
  val notb : word -> word
  val << : word * Core.word -> word
  val >> : word * Core.word -> word
  val ~>> : word * Core.word -> word
  val + : word * word -> word
  val - : word * word -> word
  val * : word * word -> word
  val div : word * word -> word
  val mod : word * word -> word
  val compare : word * word -> order
  val < : word * word -> bool
  val <= : word * word -> bool
  val > : word * word -> bool
  val >= : word * word -> bool
  val ~ : word -> word
  val min : word * word -> word
  val max : word * word -> word
  val fmt : StringCvt.radix -> word -> string
  val toString : word -> string
  val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (word, 'a) StringCvt.reader
  val fromString : string -> word option
end

structure Word : WORD =
struct
  type word = word
  val wordSize = Core.Word.wordSize
  fun toLarge (w : word) = w
  fun toLargeX (w : word) = w
  fun toLargeWord (w : word) = w
  fun toLargeWordX (w : word) = w
  fun fromLarge (w : word) = w
  fun fromLargeWord (w : word) = w
  val toLargeInt = Core.IntInf.fromWord
  fun toLargeIntX w = Core.IntInf.fromInt (Core.Word.toIntX w)
  val fromLargeInt = Core.IntInf.toWord
  val toIntX = Core.Word.toIntX
  fun toInt w =
    let val i = toIntX w
    in if i < 0 then raise Overflow else i
    end
  val fromInt = Core.Int.toWord
  val andb = Core.Word.andb
  val orb = Core.Word.orb
  val xorb = Core.Word.xorb
  val notb = Core.Word.notb
  val << = Core.Word.shl
  val >> = Core.Word.shr
  val ~>> = Core.Word.sar
  fun compare (a : word, b) = if a < b then LESS else if a = b then EQUAL else GREATER
  fun min (a : word, b) = if a < b then a else b
  fun max (a : word, b) = if a > b then a else b
  fun fmt StringCvt.DEC w = Digits.decimalWord (w, false)
    | fmt radix w = Digits.fmtWord (w, fromInt (Digits.base radix), false)
  fun toString w = Digits.fmtWord (w, 0w16, false)

  fun scan radix getc cs =
    let
      val base = Digits.base radix
      val wideBase = fromInt base
      val cs = Digits.wordPrefix (base, getc, StringCvt.skipWS getc cs)
      fun go (n, cs) =
        case getc cs of
          NONE => SOME (n, cs)
        | SOME (c, rest) =>
            let val digit = Digits.value c
            in
              if digit >= base then SOME (n, cs)
              else if n > (notb 0w0 - fromInt digit) div wideBase then raise Overflow
              else go (n * wideBase + fromInt digit, rest)
            end
    in
      if Digits.startsDigit (base, getc, cs) then go (0w0, cs) else NONE
    end
  fun fromString s = StringCvt.scanString (scan StringCvt.HEX) s

  val op + = Core.Word.+
  val op - = Core.Word.-
  val op * = Core.Word.*
  val op div = Core.Word.div
  val op mod = Core.Word.mod
  val op < = Core.Word.<
  val op <= = Core.Word.<=
  val op > = Core.Word.>
  val op >= = Core.Word.>=
  val ~ = Core.Word.~
end

functor SmallWord
  (type word
   val toWord : word -> Core.word
   val fromWord : Core.word -> word
   val signed : word -> Core.word
   val wordSize : int) =
struct
  type word = word
  val wordSize = wordSize
  val toLarge = toWord
  val toLargeX = signed
  val toLargeWord = toWord
  val toLargeWordX = signed
  val fromLarge = fromWord
  val fromLargeWord = fromWord
  fun toLargeInt w = Core.IntInf.fromWord (toWord w)
  fun toLargeIntX w = Core.IntInf.fromInt (Core.Word.toIntX (signed w))
  fun fromLargeInt i = fromWord (Core.IntInf.toWord i)
  fun toInt w = Core.Word.toIntX (toWord w)
  fun toIntX w = Core.Word.toIntX (signed w)
  fun fromInt i = fromWord (Core.Int.toWord i)
  fun andb (a, b) = fromWord (Core.Word.andb (toWord a, toWord b))
  fun orb (a, b) = fromWord (Core.Word.orb (toWord a, toWord b))
  fun xorb (a, b) = fromWord (Core.Word.xorb (toWord a, toWord b))
  fun notb a = fromWord (Core.Word.notb (toWord a))
  fun << (a, n) = fromWord (Core.Word.shl (toWord a, n))
  fun >> (a, n) = fromWord (Core.Word.shr (toWord a, n))
  fun ~>> (a, n) = fromWord (Core.Word.sar (signed a, n))
  fun compare (a, b) = Word.compare (toWord a, toWord b)
  fun min (a, b) = if toWord a < toWord b then a else b
  fun max (a, b) = if toWord a > toWord b then a else b
  fun fmt radix w = Word.fmt radix (toWord w)
  fun toString w = Word.toString (toWord w)
  fun scan radix getc cs =
    case Word.scan radix getc cs of
      NONE => NONE
    | SOME (w, rest) => if toWord (fromWord w) = w then SOME (fromWord w, rest) else raise Overflow
  fun fromString s = StringCvt.scanString (scan StringCvt.HEX) s
end

structure Word8 : WORD =
struct
  structure Small = SmallWord (open Core.Word8 type word = Core.word8)
  open Core.Word8 Small
end

structure Word16 : WORD =
struct
  structure Small = SmallWord (open Core.Word16 type word = Core.word16)
  open Core.Word16 Small
end

structure Word32 : WORD =
struct
  structure Small = SmallWord (open Core.Word32 type word = Core.word32)
  open Core.Word32 Small
end

structure Word64 = Word
structure LargeWord = Word
structure SysWord = Word
