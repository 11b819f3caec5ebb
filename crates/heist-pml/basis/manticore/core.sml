(* The types of Manticore's Parallel ML, and its operators: ints of 32 bits and longs of 64 bits, which wrap round, floats and doubles.
   This file comes after the standard Basis, whose functions on 64-bit ints `top.sml` wraps. *)

structure Machine =
struct
  type int = Prim.wrap32
  type long = Prim.wrap64
  type float = Prim.float
  type double = Prim.real
  type wide = Core.int

  structure Int =
  struct
    val toWide = _prim "cast" : int -> wide
    (* Returns the low 32 bits. *)
    val ofWide = _prim "Word.sign32" : wide -> int
    val ofWord = _prim "Word.sign32" : word -> int
    val add = _prim "Word.add" : int * int -> word
    val sub = _prim "Word.sub" : int * int -> word
    val mul = _prim "Word.mul" : int * int -> word
    val quot = _prim "Wrap.quot" : int * int -> word
    val rem = _prim "Wrap.rem" : int * int -> word
    fun a + b = ofWord (add (a, b))
    fun a - b = ofWord (sub (a, b))
    fun a * b = ofWord (mul (a, b))
    fun a div b = ofWord (quot (a, b))
    fun a mod b = ofWord (rem (a, b))
    fun ~ a = ofWord (sub (0, a))
    val op < = _prim "Int.lt" : int * int -> bool
    val op <= = _prim "Int.le" : int * int -> bool
    val op > = _prim "Int.gt" : int * int -> bool
    val op >= = _prim "Int.ge" : int * int -> bool
    fun abs a = if a < 0 then ~ a else a
  end

  structure Long =
  struct
    val toWide = _prim "cast" : long -> wide
    val ofWide = _prim "cast" : wide -> long
    val op + = _prim "Word.add" : long * long -> long
    val op - = _prim "Word.sub" : long * long -> long
    val op * = _prim "Word.mul" : long * long -> long
    val op div = _prim "Wrap.quot" : long * long -> long
    val op mod = _prim "Wrap.rem" : long * long -> long
    fun ~ a = op - (0, a)
    val op < = _prim "Int.lt" : long * long -> bool
    val op <= = _prim "Int.le" : long * long -> bool
    val op > = _prim "Int.gt" : long * long -> bool
    val op >= = _prim "Int.ge" : long * long -> bool
    fun abs a = if a < 0 then ~ a else a
  end

  structure Float =
  struct
    val toDouble = _prim "cast" : float -> double
    val ofDouble = _prim "Real.toSingle" : double -> float
    fun a + b = ofDouble (Core.Real.+ (toDouble a, toDouble b))
    fun a - b = ofDouble (Core.Real.- (toDouble a, toDouble b))
    fun a * b = ofDouble (Core.Real.* (toDouble a, toDouble b))
    fun a / b = ofDouble (Core.Real./ (toDouble a, toDouble b))
    val ~ = _prim "Real.neg" : float -> float
    val abs = _prim "Real.abs" : float -> float
    val op < = _prim "Real.lt" : float * float -> bool
    val op <= = _prim "Real.le" : float * float -> bool
    val op > = _prim "Real.gt" : float * float -> bool
    val op >= = _prim "Real.ge" : float * float -> bool
    val == = _prim "Real.eq" : float * float -> bool
  end
end

type int = Machine.int
type long = Machine.long
type float = Machine.float
type double = Machine.double

_overload + : 'a * 'a -> 'a as Machine.Int.+ and Machine.Long.+ and Core.Real.+ and Machine.Float.+ and Core.Word.+
  and Core.Int.+ and Core.IntInf.+
_overload - : 'a * 'a -> 'a as Machine.Int.- and Machine.Long.- and Core.Real.- and Machine.Float.- and Core.Word.-
  and Core.Int.- and Core.IntInf.-
_overload * : 'a * 'a -> 'a as Machine.Int.* and Machine.Long.* and Core.Real.* and Machine.Float.* and Core.Word.*
  and Core.Int.* and Core.IntInf.*
_overload / : 'a * 'a -> 'a as Core.Real./ and Machine.Float./
_overload div : 'a * 'a -> 'a as Machine.Int.div and Machine.Long.div and Core.Word.div and Core.Int.div and Core.IntInf.div
_overload mod : 'a * 'a -> 'a as Machine.Int.mod and Machine.Long.mod and Core.Word.mod and Core.Int.mod and Core.IntInf.mod
_overload ~ : 'a -> 'a as Machine.Int.~ and Machine.Long.~ and Core.Real.~ and Machine.Float.~ and Core.Word.~ and Core.Int.~
  and Core.IntInf.~
_overload abs : 'a -> 'a as Machine.Int.abs and Machine.Long.abs and Core.Real.abs and Machine.Float.abs and Core.Int.abs
  and Core.IntInf.abs
_overload < : 'a * 'a -> bool as Machine.Int.< and Machine.Long.< and Core.Real.< and Machine.Float.< and Core.Word.<
  and Core.Int.< and Core.IntInf.< and Core.Char.< and Core.String.<
_overload <= : 'a * 'a -> bool as Machine.Int.<= and Machine.Long.<= and Core.Real.<= and Machine.Float.<= and Core.Word.<=
  and Core.Int.<= and Core.IntInf.<= and Core.Char.<= and Core.String.<=
_overload > : 'a * 'a -> bool as Machine.Int.> and Machine.Long.> and Core.Real.> and Machine.Float.> and Core.Word.>
  and Core.Int.> and Core.IntInf.> and Core.Char.> and Core.String.>
_overload >= : 'a * 'a -> bool as Machine.Int.>= and Machine.Long.>= and Core.Real.>= and Machine.Float.>= and Core.Word.>=
  and Core.Int.>= and Core.IntInf.>= and Core.Char.>= and Core.String.>=
