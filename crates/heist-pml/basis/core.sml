(* What everything else rests on: the types, exceptions and primitives of the machine, the fixities of the top level, and
   the overloaded operators. No other file names a primitive, except those of
   `Int5`, `Word31` and the like. *)

infix 7 * / div mod
infix 6 + - ^
infixr 5 :: @
infix 4 = <> > >= < <=
infix 3 := o
infix 0 before

datatype bool = false | true
datatype 'a list = nil | op :: of 'a * 'a list
datatype order = LESS | EQUAL | GREATER
datatype 'a option = NONE | SOME of 'a

type int = Prim.int
type word = Prim.word
type real = Prim.real
type char = Prim.char
type string = Prim.string
type exn = Prim.exn
type unit = {}
type 'a array = 'a Prim.array
type 'a vector = 'a Prim.vector
type 'a ref = 'a Prim.ref

exception Bind = _exn "Bind"
exception Chr = _exn "Chr"
exception Div = _exn "Div"
exception Domain = _exn "Domain"
exception Empty = _exn "Empty"
exception Fail = _exn "Fail" of string
exception Match = _exn "Match"
exception Option = _exn "Option"
exception Overflow = _exn "Overflow"
exception Size = _exn "Size"
exception Span = _exn "Span"
exception Subscript = _exn "Subscript"

val op = = _prim "Poly.eq" : ''a * ''a -> bool
val op <> = _prim "Poly.ne" : ''a * ''a -> bool
val ! = _prim "Ref.get" : 'a ref -> 'a
val op := = _prim "Ref.set" : 'a ref * 'a -> unit

