(* Vectors and arrays of the other types of numbers, and arrays of two dimensions of one type. Each of them is a polymorphic type with a
   fixed type of elements. *)

structure Int8Sequences = PolymorphicSequences (type elem = Int8.int)
structure Int8Vector = Int8Sequences.Vector
structure Int8VectorSlice = Int8Sequences.VectorSlice
structure Int8Array = Int8Sequences.Array
structure Int8ArraySlice = Int8Sequences.ArraySlice

structure Int16Sequences = PolymorphicSequences (type elem = Int16.int)
structure Int16Vector = Int16Sequences.Vector
structure Int16VectorSlice = Int16Sequences.VectorSlice
structure Int16Array = Int16Sequences.Array
structure Int16ArraySlice = Int16Sequences.ArraySlice

structure Int32Sequences = PolymorphicSequences (type elem = Int32.int)
structure Int32Vector = Int32Sequences.Vector
structure Int32VectorSlice = Int32Sequences.VectorSlice
structure Int32Array = Int32Sequences.Array
structure Int32ArraySlice = Int32Sequences.ArraySlice

structure LargeIntSequences = PolymorphicSequences (type elem = LargeInt.int)
structure LargeIntVector = LargeIntSequences.Vector
structure LargeIntVectorSlice = LargeIntSequences.VectorSlice
structure LargeIntArray = LargeIntSequences.Array
structure LargeIntArraySlice = LargeIntSequences.ArraySlice

structure WordSequences = PolymorphicSequences (type elem = word)
structure WordVector = WordSequences.Vector
structure WordVectorSlice = WordSequences.VectorSlice
structure WordArray = WordSequences.Array
structure WordArraySlice = WordSequences.ArraySlice

structure Word16Sequences = PolymorphicSequences (type elem = Word16.word)
structure Word16Vector = Word16Sequences.Vector
structure Word16VectorSlice = Word16Sequences.VectorSlice
structure Word16Array = Word16Sequences.Array
structure Word16ArraySlice = Word16Sequences.ArraySlice

structure Word32Sequences = PolymorphicSequences (type elem = Word32.word)
structure Word32Vector = Word32Sequences.Vector
structure Word32VectorSlice = Word32Sequences.VectorSlice
structure Word32Array = Word32Sequences.Array
structure Word32ArraySlice = Word32Sequences.ArraySlice

structure Real32Sequences = PolymorphicSequences (type elem = Real32.real)
structure Real32Vector = Real32Sequences.Vector
structure Real32VectorSlice = Real32Sequences.VectorSlice
structure Real32Array = Real32Sequences.Array
structure Real32ArraySlice = Real32Sequences.ArraySlice

structure LargeWordVector = WordVector
structure LargeWordVectorSlice = WordVectorSlice
structure LargeWordArray = WordArray
structure LargeWordArraySlice = WordArraySlice

structure Word64Vector = WordVector
structure Word64VectorSlice = WordVectorSlice
structure Word64Array = WordArray
structure Word64ArraySlice = WordArraySlice

signature MONO_ARRAY2 =
sig
  eqtype array
  type elem
  type vector
  type region = {base : array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = datatype Array2.traversal
  val array : int * int * elem -> array
  val fromList : elem list list -> array
  val tabulate : traversal -> int * int * (int * int -> elem) -> array
  val sub : array * int * int -> elem
  val update : array * int * int * elem -> unit
  val dimensions : array -> int * int
  val nRows : array -> int
  val nCols : array -> int
  val row : array * int -> vector
  val column : array * int -> vector
  val copy : {src : region, dst : array, dst_row : int, dst_col : int} -> unit
  val appi : traversal -> (int * int * elem -> unit) -> region -> unit
  val app : traversal -> (elem -> unit) -> array -> unit
  val foldi : traversal -> (int * int * elem * 'b -> 'b) -> 'b -> region -> 'b
  val fold : traversal -> (elem * 'b -> 'b) -> 'b -> array -> 'b
  val modifyi : traversal -> (int * int * elem -> elem) -> region -> unit
  val modify : traversal -> (elem -> elem) -> array -> unit
end

functor MonoArray2 (Of : MONO_VECTOR) : MONO_ARRAY2 =
struct
  open Array2
  type elem = Of.elem
  type vector = Of.vector
  type array = elem Array2.array
  type region = {base : array, row : int, col : int, nrows : int option, ncols : int option}
  fun line v = Of.tabulate (Vector.length v, fn i => Vector.sub (v, i))
  val row = fn place => line (row place)
  val column = fn place => line (column place)
end

structure BoolArray2 = MonoArray2 (BoolVector)
structure CharArray2 = MonoArray2 (CharVector)
structure IntArray2 = MonoArray2 (IntVector)
structure Int8Array2 = MonoArray2 (Int8Vector)
structure Int16Array2 = MonoArray2 (Int16Vector)
structure Int32Array2 = MonoArray2 (Int32Vector)
structure LargeIntArray2 = MonoArray2 (LargeIntVector)
structure RealArray2 = MonoArray2 (RealVector)
structure Real32Array2 = MonoArray2 (Real32Vector)
structure WordArray2 = MonoArray2 (WordVector)
structure Word8Array2 = MonoArray2 (Word8Vector)
structure Word16Array2 = MonoArray2 (Word16Vector)
structure Word32Array2 = MonoArray2 (Word32Vector)
structure Int64Array2 = IntArray2
structure LargeRealArray2 = RealArray2
structure Real64Array2 = RealArray2
structure LargeWordArray2 = WordArray2
structure Word64Array2 = WordArray2
