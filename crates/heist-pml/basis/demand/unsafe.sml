signature UNSAFE_MONO_ARRAY =
sig
  type array
  type elem
  val create : int -> array
  val sub : array * int -> elem
  val update : array * int * elem -> unit
end

signature UNSAFE_MONO_VECTOR =
sig
  type elem
  type vector
  val sub : vector * int -> elem
end

functor CreatedArray (structure A : MONO_ARRAY val first : A.elem) : UNSAFE_MONO_ARRAY =
struct
  open A
  fun create n = array (n, first)
end

(* MLton checks no index in these functions. Here an index that is out of bounds raises Subscript. *)
structure Unsafe =
struct
  structure Array =
  struct
    val sub = Array.sub
    val update = Array.update
    val create = Array.array
    val alloc = ForkJoin.alloc
  end
  structure Vector = struct val sub = Vector.sub end
  structure BoolArray = CreatedArray (structure A = BoolArray val first = false)
  structure CharArray = CreatedArray (structure A = CharArray val first = #"\000")
  structure IntArray = CreatedArray (structure A = IntArray val first = 0)
  structure Int8Array = CreatedArray (structure A = Int8Array val first = Int8.fromInt 0)
  structure Int16Array = CreatedArray (structure A = Int16Array val first = Int16.fromInt 0)
  structure Int32Array = CreatedArray (structure A = Int32Array val first = Int32.fromInt 0)
  structure Int64Array = IntArray
  structure LargeIntArray = CreatedArray (structure A = LargeIntArray val first = LargeInt.fromInt 0)
  structure IntInfArray = LargeIntArray
  structure RealArray = CreatedArray (structure A = RealArray val first = 0.0)
  structure Real32Array = CreatedArray (structure A = Real32Array val first = Real32.fromInt 0)
  structure Real64Array = RealArray
  structure LargeRealArray = RealArray
  structure WordArray = CreatedArray (structure A = WordArray val first = 0w0)
  structure Word8Array = CreatedArray (structure A = Word8Array val first = Word8.fromInt 0)
  structure Word16Array = CreatedArray (structure A = Word16Array val first = Word16.fromInt 0)
  structure Word32Array = CreatedArray (structure A = Word32Array val first = Word32.fromInt 0)
  structure Word64Array = WordArray
  structure LargeWordArray = WordArray
  structure BoolVector : UNSAFE_MONO_VECTOR = BoolVector
  structure CharVector : UNSAFE_MONO_VECTOR = CharVector
  structure IntVector : UNSAFE_MONO_VECTOR = IntVector
  structure Int8Vector : UNSAFE_MONO_VECTOR = Int8Vector
  structure Int16Vector : UNSAFE_MONO_VECTOR = Int16Vector
  structure Int32Vector : UNSAFE_MONO_VECTOR = Int32Vector
  structure Int64Vector = IntVector
  structure LargeIntVector : UNSAFE_MONO_VECTOR = LargeIntVector
  structure IntInfVector = LargeIntVector
  structure RealVector : UNSAFE_MONO_VECTOR = RealVector
  structure Real32Vector : UNSAFE_MONO_VECTOR = Real32Vector
  structure Real64Vector = RealVector
  structure LargeRealVector = RealVector
  structure WordVector : UNSAFE_MONO_VECTOR = WordVector
  structure Word8Vector : UNSAFE_MONO_VECTOR = Word8Vector
  structure Word16Vector : UNSAFE_MONO_VECTOR = Word16Vector
  structure Word32Vector : UNSAFE_MONO_VECTOR = Word32Vector
  structure Word64Vector = WordVector
  structure LargeWordVector = WordVector
  structure PackReal32Big = PackReal32Big
  structure PackReal32Little = PackReal32Little
  structure PackReal64Big = PackReal64Big
  structure PackReal64Little = PackReal64Little
  structure PackRealBig = PackRealBig
  structure PackRealLittle = PackRealLittle
  structure PackWord16Big = PackWord16Big
  structure PackWord16Little = PackWord16Little
  structure PackWord32Big = PackWord32Big
  structure PackWord32Little = PackWord32Little
  structure PackWord64Big = PackWord64Big
  structure PackWord64Little = PackWord64Little
end
