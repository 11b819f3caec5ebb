(* The base of the whole library: the types, exceptions and primitives of the machine, the fixities of the top level, and the overloaded
   operators. Only this file names primitives, except for the files of `Int5`, `Word31` and similar types. *)

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
  (* The place where the exception of the enclosing handler was raised, for `Thread.uncaught`. *)
  val exnOrigin = _prim "Exn.origin" : exn -> int

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
    (* Operations that do not check for overflow. *)
    val add = _prim "Word.add" : int * int -> int
    val sub = _prim "Word.sub" : int * int -> int
    val mul = _prim "Word.mul" : int * int -> int
    val precision = 64
    val minInt = ~0x8000000000000000
    val maxInt = 0x7fffffffffffffff
    (* `within (i, n)` tests `i >= 0` and `i < n` by one comparison. *)
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
    (* A small number n is stored as the word 2 n + 1. Any other number is stored as the address of an object, which is even. *)
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
        (* The sum has overflowed if its sign differs from the signs of both operands. *)
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
    (* Returns a negative number, 0 or a positive number. *)
    val order = _prim "rt.IntInf.compare" : intinf * intinf -> int
    (* Compares small numbers by comparing their words. *)
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
    (* Raises Overflow if the number does not fit. *)
    val toInt = _prim "rt.IntInf.toInt" : intinf -> int
    (* Returns the low 64 bits. *)
    val toWord = _prim "rt.IntInf.toWord" : intinf -> word
    val toReal = _prim "rt.IntInf.toReal" : intinf -> real
    (* The real must be finite and integral. *)
    val fromReal = _prim "rt.IntInf.fromReal" : real -> intinf
    (* The radix is 2 to 16. *)
    val fmt = _prim "rt.IntInf.fmt" : intinf * int -> string
    (* The string must consist of digits of the radix, and have at least one digit. *)
    val parse = _prim "rt.IntInf.parse" : string * int -> intinf
    (* The exponent must be positive. *)
    val pow = _prim "rt.IntInf.pow" : intinf * int -> intinf
    (* The number must be positive. *)
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
    (* Rounds to zero. The result must fit in an int. *)
    val toInt = _prim "Real.toInt" : real -> int
    val bits = _prim "Real.bits" : real -> word
    val ofBits = _prim "Real.ofBits" : word -> real
    val single = _prim "Real.toSingle" : real -> real
    fun signBit r = Word.>= (bits r, 0wx8000000000000000)
    (* Return the neighbour of a positive finite real that has the next larger or next smaller magnitude. *)
    fun stepUp r = ofBits (Word.+ (bits r, 0w1))
    fun stepDown r = ofBits (Word.- (bits r, 0w1))
    val minPos = ofBits 0w1
    val minNormal = ofBits 0wx0010000000000000
    val maxFinite = ofBits 0wx7fefffffffffffff
    (* The smallest positive real that is too large for an int. *)
    val intLimit = 9223372036854775808.0
    val posInf = ofBits 0wx7ff0000000000000
    val nan = ofBits 0wx7ff8000000000000
    val rem = _prim "rt.Real.rem" : real * real -> real
    (* The real is `man * 2^exp` with `0.5 <= man < 1`. It must be finite and not 0. *)
    val man = _prim "rt.Real.man" : real -> real
    val exp = _prim "rt.Real.exp" : real -> int
    val scale = _prim "rt.Real.scale" : real * int -> real
    (* The int is the number of digits after the point, at least 0. *)
    val sci = _prim "rt.Real.sci" : real * int -> string
    val fix = _prim "rt.Real.fix" : real * int -> string
    (* The int is the number of digits, at least 1. *)
    val gen = _prim "rt.Real.gen" : real * int -> string
    (* Returns the shortest text `d.dddde~12` that determines the real. *)
    val shortest = _prim "rt.Real.shortest" : real -> string
    (* Reads a real in the notation that most languages have. *)
    val parse = _prim "rt.Real.parse" : string -> real
  end

  structure Float =
  struct
    val wide = _prim "cast" : float -> real
    val narrow = _prim "Real.toSingle" : real -> float
    val op + = _prim "Single.add" : float * float -> float
    val op - = _prim "Single.sub" : float * float -> float
    val op * = _prim "Single.mul" : float * float -> float
    val op / = _prim "Single.div" : float * float -> float
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
    (* The int must be the code of a character. *)
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
    (* These functions check no indices and no lengths. *)
    val new = _prim "Bytes.new" : int -> bytes
    val length = _prim "String.size" : bytes -> int
    val getChar = _prim "Bytes.get" : bytes * int -> char
    val setChar = _prim "Bytes.set" : bytes * int * char -> unit
    val getByte = _prim "Bytes.get" : bytes * int -> word8
    val setByte = _prim "Bytes.set" : bytes * int * word8 -> unit
    (* Read several bytes as one word. The first byte is the lowest byte of the word. *)
    val get16 = _prim "Bytes.get16" : bytes * int -> word
    val get32 = _prim "Bytes.get32" : bytes * int -> word
    val get64 = _prim "Bytes.get64" : bytes * int -> word
    val set16 = _prim "Bytes.set16" : bytes * int * word -> unit
    val set32 = _prim "Bytes.set32" : bytes * int * word -> unit
    val set64 = _prim "Bytes.set64" : bytes * int * word -> unit
    (* After this call, no code may write the bytes. *)
    val freeze = _prim "String.ofBytes" : bytes -> string
    (* The arguments are source, start in the source, destination, start in the destination, and length. The two ranges may overlap. *)
    val copy = _prim "rt.Bytes.copy" : bytes * int * bytes * int * int -> unit
    val copyString = _prim "rt.Bytes.copy" : string * int * bytes * int * int -> unit
  end

  structure String =
  struct
    val size = _prim "String.size" : string -> int
    (* Does not check the index. *)
    val sub = _prim "String.get" : string * int -> char
    (* Returns a negative number, 0 or a positive number. *)
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
    (* These functions check no indices and no lengths. *)
    val new = _prim "Array.new" : int * 'a -> 'a array
    val empty = _prim "rt.Array.empty" : unit -> 'a array
    (* The caller must write each element before it reads the element. *)
    val blank = _prim "Array.blank" : int -> 'a array
    (* The collector may move the elements before the caller has written them, but no code may use them. *)
    val unset = _prim "Array.unset" : int -> 'a array
    val length = _prim "Array.length" : 'a array -> int
    val sub = _prim "Array.get" : 'a array * int -> 'a
    val update = _prim "Array.set" : 'a array * int * 'a -> unit
    (* `update` in a new array that no other strand reads before this strand settles the array or ends. *)
    val fill = _prim "Array.fill" : 'a array * int * 'a -> unit
    val settle = _prim "Array.settle" : 'a array -> unit
    (* Atomic: stores the second value if the element is the same as the first value. Returns the previous element. *)
    val swap = _prim "Array.swap" : 'a array * int * 'a * 'a -> 'a
    (* Atomic: adds without a check for overflow. Returns the previous element. *)
    val fetchAdd = _prim "Array.fetchAdd" : int array * int * int -> int
    val toVector = _prim "Vector.ofArray" : 'a array -> 'a vector
    (* After this call, no code may write the array. *)
    fun freeze a = (settle a; toVector a)
    val maxLen = 0xffffff00
  end

  structure Vector =
  struct
    val length = _prim "Vector.length" : 'a vector -> int
    (* Does not check the index. *)
    val sub = _prim "Vector.get" : 'a vector * int -> 'a
    fun empty () = Array.toVector (Array.empty ())
  end

  structure Par =
  struct
    (* Takes the place of a poll: returns true if the runtime or an idle worker requests attention. Then the caller must call `attend`. *)
    val asked = _prim "Par.asked" : unit -> bool
    (* Polls, and so gives the strand's forks to an idle worker. Returns true if an idle worker still requests work. *)
    val attend = _prim "Par.attend" : unit -> bool
    val workers = _prim "rt.Par.workers" : unit -> int
    val worker = _prim "rt.Par.worker" : unit -> int
    (* As the functions of `Array`, but for references. *)
    val swap = _prim "Ref.swap" : 'a ref * 'a * 'a -> 'a
    val fetchAdd = _prim "Ref.fetchAdd" : int ref * int -> int
    (* Compares two words: numbers are the same if they are equal, and other values if they are one object. *)
    val same = _prim "Poly.same" : 'a * 'a -> bool
  end

  (* A reference has the state of a lazy value: see `LazyCell`. *)
  structure Lazy =
  struct
    (* Returns true if the code must call the functions below. Otherwise the program has one strand, which is never cancelled. *)
    val isRecorded = _prim "Lazy.recorded" : unit -> bool
    (* Records that this strand computes the value, unless the state has changed. Returns false if it has. *)
    val claim = _prim "rt.Lazy.claim" : 'a ref * 'a -> bool
    (* Store the new state after the computation. `settleOwn` does so only if no other worker can see the value. *)
    val settleOwn = _prim "rt.Lazy.settleOwn" : 'a ref * 'a -> bool
    val settle = _prim "rt.Lazy.settle" : 'a ref * 'a -> unit
    (* Waits while another strand computes the value. Returns false if this strand itself computes it. *)
    val wait = _prim "rt.Lazy.wait" : 'a ref -> bool
  end

  (* Parts of a program that end early: see the runtime's `cancel`. *)
  structure Cancel =
  struct
    (* Begins the scope of the cancelable with this number. Returns the function. The caller calls the function at once, inside of a
       handler. *)
    val enter = _prim "rt.Cancel.enter" : int * (unit -> 'a) -> unit -> 'a
    (* Ends the newest scope. Returns true if the scope ended because it was cancelled. *)
    val leave = _prim "rt.Cancel.leave" : unit -> bool
    (* Cancels all code in scopes with this number. The code ends at its next polls. *)
    val cancel = _prim "rt.Cancel.cancel" : int -> unit
    (* Returns true if code runs in a scope with this number. *)
    val isLive = _prim "rt.Cancel.isLive" : int -> bool
  end

  structure Race =
  struct
    (* Returns the function. The caller calls the function at once, inside of a handler, while a lazy value is offered. *)
    val begin = _prim "rt.Race.begin" : (unit -> 'a) -> unit -> 'a
    (* A thief says that it will provide the offered value, and that this value decides the race. *)
    val win = _prim "rt.Race.win" : unit -> unit
    (* Says that the function has returned. *)
    val finish = _prim "rt.Race.end" : unit -> unit
    (* For the handler: returns true if the function ended because the other side has won. *)
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
    (* Waits for the permit of this thread. Returns at once if the thread has the permit already. *)
    val park : unit -> bool
    (* Gives a thread its permit. *)
    val unpark : thread -> unit
    (* Lets other threads run. *)
    val giveWay : unit -> bool
    (* Adds to the number of reasons to mask this thread. While the number is not 0, the thread is not cancelled and does not give way at
       polls. *)
    val mask : int -> unit
    val isDue : unit -> bool
    val isLeft : unit -> bool
    (* Returns the number of transactions around the running code, even if the code is a part of a fork that another worker has taken. *)
    val depth : unit -> int
    (* Gives the permit after this number of nanoseconds. *)
    val alarm : thread * int -> int
    val unsetAlarm : int -> unit
    (* Gives the permit when one of these events of the descriptor happens. *)
    val watch : thread * int * int -> int
    val unwatch : int -> unit
    (* Returns true if no such event has happened yet. *)
    val isWatched : int -> bool
    (* Gives the permits of all threads that watch the descriptor. The program has closed the descriptor. *)
    val closed : int -> unit
    (* `isStuck` returns true if no thread can continue, and this thread must get the reason. *)
    (* `here` returns the name, for a report, of a thing of this kind that the running code makes. `waitsFor` sets the name of the thing
       for which this thread waits next. A negative name is the first of several names. *)
    val here : int -> int
    val waitsFor : int -> unit
    val isStuck : unit -> bool
    val stuck : unit -> string
    (* Reports that an exception, which has this origin, has ended the thread with this number. *)
    val uncaught : exn * int * int -> unit
    val endAll : unit -> unit
    (* Ends this thread where it is. Has no effect in the program itself and in parts of forks. *)
    val finish : unit -> unit
    (* Returns a number that identifies the running program. *)
    val program : unit -> int
    (* When a fiber is preempted, a separate thread calls this function. `given` of that thread is the fiber, which waits for `goOn`. *)
    val onPreempt : (unit -> unit) -> unit
    (* Sets whether polls preempt this thread. A poll preempts it at the end of its time slice, or after `preempt`. *)
    val preemptible : bool -> unit
    val preempt : thread -> unit
    val goOn : thread * bool -> bool
    val victim : thread -> thread
    (* The choice of a thread. `claim` returns 0 if the caller decides the choice, 1 if another thread is about to decide it, and 2 if it
       is over. `decision` returns the part for which it was decided, or a negative number if it was not decided or is void. *)
    val beginChoice : thread -> int
    val claim : thread * int -> int
    val unclaim : thread -> unit
    val decide : thread * int -> unit
    val decision : thread -> int
    (* A value for a thread whose choice was claimed. Its type is the type of the part for which the choice is decided. *)
    val hand : thread * 'a option -> unit
    val given : thread -> 'a option
    (* A value whose type is the same for all threads. *)
    val keep : thread * 'a option -> unit
    val kept : thread -> 'a option
    (* Stores `new` if the reference contains `old`. Returns the previous contents. *)
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
    val uncaught = _prim "rt.Thread.uncaught" : exn * int * int -> unit
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

  (* If the program's scheduler runs a thread, the thread calls `leave` before it waits. If `leave` returned true, the thread calls
     `back` after the wait: see `scheduler.sml`. *)
  structure Waits =
  struct
    val areFibers = ref false
    val leave : (unit -> bool) ref = ref (fn () => false)
    val back : (unit -> unit) ref = ref (fn () => ())
    (* Return and set whether signals are masked. *)
    val isMasked : (unit -> bool) ref = ref (fn () => false)
    val setMasked : (bool -> unit) ref = ref (fn _ => ())
    (* Call this before a part that may end early, and pass the result to `comeBack`. *)
    fun wasMasked () = if ! areFibers then (! isMasked) () else false
    (* Call this after a part has ended early. The part may have waited, and may have changed the mask without its handlers running. *)
    fun comeBack was = if ! areFibers then ((! back) (); (! setMasked) was) else ()
  end

  (* A vector of bytes is a string, with a type of its own. *)
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
    (* A file has a number; 0, 1 and 2 are the streams of the process. If a function that returns a number fails, it returns the negated
       number of the system's error. *)
    (* The int selects the mode: 0 to read, 1 to write from the beginning, 2 to append. *)
    val openFile = _prim "rt.Io.open" : string * int -> int
    val close = _prim "rt.Io.close" : int -> int
    (* Reads at most this number of bytes. Returns an empty string at the end of the file. After an error, `lastError` has its number. *)
    val read = _prim "rt.Io.read" : int * int -> string
    (* The runtime buffers the output, and flushes it when the program ends. *)
    val write = _prim "rt.Io.write" : int * string -> int
    val writeRange = _prim "rt.Io.writeRange" : int * string * int * int -> int
    val writeChar = _prim "rt.Io.writeChar" : int * char -> int
    val flush = _prim "rt.Io.flush" : int -> int
    (* The mode is 0 for no buffer, 1 for a buffer of a line, 2 for a buffer of a block. *)
    val bufferMode = _prim "rt.Io.bufferMode" : int -> int
    val setBufferMode = _prim "rt.Io.setBufferMode" : int * int -> unit
    val print = _prim "rt.Io.print" : string -> unit
    (* Returns the system's descriptor of an open file. *)
    val descriptor = _prim "rt.Io.descriptor" : int -> int
    (* Returns the number of the last error in a function that returns a string, or 0 if that call succeeded. *)
    val lastError = _prim "rt.Io.lastError" : unit -> int
  end

  structure System =
  struct
    val argumentCount = _prim "rt.System.argumentCount" : unit -> int
    val argument = _prim "rt.System.argument" : int -> string
    val programName = _prim "rt.System.programName" : unit -> string
    (* Flushes all output, and ends the process. *)
    val exit = _prim "rt.System.exit" : int -> unit
    (* Ends the process without flushing output. *)
    val leave = _prim "rt.System.leave" : int -> unit
    (* The function runs if an unhandled exception ends the process. *)
    val atExit = _prim "rt.System.atExit" : (unit -> unit) -> unit
    (* Returns an empty string if the variable is not set, and otherwise `=` followed by the value. *)
    val environment = _prim "rt.System.environment" : string -> string
    val errorMessage = _prim "rt.System.errorMessage" : int -> string
    val errorName = _prim "rt.System.errorName" : int -> string
    val errorNumber = _prim "rt.System.errorNumber" : string -> int
    (* Runs a command by the shell. Returns the exit status of the command. *)
    val command = _prim "rt.System.command" : string -> int
    val sleep = _prim "rt.System.sleep" : int -> unit
    (* All these functions return nanoseconds. *)
    val now = _prim "rt.System.now" : unit -> int
    val monotonic = _prim "rt.System.monotonic" : unit -> int
    val userTime = _prim "rt.System.userTime" : unit -> int
    val systemTime = _prim "rt.System.systemTime" : unit -> int
    val collectorTime = _prim "rt.System.collectorTime" : unit -> int
    (* Collects all generations. *)
    val collect = _prim "rt.System.collect" : unit -> unit
    (* Returns the local offset in seconds east of Greenwich, at a time in seconds. *)
    val localOffset = _prim "rt.System.localOffset" : int -> int
    (* `isDst` takes a time in seconds. It returns 1 during local summer time, 0 otherwise, and a negative number if this is unknown.
       `zone` returns the name of the time zone. *)
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
    (* Return 1 for yes and 0 for no. *)
    val isDir = _prim "rt.FileSys.isDir" : string -> int
    val isLink = _prim "rt.FileSys.isLink" : string -> int
    val readLink = _prim "rt.FileSys.readLink" : string -> string
    val realPath = _prim "rt.FileSys.realPath" : string -> string
    (* Times are in seconds. *)
    val modTime = _prim "rt.FileSys.modTime" : string -> int
    val setTime = _prim "rt.FileSys.setTime" : string * int -> int
    val fileSize = _prim "rt.FileSys.fileSize" : string -> int
    val remove = _prim "rt.FileSys.remove" : string -> int
    val rename = _prim "rt.FileSys.rename" : string * string -> int
    (* The int is a sum of 4 (read), 2 (write) and 1 (execute). Returns 1 or 0. *)
    val access = _prim "rt.FileSys.access" : string * int -> int
    val tmpName = _prim "rt.FileSys.tmpName" : unit -> string
    (* Both numbers together identify a file. *)
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