structure Core =
struct
  type int = int
  type word = word
  type real = real
  type int8 = Prim.int8
  type int16 = Prim.int16
  type int32 = Prim.int32
  type intinf = Prim.intinf
  type word8 = Prim.word8
  type word16 = Prim.word16
  type word32 = Prim.word32
  type bytes = Prim.bytes
  type float = Prim.float

  exception Io = _exn "Io" of {name : string, function : string, cause : exn}
  exception SysErr = _exn "SysErr" of string * int option
  exception Unordered = _exn "Unordered"

  val exnName = _prim "Exn.name" : exn -> string

  structure Int =
  struct
    val op + = _prim "Int.add" : int * int -> int
    val op - = _prim "Int.sub" : int * int -> int
    val op * = _prim "Int.mul" : int * int -> int
    val ~ = _prim "Int.neg" : int -> int
    val op div = _prim "Int.div" : int * int -> int
    val op mod = _prim "Int.mod" : int * int -> int
    val quot = _prim "Int.quot" : int * int -> int
    val rem = _prim "Int.rem" : int * int -> int
    val op < = _prim "Int.lt" : int * int -> bool
    val op <= = _prim "Int.le" : int * int -> bool
    val op > = _prim "Int.gt" : int * int -> bool
    val op >= = _prim "Int.ge" : int * int -> bool
    fun abs i = if op < (i, 0) then ~ i else i
    val toWord = _prim "cast" : int -> word
    (* Without looking for overflow. *)
    val add = _prim "Word.add" : int * int -> int
    val sub = _prim "Word.sub" : int * int -> int
    val mul = _prim "Word.mul" : int * int -> int
    val precision = 64
    val minInt = ~0x8000000000000000
    val maxInt = 0x7fffffffffffffff
    (* `i < n` and `i >= 0`, at once. *)
    val within = _prim "Word.lt" : int * int -> bool
  end

  structure Word =
  struct
    val op + = _prim "Word.add" : word * word -> word
    val op - = _prim "Word.sub" : word * word -> word
    val op * = _prim "Word.mul" : word * word -> word
    val op div = _prim "Word.div" : word * word -> word
    val op mod = _prim "Word.mod" : word * word -> word
    val op < = _prim "Word.lt" : word * word -> bool
    val op <= = _prim "Word.le" : word * word -> bool
    val op > = _prim "Word.gt" : word * word -> bool
    val op >= = _prim "Word.ge" : word * word -> bool
    fun ~ w = op - (0w0, w)
    val andb = _prim "Word.andb" : word * word -> word
    val orb = _prim "Word.orb" : word * word -> word
    val xorb = _prim "Word.xorb" : word * word -> word
    val notb = _prim "Word.notb" : word -> word
    val shl = _prim "Word.shl" : word * word -> word
    val shr = _prim "Word.shr" : word * word -> word
    val sar = _prim "Word.sar" : word * word -> word
    val toIntX = _prim "cast" : word -> int
    val low8 = _prim "Word.low8" : word -> word
    val low16 = _prim "Word.low16" : word -> word
    val low32 = _prim "Word.low32" : word -> word
    val sign8 = _prim "Word.sign8" : word -> word
    val sign16 = _prim "Word.sign16" : word -> word
    val sign32 = _prim "Word.sign32" : word -> word
    val wordSize = 64
  end

  structure Int8 =
  struct
    val toInt = _prim "cast" : int8 -> int
    val fromInt = _prim "Int.check8" : int -> int8
    fun a + b = fromInt (Int.+ (toInt a, toInt b))
    fun a - b = fromInt (Int.- (toInt a, toInt b))
    fun a * b = fromInt (Int.* (toInt a, toInt b))
    fun ~ a = fromInt (Int.~ (toInt a))
    fun abs a = fromInt (Int.abs (toInt a))
    fun a div b = fromInt (Int.div (toInt a, toInt b))
    fun a mod b = fromInt (Int.mod (toInt a, toInt b))
    fun quot (a, b) = fromInt (Int.quot (toInt a, toInt b))
    fun rem (a, b) = fromInt (Int.rem (toInt a, toInt b))
    val op < = _prim "Int.lt" : int8 * int8 -> bool
    val op <= = _prim "Int.le" : int8 * int8 -> bool
    val op > = _prim "Int.gt" : int8 * int8 -> bool
    val op >= = _prim "Int.ge" : int8 * int8 -> bool
    val precision = 8
  end

  structure Int16 =
  struct
    val toInt = _prim "cast" : int16 -> int
    val fromInt = _prim "Int.check16" : int -> int16
    fun a + b = fromInt (Int.+ (toInt a, toInt b))
    fun a - b = fromInt (Int.- (toInt a, toInt b))
    fun a * b = fromInt (Int.* (toInt a, toInt b))
    fun ~ a = fromInt (Int.~ (toInt a))
    fun abs a = fromInt (Int.abs (toInt a))
    fun a div b = fromInt (Int.div (toInt a, toInt b))
    fun a mod b = fromInt (Int.mod (toInt a, toInt b))
    fun quot (a, b) = fromInt (Int.quot (toInt a, toInt b))
    fun rem (a, b) = fromInt (Int.rem (toInt a, toInt b))
    val op < = _prim "Int.lt" : int16 * int16 -> bool
    val op <= = _prim "Int.le" : int16 * int16 -> bool
    val op > = _prim "Int.gt" : int16 * int16 -> bool
    val op >= = _prim "Int.ge" : int16 * int16 -> bool
    val precision = 16
  end

  structure Int32 =
  struct
    val toInt = _prim "cast" : int32 -> int
    val fromInt = _prim "Int.check32" : int -> int32
    fun a + b = fromInt (Int.+ (toInt a, toInt b))
    fun a - b = fromInt (Int.- (toInt a, toInt b))
    fun a * b = fromInt (Int.* (toInt a, toInt b))
    fun ~ a = fromInt (Int.~ (toInt a))
    fun abs a = fromInt (Int.abs (toInt a))
    fun a div b = fromInt (Int.div (toInt a, toInt b))
    fun a mod b = fromInt (Int.mod (toInt a, toInt b))
    fun quot (a, b) = fromInt (Int.quot (toInt a, toInt b))
    fun rem (a, b) = fromInt (Int.rem (toInt a, toInt b))
    val op < = _prim "Int.lt" : int32 * int32 -> bool
    val op <= = _prim "Int.le" : int32 * int32 -> bool
    val op > = _prim "Int.gt" : int32 * int32 -> bool
    val op >= = _prim "Int.ge" : int32 * int32 -> bool
    val precision = 32
  end

  structure Word8 =
  struct
    val toWord = _prim "cast" : word8 -> word
    val fromWord = _prim "Word.low8" : word -> word8
    val signed = _prim "Word.sign8" : word8 -> word
    fun a + b = fromWord (Word.+ (toWord a, toWord b))
    fun a - b = fromWord (Word.- (toWord a, toWord b))
    fun a * b = fromWord (Word.* (toWord a, toWord b))
    fun ~ a = fromWord (Word.~ (toWord a))
    val op div = _prim "Word.div" : word8 * word8 -> word8
    val op mod = _prim "Word.mod" : word8 * word8 -> word8
    val op < = _prim "Word.lt" : word8 * word8 -> bool
    val op <= = _prim "Word.le" : word8 * word8 -> bool
    val op > = _prim "Word.gt" : word8 * word8 -> bool
    val op >= = _prim "Word.ge" : word8 * word8 -> bool
    val wordSize = 8
  end

  structure Word16 =
  struct
    val toWord = _prim "cast" : word16 -> word
    val fromWord = _prim "Word.low16" : word -> word16
    val signed = _prim "Word.sign16" : word16 -> word
    fun a + b = fromWord (Word.+ (toWord a, toWord b))
    fun a - b = fromWord (Word.- (toWord a, toWord b))
    fun a * b = fromWord (Word.* (toWord a, toWord b))
    fun ~ a = fromWord (Word.~ (toWord a))
    val op div = _prim "Word.div" : word16 * word16 -> word16
    val op mod = _prim "Word.mod" : word16 * word16 -> word16
    val op < = _prim "Word.lt" : word16 * word16 -> bool
    val op <= = _prim "Word.le" : word16 * word16 -> bool
    val op > = _prim "Word.gt" : word16 * word16 -> bool
    val op >= = _prim "Word.ge" : word16 * word16 -> bool
    val wordSize = 16
  end

  structure Word32 =
  struct
    val toWord = _prim "cast" : word32 -> word
    val fromWord = _prim "Word.low32" : word -> word32
    val signed = _prim "Word.sign32" : word32 -> word
    fun a + b = fromWord (Word.+ (toWord a, toWord b))
    fun a - b = fromWord (Word.- (toWord a, toWord b))
    fun a * b = fromWord (Word.* (toWord a, toWord b))
    fun ~ a = fromWord (Word.~ (toWord a))
    val op div = _prim "Word.div" : word32 * word32 -> word32
    val op mod = _prim "Word.mod" : word32 * word32 -> word32
    val op < = _prim "Word.lt" : word32 * word32 -> bool
    val op <= = _prim "Word.le" : word32 * word32 -> bool
    val op > = _prim "Word.gt" : word32 * word32 -> bool
    val op >= = _prim "Word.ge" : word32 * word32 -> bool
    val wordSize = 32
  end

  structure IntInf =
  struct
    (* A small number n is the word 2 n + 1, any other the address of an object, which is even. *)
    val bits = _prim "cast" : intinf -> word
    val ofBits = _prim "cast" : word -> intinf
    fun bothSmall (x, y) = Word.andb (Word.andb (x, y), 0w1) = 0w1
    val slowAdd = _prim "rt.IntInf.add" : intinf * intinf -> intinf
    val slowSub = _prim "rt.IntInf.sub" : intinf * intinf -> intinf
    fun a + b =
      let
        val x = bits a
        val y = bits b
        val sum = Word.+ (x, Word.- (y, 0w1))
        (* The sign of a sum that overflows is that of neither. *)
        val signs = Word.andb (Word.xorb (x, sum), Word.xorb (y, sum))
      in
        if bothSmall (x, y) andalso Int.>= (Word.toIntX signs, 0) then ofBits sum else slowAdd (a, b)
      end
    fun a - b =
      let
        val x = bits a
        val y = bits b
        val difference = Word.+ (Word.- (x, y), 0w1)
        val signs = Word.andb (Word.xorb (x, y), Word.xorb (x, difference))
      in
        if bothSmall (x, y) andalso Int.>= (Word.toIntX signs, 0) then ofBits difference else slowSub (a, b)
      end
    val op * = _prim "rt.IntInf.mul" : intinf * intinf -> intinf
    val ~ = _prim "rt.IntInf.neg" : intinf -> intinf
    val op div = _prim "rt.IntInf.div" : intinf * intinf -> intinf
    val op mod = _prim "rt.IntInf.mod" : intinf * intinf -> intinf
    val quot = _prim "rt.IntInf.quot" : intinf * intinf -> intinf
    val rem = _prim "rt.IntInf.rem" : intinf * intinf -> intinf
    (* Negative, 0 or positive. *)
    val order = _prim "rt.IntInf.compare" : intinf * intinf -> int
    (* Of small numbers as of their words. *)
    fun comparison f (a, b) =
      let
        val x = bits a
        val y = bits b
      in
        if bothSmall (x, y) then f (Word.toIntX x, Word.toIntX y) else f (order (a, b), 0)
      end
    fun a < b = comparison Int.< (a, b)
    fun a <= b = comparison Int.<= (a, b)
    fun a > b = comparison Int.> (a, b)
    fun a >= b = comparison Int.>= (a, b)
    fun abs a = if a < 0 then ~ a else a
    val fromInt = _prim "rt.IntInf.fromInt" : int -> intinf
    val fromWord = _prim "rt.IntInf.fromWord" : word -> intinf
    (* Raises Overflow. *)
    val toInt = _prim "rt.IntInf.toInt" : intinf -> int
    (* The low 64 bits. *)
    val toWord = _prim "rt.IntInf.toWord" : intinf -> word
    val toReal = _prim "rt.IntInf.toReal" : intinf -> real
    (* Of an integral, finite real. *)
    val fromReal = _prim "rt.IntInf.fromReal" : real -> intinf
    (* Radix 2 to 16. *)
    val fmt = _prim "rt.IntInf.fmt" : intinf * int -> string
    (* Only digits of the radix, one at least. *)
    val parse = _prim "rt.IntInf.parse" : string * int -> intinf
    (* The exponent is positive. *)
    val pow = _prim "rt.IntInf.pow" : intinf * int -> intinf
    (* Of a positive number. *)
    val log2 = _prim "rt.IntInf.log2" : intinf -> int
    val andb = _prim "rt.IntInf.andb" : intinf * intinf -> intinf
    val orb = _prim "rt.IntInf.orb" : intinf * intinf -> intinf
    val xorb = _prim "rt.IntInf.xorb" : intinf * intinf -> intinf
    val shl = _prim "rt.IntInf.shl" : intinf * word -> intinf
    val sar = _prim "rt.IntInf.sar" : intinf * word -> intinf
  end

  structure Real =
  struct
    val op + = _prim "Real.add" : real * real -> real
    val op - = _prim "Real.sub" : real * real -> real
    val op * = _prim "Real.mul" : real * real -> real
    val op / = _prim "Real.div" : real * real -> real
    val ~ = _prim "Real.neg" : real -> real
    val abs = _prim "Real.abs" : real -> real
    val op < = _prim "Real.lt" : real * real -> bool
    val op <= = _prim "Real.le" : real * real -> bool
    val op > = _prim "Real.gt" : real * real -> bool
    val op >= = _prim "Real.ge" : real * real -> bool
    val == = _prim "Real.eq" : real * real -> bool
    val != = _prim "Real.ne" : real * real -> bool
    val sqrt = _prim "Real.sqrt" : real -> real
    val floor = _prim "Real.floor" : real -> real
    val ceil = _prim "Real.ceil" : real -> real
    val trunc = _prim "Real.trunc" : real -> real
    val nearest = _prim "Real.nearest" : real -> real
    val min = _prim "Real.min" : real * real -> real
    val max = _prim "Real.max" : real * real -> real
    val fromInt = _prim "Real.fromInt" : int -> real
    (* To zero, of one that fits. *)
    val toInt = _prim "Real.toInt" : real -> int
    val bits = _prim "Real.bits" : real -> word
    val ofBits = _prim "Real.ofBits" : word -> real
    val single = _prim "Real.toSingle" : real -> real
    fun signBit r = Word.>= (bits r, 0wx8000000000000000)
    (* The neighbour of a positive finite real with the next larger or smaller magnitude. *)
    fun stepUp r = ofBits (Word.+ (bits r, 0w1))
    fun stepDown r = ofBits (Word.- (bits r, 0w1))
    val minPos = ofBits 0w1
    val minNormal = ofBits 0wx0010000000000000
    val maxFinite = ofBits 0wx7fefffffffffffff
    (* The first that does not fit in an int. *)
    val intLimit = 9223372036854775808.0
    val posInf = ofBits 0wx7ff0000000000000
    val nan = ofBits 0wx7ff8000000000000
    val rem = _prim "rt.Real.rem" : real * real -> real
    (* `man * 2^exp` with `0.5 <= man < 1`, of a finite real that is not 0. *)
    val man = _prim "rt.Real.man" : real -> real
    val exp = _prim "rt.Real.exp" : real -> int
    val scale = _prim "rt.Real.scale" : real * int -> real
    (* Digits after the point, at least 0. *)
    val sci = _prim "rt.Real.sci" : real * int -> string
    val fix = _prim "rt.Real.fix" : real * int -> string
    (* Digits, at least 1. *)
    val gen = _prim "rt.Real.gen" : real * int -> string
    (* `d.dddde~12`: the fewest digits that are enough. *)
    val shortest = _prim "rt.Real.shortest" : real -> string
    (* Of a string in the notation of most languages. *)
    val parse = _prim "rt.Real.parse" : string -> real
  end

  structure Float =
  struct
    val wide = _prim "cast" : float -> real
    val narrow = _prim "Real.toSingle" : real -> float
    fun a + b = narrow (Real.+ (wide a, wide b))
    fun a - b = narrow (Real.- (wide a, wide b))
    fun a * b = narrow (Real.* (wide a, wide b))
    fun a / b = narrow (Real./ (wide a, wide b))
    val ~ = _prim "Real.neg" : float -> float
    val abs = _prim "Real.abs" : float -> float
    val op < = _prim "Real.lt" : float * float -> bool
    val op <= = _prim "Real.le" : float * float -> bool
    val op > = _prim "Real.gt" : float * float -> bool
    val op >= = _prim "Real.ge" : float * float -> bool
  end

  structure Math =
  struct
    val sin = _prim "rt.Math.sin" : real -> real
    val cos = _prim "rt.Math.cos" : real -> real
    val tan = _prim "rt.Math.tan" : real -> real
    val asin = _prim "rt.Math.asin" : real -> real
    val acos = _prim "rt.Math.acos" : real -> real
    val atan = _prim "rt.Math.atan" : real -> real
    val atan2 = _prim "rt.Math.atan2" : real * real -> real
    val exp = _prim "rt.Math.exp" : real -> real
    val pow = _prim "rt.Math.pow" : real * real -> real
    val ln = _prim "rt.Math.ln" : real -> real
    val log10 = _prim "rt.Math.log10" : real -> real
    val sinh = _prim "rt.Math.sinh" : real -> real
    val cosh = _prim "rt.Math.cosh" : real -> real
    val tanh = _prim "rt.Math.tanh" : real -> real
  end

  structure Char =
  struct
    val ord = _prim "cast" : char -> int
    (* Of one that fits. *)
    val chr = _prim "cast" : int -> char
    val toByte = _prim "cast" : char -> word8
    val fromByte = _prim "cast" : word8 -> char
    val op < = _prim "Int.lt" : char * char -> bool
    val op <= = _prim "Int.le" : char * char -> bool
    val op > = _prim "Int.gt" : char * char -> bool
    val op >= = _prim "Int.ge" : char * char -> bool
  end

  structure Bytes =
  struct
    (* Nothing of this is checked. *)
    val new = _prim "Bytes.new" : int -> bytes
    val length = _prim "String.size" : bytes -> int
    val getChar = _prim "Bytes.get" : bytes * int -> char
    val setChar = _prim "Bytes.set" : bytes * int * char -> unit
    val getByte = _prim "Bytes.get" : bytes * int -> word8
    val setByte = _prim "Bytes.set" : bytes * int * word8 -> unit
    (* Several bytes as a word, the first one as its lowest. *)
    val get16 = _prim "Bytes.get16" : bytes * int -> word
    val get32 = _prim "Bytes.get32" : bytes * int -> word
    val get64 = _prim "Bytes.get64" : bytes * int -> word
    val set16 = _prim "Bytes.set16" : bytes * int * word -> unit
    val set32 = _prim "Bytes.set32" : bytes * int * word -> unit
    val set64 = _prim "Bytes.set64" : bytes * int * word -> unit
    (* The bytes will not be written any more. *)
    val freeze = _prim "String.ofBytes" : bytes -> string
    (* Source, from, destination, to, how many; they may overlap. *)
    val copy = _prim "rt.Bytes.copy" : bytes * int * bytes * int * int -> unit
    val copyString = _prim "rt.Bytes.copy" : string * int * bytes * int * int -> unit
  end

  structure String =
  struct
    val size = _prim "String.size" : string -> int
    (* Not checked. *)
    val sub = _prim "String.get" : string * int -> char
    (* Negative, 0 or positive. *)
    val order = _prim "rt.String.compare" : string * string -> int
    fun a < b = Int.< (order (a, b), 0)
    fun a <= b = Int.<= (order (a, b), 0)
    fun a > b = Int.> (order (a, b), 0)
    fun a >= b = Int.>= (order (a, b), 0)
    val maxSize = 0x3fffffff
    fun append (a, b) =
      let
        val m = size a
        val n = size b
      in
        if m = 0 then b
        else if n = 0 then a
        else
          let
            val length = Int.add (m, n)
            val bytes = if Int.> (length, maxSize) then raise Size else Bytes.new length
          in
            Bytes.copyString (a, 0, bytes, 0, m);
            Bytes.copyString (b, 0, bytes, m, n);
            Bytes.freeze bytes
          end
      end
  end

  structure Array =
  struct
    (* Nothing of this is checked. *)
    val new = _prim "Array.new" : int * 'a -> 'a array
    val empty = _prim "rt.Array.empty" : unit -> 'a array
    (* Every element is written before it is read. *)
    val blank = _prim "Array.blank" : int -> 'a array
    (* Its elements may be moved before they are written, but not used. *)
    val unset = _prim "Array.unset" : int -> 'a array
    val length = _prim "Array.length" : 'a array -> int
    val sub = _prim "Array.get" : 'a array * int -> 'a
    val update = _prim "Array.set" : 'a array * int * 'a -> unit
    (* `update` in a new array that no other strand reads before this one has settled it, or has come to its end. *)
    val fill = _prim "Array.fill" : 'a array * int * 'a -> unit
    val settle = _prim "Array.settle" : 'a array -> unit
    (* If the first value is the one at the index, stores the second: atomic. What was there. *)
    val swap = _prim "Array.swap" : 'a array * int * 'a * 'a -> 'a
    (* Adds without a look at overflow: atomic. What was there. *)
    val fetchAdd = _prim "Array.fetchAdd" : int array * int * int -> int
    val toVector = _prim "Vector.ofArray" : 'a array -> 'a vector
    (* The array will not be written any more. *)
    fun freeze a = (settle a; toVector a)
    val maxLen = 0xffffff00
  end

  structure Vector =
  struct
    val length = _prim "Vector.length" : 'a vector -> int
    (* Not checked. *)
    val sub = _prim "Vector.get" : 'a vector * int -> 'a
    fun empty () = Array.toVector (Array.empty ())
  end

  structure Par =
  struct
    (* Whether the runtime asks for attention or an idle worker for work: then `attend` has to be called. Stands for a poll. *)
    val asked = _prim "Par.asked" : unit -> bool
    (* Polls, which gives forks that are under way to an idle worker. Whether one still asks for work. *)
    val attend = _prim "Par.attend" : unit -> bool
    val workers = _prim "rt.Par.workers" : unit -> int
    val worker = _prim "rt.Par.worker" : unit -> int
    (* As those of `Array`, of references. *)
    val swap = _prim "Ref.swap" : 'a ref * 'a * 'a -> 'a
    val fetchAdd = _prim "Ref.fetchAdd" : int ref * int -> int
    (* The same word: of numbers the same value, of anything else the same object. *)
    val same = _prim "Poly.same" : 'a * 'a -> bool
  end

  (* The state of a lazy value is in a reference: see `LazyCell`. *)
  structure Lazy =
  struct
    (* Whether these functions are to be called. Otherwise there is one strand, which is never cancelled. *)
    val isRecorded = _prim "Lazy.recorded" : unit -> bool
    (* This strand computes the value, unless the state is another one by now. *)
    val claim = _prim "rt.Lazy.claim" : 'a ref * 'a -> bool
    (* It has: a new state. The first function does it only if no other worker can see the value. *)
    val settleOwn = _prim "rt.Lazy.settleOwn" : 'a ref * 'a -> bool
    val settle = _prim "rt.Lazy.settle" : 'a ref * 'a -> unit
    (* Waits while another strand computes the value. False if this one does. *)
    val wait = _prim "rt.Lazy.wait" : 'a ref -> bool
  end

  (* Parts that are left before their ends: see the runtime's `cancel`. *)
  structure Cancel =
  struct
    (* The scope of the cancelable of this number begins. Returns the function, which the caller calls at once, inside of a handler. *)
    val enter = _prim "rt.Cancel.enter" : int * (unit -> 'a) -> unit -> 'a
    (* The newest scope ends. Whether it was left because it was cancelled. *)
    val leave = _prim "rt.Cancel.leave" : unit -> bool
    (* What runs in scopes of this number ends at its next polls. *)
    val cancel = _prim "rt.Cancel.cancel" : int -> unit
    (* Whether anything runs there. *)
    val isLive = _prim "rt.Cancel.isLive" : int -> bool
  end

  structure Race =
  struct
    (* Returns the function, which the caller calls at once, inside of a handler, while a lazy value is offered. *)
    val begin = _prim "rt.Race.begin" : (unit -> 'a) -> unit -> 'a
    (* The offered value will be there, and decides: a thief says so. *)
    val win = _prim "rt.Race.win" : unit -> unit
    (* The function has returned. *)
    val finish = _prim "rt.Race.end" : unit -> unit
    (* In the handler: whether the function was left because the other side has won. *)
    val isLost = _prim "rt.Race.isLost" : unit -> bool
  end

  (* Threads: see the runtime's `thread`. *)
  structure Thread :>
  sig
    type thread
    val spawn : (unit -> unit) -> thread
    val current : unit -> thread
    val number : thread -> int
    val same : thread * thread -> bool
    (* Waits for the permit of this thread, also if it is there already. *)
    val park : unit -> bool
    (* Gives a thread its permit. *)
    val unpark : thread -> unit
    (* Lets others run. *)
    val giveWay : unit -> bool
    (* Adds to the number of reasons for which this thread is neither cancelled nor made to give way at polls. *)
    val mask : int -> unit
    val isDue : unit -> bool
    val isLeft : unit -> bool
    (* The number of transactions that the code is inside of, also as a part of a fork that another worker has taken. *)
    val depth : unit -> int
    (* Gives the permit after so many nanoseconds. *)
    val alarm : thread * int -> int
    val unsetAlarm : int -> unit
    (* Gives the permit at one of these events of a descriptor. *)
    val watch : thread * int * int -> int
    val unwatch : int -> unit
    (* Whether there was none yet. *)
    val isWatched : int -> bool
    (* Gives the permits of the threads that watch a descriptor, which was closed. *)
    val closed : int -> unit
    (* Whether nothing could go on, and this thread is told the reason. *)
    (* The name of a thing of this kind that the running code makes, for a report; and the name of what this thread waits for next. If it
       is negative, it is the first of several. *)
    val here : int -> int
    val waitsFor : int -> unit
    val isStuck : unit -> bool
    val stuck : unit -> string
    val endAll : unit -> unit
    (* Ends this thread where it is. Does nothing in the program itself and in parts of forks. *)
    val finish : unit -> unit
    (* A number of the program that runs. *)
    val program : unit -> int
    (* The function is called by a thread of its own when a fiber is preempted: `given` of it is the fiber, which waits for `goOn`. *)
    val onPreempt : (unit -> unit) -> unit
    (* Whether polls preempt this thread: at the end of its time, or after `preempt`. *)
    val preemptible : bool -> unit
    val preempt : thread -> unit
    val goOn : thread * bool -> bool
    val victim : thread -> thread
    (* The choice of a thread: `claim` is 0 if the caller decides it, 1 if another thread is about to, 2 if it is over. `decision` is the
       part for which it was decided, negative if it was not, or if it is void. *)
    val beginChoice : thread -> int
    val claim : thread * int -> int
    val unclaim : thread -> unit
    val decide : thread * int -> unit
    val decision : thread -> int
    (* A value for a thread whose choice was claimed. Its type is that of the part for which the choice is decided. *)
    val hand : thread * 'a option -> unit
    val given : thread -> 'a option
    (* A value of one type for all threads. *)
    val keep : thread * 'a option -> unit
    val kept : thread -> 'a option
    (* Stores `new` if `old` is there; what was there before. *)
    val swap : int ref * int * int -> int
  end =
  struct
    type thread = Prim.string
    val spawn = _prim "rt.Thread.spawn" : (unit -> unit) -> thread
    val current = _prim "rt.Thread.current" : unit -> thread
    val number = _prim "rt.Thread.number" : thread -> int
    val same = _prim "Poly.same" : thread * thread -> bool
    val park = _prim "rt.Thread.park" : unit -> bool
    val unpark = _prim "rt.Thread.unpark" : thread -> unit
    val giveWay = _prim "rt.Thread.giveWay" : unit -> bool
    val mask = _prim "rt.Thread.mask" : int -> unit
    val isDue = _prim "rt.Thread.isDue" : unit -> bool
    val isLeft = _prim "rt.Thread.isLeft" : unit -> bool
    val depth = _prim "rt.Thread.depth" : unit -> int
    val alarm = _prim "rt.Thread.alarm" : thread * int -> int
    val unsetAlarm = _prim "rt.Thread.unsetAlarm" : int -> unit
    val watch = _prim "rt.Thread.watch" : thread * int * int -> int
    val unwatch = _prim "rt.Thread.unwatch" : int -> unit
    val isWatched = _prim "rt.Thread.isWatched" : int -> bool
    val closed = _prim "rt.Thread.closed" : int -> unit
    val here = _prim "rt.Thread.here" : int -> int
    val waitsFor = _prim "rt.Thread.waitsFor" : int -> unit
    val isStuck = _prim "rt.Thread.isStuck" : unit -> bool
    val stuck = _prim "rt.Thread.stuck" : unit -> string
    val endAll = _prim "rt.Thread.endAll" : unit -> unit
    val finish = _prim "rt.Thread.end" : unit -> unit
    val program = _prim "rt.Thread.program" : unit -> int
    val onPreempt = _prim "rt.Thread.onPreempt" : (unit -> unit) -> unit
    val preemptible = _prim "rt.Thread.preemptible" : bool -> unit
    val preempt = _prim "rt.Thread.preempt" : thread -> unit
    val goOn = _prim "rt.Thread.goOn" : thread * bool -> bool
    val victim = _prim "rt.Thread.given" : thread -> thread
    val beginChoice = _prim "rt.Thread.beginChoice" : thread -> int
    val claim = _prim "rt.Thread.claim" : thread * int -> int
    val unclaim = _prim "rt.Thread.unclaim" : thread -> unit
    val decide = _prim "rt.Thread.decide" : thread * int -> unit
    val decision = _prim "rt.Thread.decision" : thread -> int
    val hand = _prim "rt.Thread.hand" : thread * 'a option -> unit
    val given = _prim "rt.Thread.given" : thread -> 'a option
    val keep = _prim "rt.Thread.keep" : thread * 'a option -> unit
    val kept = _prim "rt.Thread.kept" : thread -> 'a option
    val swap = _prim "Ref.swap" : int ref * int * int -> int
  end

  (* A thread that the program's scheduler runs calls `leave` before it waits, and `back` after that if the first was true: see
     `scheduler.sml`. *)
  structure Waits =
  struct
    val areFibers = ref false
    val leave : (unit -> bool) ref = ref (fn () => false)
    val back : (unit -> unit) ref = ref (fn () => ())
    (* Whether signals are masked, and a change of that. *)
    val isMasked : (unit -> bool) ref = ref (fn () => false)
    val setMasked : (bool -> unit) ref = ref (fn _ => ())
    (* Before a part that may be left: what `comeBack` gets. *)
    fun wasMasked () = if ! areFibers then (! isMasked) () else false
    (* After a part was left, which may have waited, and changed the mask past its handlers. *)
    fun comeBack was = if ! areFibers then ((! back) (); (! setMasked) was) else ()
  end

  (* Vectors of bytes are strings, though of a type of their own. *)
  structure ByteVector :>
  sig
    eqtype vector
    val ofString : string -> vector
    val toString : vector -> string
  end =
  struct
    type vector = string
    fun ofString s = s
    fun toString s = s
  end

  structure Io =
  struct
    (* Files have numbers; 0, 1 and 2 are those of the process. Those that return a number return the negated number of the
       system's error if it is negative. *)
    (* How: 0 to read, 1 to write anew, 2 to write at the end. *)
    val openFile = _prim "rt.Io.open" : string * int -> int
    val close = _prim "rt.Io.close" : int -> int
    (* What comes next, empty at the end; at most so many bytes. An error is told by `lastError`. *)
    val read = _prim "rt.Io.read" : int * int -> string
    (* Written files are buffered by the runtime, which flushes them at the end. *)
    val write = _prim "rt.Io.write" : int * string -> int
    val writeRange = _prim "rt.Io.writeRange" : int * string * int * int -> int
    val writeChar = _prim "rt.Io.writeChar" : int * char -> int
    val flush = _prim "rt.Io.flush" : int -> int
    (* 0 unbuffered, 1 by lines, 2 by blocks. *)
    val bufferMode = _prim "rt.Io.bufferMode" : int -> int
    val setBufferMode = _prim "rt.Io.setBufferMode" : int * int -> unit
    val print = _prim "rt.Io.print" : string -> unit
    (* The system's number of an open file. *)
    val descriptor = _prim "rt.Io.descriptor" : int -> int
    (* The number of the last error of a function that returns a string; 0 if there was none. *)
    val lastError = _prim "rt.Io.lastError" : unit -> int
  end

  structure System =
  struct
    val argumentCount = _prim "rt.System.argumentCount" : unit -> int
    val argument = _prim "rt.System.argument" : int -> string
    val programName = _prim "rt.System.programName" : unit -> string
    (* Flushes, and ends the process. *)
    val exit = _prim "rt.System.exit" : int -> unit
    (* Ends the process without flushing. *)
    val leave = _prim "rt.System.leave" : int -> unit
    (* Runs if an unhandled exception ends the process. *)
    val atExit = _prim "rt.System.atExit" : (unit -> unit) -> unit
    (* Empty if there is none, otherwise after a `=`. *)
    val environment = _prim "rt.System.environment" : string -> string
    val errorMessage = _prim "rt.System.errorMessage" : int -> string
    val errorName = _prim "rt.System.errorName" : int -> string
    val errorNumber = _prim "rt.System.errorNumber" : string -> int
    (* Runs a command by the shell: its exit status. *)
    val command = _prim "rt.System.command" : string -> int
    val sleep = _prim "rt.System.sleep" : int -> unit
    (* All of these in nanoseconds. *)
    val now = _prim "rt.System.now" : unit -> int
    val monotonic = _prim "rt.System.monotonic" : unit -> int
    val userTime = _prim "rt.System.userTime" : unit -> int
    val systemTime = _prim "rt.System.systemTime" : unit -> int
    val collectorTime = _prim "rt.System.collectorTime" : unit -> int
    (* Collects all generations. *)
    val collect = _prim "rt.System.collect" : unit -> unit
    (* Seconds east of Greenwich here, at a time in seconds. *)
    val localOffset = _prim "rt.System.localOffset" : int -> int
    (* Whether it is summer time here, at a time in seconds: 1, 0, or negative if that is not known; the time zone's name. *)
    val isDst = _prim "rt.System.isDst" : int -> int
    val zone = _prim "rt.System.zone" : int -> string
  end

  structure FileSys =
  struct
    val entries = _prim "rt.FileSys.entries" : string -> string
    val chDir = _prim "rt.FileSys.chDir" : string -> int
    val getDir = _prim "rt.FileSys.getDir" : unit -> string
    val mkDir = _prim "rt.FileSys.mkDir" : string -> int
    val rmDir = _prim "rt.FileSys.rmDir" : string -> int
    (* 1 or 0. *)
    val isDir = _prim "rt.FileSys.isDir" : string -> int
    val isLink = _prim "rt.FileSys.isLink" : string -> int
    val readLink = _prim "rt.FileSys.readLink" : string -> string
    val realPath = _prim "rt.FileSys.realPath" : string -> string
    (* In seconds. *)
    val modTime = _prim "rt.FileSys.modTime" : string -> int
    val setTime = _prim "rt.FileSys.setTime" : string * int -> int
    val fileSize = _prim "rt.FileSys.fileSize" : string -> int
    val remove = _prim "rt.FileSys.remove" : string -> int
    val rename = _prim "rt.FileSys.rename" : string * string -> int
    (* 4 to read, 2 to write, 1 to execute, added; 1 or 0. *)
    val access = _prim "rt.FileSys.access" : string * int -> int
    val tmpName = _prim "rt.FileSys.tmpName" : unit -> string
    (* Both together tell a file from all others. *)
    val device = _prim "rt.FileSys.device" : string -> int
    val inode = _prim "rt.FileSys.inode" : string -> int
  end
end

_overload + : 'a * 'a -> 'a as Core.Int.+ and Core.Word.+ and Core.Real.+ and Core.IntInf.+ and Core.Int8.+ and Core.Int16.+
  and Core.Int32.+ and Core.Word8.+ and Core.Word16.+ and Core.Word32.+ and Core.Float.+
_overload - : 'a * 'a -> 'a as Core.Int.- and Core.Word.- and Core.Real.- and Core.IntInf.- and Core.Int8.- and Core.Int16.-
  and Core.Int32.- and Core.Word8.- and Core.Word16.- and Core.Word32.- and Core.Float.-
_overload * : 'a * 'a -> 'a as Core.Int.* and Core.Word.* and Core.Real.* and Core.IntInf.* and Core.Int8.* and Core.Int16.*
  and Core.Int32.* and Core.Word8.* and Core.Word16.* and Core.Word32.* and Core.Float.*
_overload / : 'a * 'a -> 'a as Core.Real./ and Core.Float./
_overload div : 'a * 'a -> 'a as Core.Int.div and Core.Word.div and Core.IntInf.div and Core.Int8.div and Core.Int16.div
  and Core.Int32.div and Core.Word8.div and Core.Word16.div and Core.Word32.div
_overload mod : 'a * 'a -> 'a as Core.Int.mod and Core.Word.mod and Core.IntInf.mod and Core.Int8.mod and Core.Int16.mod
  and Core.Int32.mod and Core.Word8.mod and Core.Word16.mod and Core.Word32.mod
_overload ~ : 'a -> 'a as Core.Int.~ and Core.Word.~ and Core.Real.~ and Core.IntInf.~ and Core.Int8.~ and Core.Int16.~
  and Core.Int32.~ and Core.Word8.~ and Core.Word16.~ and Core.Word32.~ and Core.Float.~
_overload abs : 'a -> 'a as Core.Int.abs and Core.Real.abs and Core.IntInf.abs and Core.Int8.abs and Core.Int16.abs
  and Core.Int32.abs and Core.Float.abs
_overload < : 'a * 'a -> bool as Core.Int.< and Core.Word.< and Core.Real.< and Core.IntInf.< and Core.Int8.< and Core.Int16.<
  and Core.Int32.< and Core.Word8.< and Core.Word16.< and Core.Word32.< and Core.Char.< and Core.String.< and Core.Float.<
_overload <= : 'a * 'a -> bool as Core.Int.<= and Core.Word.<= and Core.Real.<= and Core.IntInf.<= and Core.Int8.<=
  and Core.Int16.<= and Core.Int32.<= and Core.Word8.<= and Core.Word16.<= and Core.Word32.<= and Core.Char.<=
  and Core.String.<= and Core.Float.<=
_overload > : 'a * 'a -> bool as Core.Int.> and Core.Word.> and Core.Real.> and Core.IntInf.> and Core.Int8.> and Core.Int16.>
  and Core.Int32.> and Core.Word8.> and Core.Word16.> and Core.Word32.> and Core.Char.> and Core.String.> and Core.Float.>
_overload >= : 'a * 'a -> bool as Core.Int.>= and Core.Word.>= and Core.Real.>= and Core.IntInf.>= and Core.Int8.>=
  and Core.Int16.>= and Core.Int32.>= and Core.Word8.>= and Core.Word16.>= and Core.Word32.>= and Core.Char.>=
  and Core.String.>= and Core.Float.>=
