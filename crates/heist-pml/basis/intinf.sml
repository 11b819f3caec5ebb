(* Integers of unlimited size. *)

signature INT_INF =
sig
  include INTEGER
  val divMod : int * int -> int * int
  val quotRem : int * int -> int * int
  val pow : int * Core.int -> int
  val log2 : int -> Core.int
  val orb : int * int -> int
  val xorb : int * int -> int
  val andb : int * int -> int
  val notb : int -> int
  val << : int * Core.word -> int
  val ~>> : int * Core.word -> int
end

structure IntInf : INT_INF =
struct
  type int = Core.intinf
  fun toLarge (i : int) = i
  fun fromLarge (i : int) = i
  val toInt = Core.IntInf.toInt
  val fromInt = Core.IntInf.fromInt
  val precision = NONE
  val minInt = NONE
  val maxInt = NONE
  val quot = Core.IntInf.quot
  val rem = Core.IntInf.rem
  fun compare (a : int, b) = Int.compare (Core.IntInf.order (a, b), 0)
  fun min (a : int, b) = if a < b then a else b
  fun max (a : int, b) = if a > b then a else b
  fun sign (i : int) = Int.sign (Core.IntInf.order (i, 0))
  fun sameSign (a, b) = sign a = sign b
  fun divMod (a : int, b) = (a div b, a mod b)
  fun quotRem (a, b) = (quot (a, b), rem (a, b))

  fun pow (a, n) =
    if n > 0 then Core.IntInf.pow (a, n)
    else if n = 0 then 1
    else if a = 0 then raise Div
    else if a = 1 then 1
    else if a = ~1 then if n mod 2 = 0 then 1 else ~1
    else 0

  fun log2 a = if a <= 0 then raise Domain else Core.IntInf.log2 a
  val andb = Core.IntInf.andb
  val orb = Core.IntInf.orb
  val xorb = Core.IntInf.xorb
  fun notb (a : int) = ~ (a + 1)
  val << = Core.IntInf.shl
  val ~>> = Core.IntInf.sar

  fun fmt radix i = Core.IntInf.fmt (i, Digits.base radix)
  fun toString i = Core.IntInf.fmt (i, 10)

  fun scan radix getc cs =
    let
      val base = Digits.base radix
      val (negative, cs) = Digits.sign (getc, StringCvt.skipWS getc cs)
      val cs = if base = 16 then Digits.hexPrefix (getc, cs) else cs
      val (digits, rest) = StringCvt.splitl (fn c => Digits.value c < base) getc cs
    in
      if Core.String.size digits = 0 then NONE
      else
        let val i = Core.IntInf.parse (digits, base)
        in SOME (if negative then ~ i else i, rest)
        end
    end

  fun fromString s = StringCvt.scanString (scan StringCvt.DEC) s

  val op + = Core.IntInf.+
  val op - = Core.IntInf.-
  val op * = Core.IntInf.*
  val op div = Core.IntInf.div
  val op mod = Core.IntInf.mod
  val op < = Core.IntInf.<
  val op <= = Core.IntInf.<=
  val op > = Core.IntInf.>
  val op >= = Core.IntInf.>=
  val ~ = Core.IntInf.~
  val abs = Core.IntInf.abs
end

structure LargeInt = IntInf
