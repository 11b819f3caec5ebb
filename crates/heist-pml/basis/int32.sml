(* Declarations for programs that are compiled with `--default-type int32`. In such a program `int` has 32 bits, as in programs that MLton
   compiles without an option.

   The type `int` is still the `int` of the rest of the Basis. Operators, and functions whose results may be larger, raise Overflow
   outside of 32 bits. `Int32.int` is `int`. `Int64.int` is a separate type, whose values have 64 bits. *)

structure Narrow =
struct
  fun check i =
    if i < ~2147483648 orelse i > 2147483647 then raise Overflow else i
end

structure Int64 :> INTEGER =
struct
  open Int
  val toInt = Narrow.check
end
structure FixedInt = Int64
structure Int64Sequences = PolymorphicSequences (type elem = Int64.int)
structure Int64Vector = Int64Sequences.Vector
structure Int64VectorSlice = Int64Sequences.VectorSlice
structure Int64Array = Int64Sequences.Array
structure Int64ArraySlice = Int64Sequences.ArraySlice
structure Int64Array2 = MonoArray2 (Int64Vector)

structure Int : INTEGER =
  SizedInt
    (type int = int
     fun toInt (i : int) = i
     val fromInt = Narrow.check
     val precision = 32)
structure Int32 = Int
structure Int32Vector = IntVector
structure Int32VectorSlice = IntVectorSlice
structure Int32Array = IntArray
structure Int32ArraySlice = IntArraySlice
structure Int32Array2 = IntArray2
structure Position = Int

structure IntInf : INT_INF =
struct
  open IntInf
  fun toInt i = Int.fromInt (IntInf.toInt i)
end
structure LargeInt = IntInf

functor NarrowWord (W : WORD) : WORD =
struct
  open W
  fun toInt w = Int.fromInt (W.toInt w)
  fun toIntX w = Int.fromInt (W.toIntX w)
end
structure Word32 = NarrowWord (Word32)
structure Word = NarrowWord (Word)
structure LargeWord = Word
structure SysWord = Word
structure Word64 = Word

functor NarrowReal (R : REAL) : REAL =
struct
  open R
  fun floor r = Int.fromInt (R.floor r)
  fun ceil r = Int.fromInt (R.ceil r)
  fun trunc r = Int.fromInt (R.trunc r)
  fun round r = Int.fromInt (R.round r)
  fun toInt mode r = Int.fromInt (R.toInt mode r)
end
structure Real32 = NarrowReal (Real32)
structure Real = NarrowReal (Real)
structure LargeReal = Real
structure Real64 = Real
val floor = Real.floor
val ceil = Real.ceil
val trunc = Real.trunc
val round = Real.round
