(* Vectors and arrays of one type. CharVector, CharArray, Word8Vector, Word8Array and their slices consist of bytes. Vectors and arrays
   of ints, reals and bools are the polymorphic types. *)

signature MONO_VECTOR =
sig
  type vector
  type elem
  val maxLen : int
  val fromList : elem list -> vector
  val tabulate : int * (int -> elem) -> vector
  val length : vector -> int
  val sub : vector * int -> elem
  val update : vector * int * elem -> vector
  val concat : vector list -> vector
  val appi : (int * elem -> unit) -> vector -> unit
  val app : (elem -> unit) -> vector -> unit
  val mapi : (int * elem -> elem) -> vector -> vector
  val map : (elem -> elem) -> vector -> vector
  val foldli : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldri : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldl : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  val findi : (int * elem -> bool) -> vector -> (int * elem) option
  val find : (elem -> bool) -> vector -> elem option
  val exists : (elem -> bool) -> vector -> bool
  val all : (elem -> bool) -> vector -> bool
  val collate : (elem * elem -> order) -> vector * vector -> order
end

signature MONO_VECTOR_SLICE =
sig
  type elem
  type vector
  type slice
  val length : slice -> int
  val sub : slice * int -> elem
  val full : vector -> slice
  val slice : vector * int * int option -> slice
  val subslice : slice * int * int option -> slice
  val base : slice -> vector * int * int
  val vector : slice -> vector
  val concat : slice list -> vector
  val isEmpty : slice -> bool
  val getItem : slice -> (elem * slice) option
  val appi : (int * elem -> unit) -> slice -> unit
  val app : (elem -> unit) -> slice -> unit
  val mapi : (int * elem -> elem) -> slice -> vector
  val map : (elem -> elem) -> slice -> vector
  val foldli : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldri : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldl : (elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldr : (elem * 'b -> 'b) -> 'b -> slice -> 'b
  val findi : (int * elem -> bool) -> slice -> (int * elem) option
  val find : (elem -> bool) -> slice -> elem option
  val exists : (elem -> bool) -> slice -> bool
  val all : (elem -> bool) -> slice -> bool
  val collate : (elem * elem -> order) -> slice * slice -> order
end

signature MONO_ARRAY =
sig
  eqtype array
  type elem
  type vector
  val maxLen : int
  val array : int * elem -> array
  val fromList : elem list -> array
  val tabulate : int * (int -> elem) -> array
  val length : array -> int
  val sub : array * int -> elem
  val update : array * int * elem -> unit
  val vector : array -> vector
  val copy : {src : array, dst : array, di : int} -> unit
  val copyVec : {src : vector, dst : array, di : int} -> unit
  val appi : (int * elem -> unit) -> array -> unit
  val app : (elem -> unit) -> array -> unit
  val modifyi : (int * elem -> elem) -> array -> unit
  val modify : (elem -> elem) -> array -> unit
  val foldli : (int * elem * 'b -> 'b) -> 'b -> array -> 'b
  val foldri : (int * elem * 'b -> 'b) -> 'b -> array -> 'b
  val foldl : (elem * 'b -> 'b) -> 'b -> array -> 'b
  val foldr : (elem * 'b -> 'b) -> 'b -> array -> 'b
  val findi : (int * elem -> bool) -> array -> (int * elem) option
  val find : (elem -> bool) -> array -> elem option
  val exists : (elem -> bool) -> array -> bool
  val all : (elem -> bool) -> array -> bool
  val collate : (elem * elem -> order) -> array * array -> order
end

signature MONO_ARRAY_SLICE =
sig
  type elem
  type array
  type slice
  type vector
  type vector_slice
  val length : slice -> int
  val sub : slice * int -> elem
  val update : slice * int * elem -> unit
  val full : array -> slice
  val slice : array * int * int option -> slice
  val subslice : slice * int * int option -> slice
  val base : slice -> array * int * int
  val vector : slice -> vector
  val copy : {src : slice, dst : array, di : int} -> unit
  val copyVec : {src : vector_slice, dst : array, di : int} -> unit
  val isEmpty : slice -> bool
  val getItem : slice -> (elem * slice) option
  val appi : (int * elem -> unit) -> slice -> unit
  val app : (elem -> unit) -> slice -> unit
  val modifyi : (int * elem -> elem) -> slice -> unit
  val modify : (elem -> elem) -> slice -> unit
  val foldli : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldri : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldl : (elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldr : (elem * 'b -> 'b) -> 'b -> slice -> 'b
  val findi : (int * elem -> bool) -> slice -> (int * elem) option
  val find : (elem -> bool) -> slice -> elem option
  val exists : (elem -> bool) -> slice -> bool
  val all : (elem -> bool) -> slice -> bool
  val collate : (elem * elem -> order) -> slice * slice -> order
end

(* All loops run over a range of the base: a string for vectors, bytes for arrays. *)
functor ByteLoops
  (type base
   type elem
   val get : base * int -> elem
   val set : Core.bytes * int * elem -> unit) =
struct
  fun appi f (base, from, n) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (f (i - from, get (base, i)); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun mapi f (base, from, n) =
    let
      val bytes = Core.Bytes.new n
      fun go i =
        if i >= n then Core.Bytes.freeze bytes
        else (set (bytes, i, f (i, get (base, Core.Int.add (from, i)))); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun foldli f b (base, from, n) =
    let
      val stop = from + n
      fun go (i, b) = if i >= stop then b else go (Core.Int.add (i, 1), f (i - from, get (base, i), b))
    in
      go (from, b)
    end

  fun foldri f b (base, from, n) =
    let
      fun go (i, b) = if i < from then b else go (Core.Int.sub (i, 1), f (i - from, get (base, i), b))
    in
      go (from + n - 1, b)
    end

  fun findi f (base, from, n) =
    let
      val stop = from + n
      fun go i =
        if i >= stop then NONE
        else
          let val x = (i - from, get (base, i))
          in if f x then SOME x else go (Core.Int.add (i, 1))
          end
    in
      go from
    end

  fun app f (base, from, n) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (f (get (base, i)); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun map f (base, from, n) =
    let
      val bytes = Core.Bytes.new n
      fun go i =
        if i >= n then Core.Bytes.freeze bytes
        else (set (bytes, i, f (get (base, Core.Int.add (from, i)))); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun foldl f b (base, from, n) =
    let
      val stop = from + n
      fun go (i, b) = if i >= stop then b else go (Core.Int.add (i, 1), f (get (base, i), b))
    in
      go (from, b)
    end

  fun foldr f b (base, from, n) =
    let
      fun go (i, b) = if i < from then b else go (Core.Int.sub (i, 1), f (get (base, i), b))
    in
      go (from + n - 1, b)
    end

  fun find f (base, from, n) =
    let
      val stop = from + n
      fun go i =
        if i >= stop then NONE
        else
          let val x = get (base, i)
          in if f x then SOME x else go (Core.Int.add (i, 1))
          end
    in
      go from
    end

  fun exists f (base, from, n) =
    let
      val stop = from + n
      fun go i = i < stop andalso (f (get (base, i)) orelse go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun all f range = not (exists (fn x => not (f x)) range)

  fun collate f ((a, i, m), (b, j, n)) =
    let
      fun go k =
        if k >= m then if k >= n then EQUAL else LESS
        else if k >= n then GREATER
        else
          case f (get (a, Core.Int.add (i, k)), get (b, Core.Int.add (j, k))) of
            EQUAL => go (Core.Int.add (k, 1))
          | other => other
    in
      go 0
    end
end

functor ByteSequences
  (type elem
   type vector
   val ofString : string -> vector
   val toString : vector -> string
   val getString : string * int -> elem
   val get : Core.bytes * int -> elem
   val set : Core.bytes * int * elem -> unit) =
struct
  (* Each application of the functor has its own array type. *)
  structure Rep :>
  sig
    eqtype array
    val make : Core.bytes -> array
    val bytes : array -> Core.bytes
  end =
  struct
    type array = Core.bytes
    fun make bytes = bytes
    fun bytes array = array
  end

  fun filled (n, f) =
    let
      val bytes = Core.Bytes.new n
      fun go i = if i >= n then bytes else (set (bytes, i, f i); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun ofList l =
    let
      val bytes = Core.Bytes.new (List.length l)
      fun go (nil, _) = bytes
        | go (x :: rest, i) = (set (bytes, i, x); go (rest, Core.Int.add (i, 1)))
    in
      go (l, 0)
    end

  fun checkSize n = if n < 0 orelse n > Core.String.maxSize then raise Size else n

  structure Vector =
  struct
    structure Loops = ByteLoops (type base = string type elem = elem val get = getString val set = set)
    type vector = vector
    type elem = elem
    val maxLen = Core.String.maxSize
    fun whole v =
      let val s = toString v
      in (s, 0, Core.String.size s)
      end
    fun fromList l = ofString (Core.Bytes.freeze (ofList l))
    fun tabulate (n, f) = ofString (Core.Bytes.freeze (filled (checkSize n, f)))
    fun length v = Core.String.size (toString v)
    fun sub (v, i) = if Core.Int.within (i, length v) then getString (toString v, i) else raise Subscript
    fun update (v, i, x) =
      if Core.Int.within (i, length v) then
        let val bytes = Core.Bytes.new (length v)
        in
          Core.Bytes.copyString (toString v, 0, bytes, 0, length v);
          set (bytes, i, x);
          ofString (Core.Bytes.freeze bytes)
        end
      else raise Subscript
    fun concat vs = ofString (String.concat (List.map toString vs))
    fun mapi f v = ofString (Loops.mapi f (whole v))
    fun map f v = ofString (Loops.map f (whole v))
    fun appi f v = Loops.appi f (whole v)
    fun app f v = Loops.app f (whole v)
    fun foldli f b v = Loops.foldli f b (whole v)
    fun foldl f b v = Loops.foldl f b (whole v)
    fun foldri f b v = Loops.foldri f b (whole v)
    fun foldr f b v = Loops.foldr f b (whole v)
    fun findi f v = Loops.findi f (whole v)
    fun find f v = Loops.find f (whole v)
    fun exists f v = Loops.exists f (whole v)
    fun all f v = Loops.all f (whole v)
    fun collate f (a, b) = Loops.collate f (whole a, whole b)
  end

  structure VectorSlice =
  struct
    structure Loops = Vector.Loops
    type vector = vector
    type elem = elem
    datatype slice = Slice of string * int * int
    fun range (Slice range) = range
    fun length (Slice (_, _, n)) = n
    fun sub (Slice (base, from, n), i) =
      if Core.Int.within (i, n) then getString (base, Core.Int.add (from, i)) else raise Subscript
    fun full v = Slice (Vector.whole v)
    fun slice (v, i, n) = Slice (toString v, i, Range.check (Vector.length v, i, n))
    fun subslice (Slice (base, from, length), i, n) =
      let val n = Range.check (length, i, n)
      in Slice (base, from + i, n)
      end
    fun base (Slice (base, from, n)) = (ofString base, from, n)
    fun vector (Slice range) = ofString (Chars.substring range)
    fun concat slices = Vector.concat (List.map vector slices)
    fun isEmpty (Slice (_, _, n)) = n = 0
    fun getItem (Slice (base, from, n)) =
      if n = 0 then NONE else SOME (getString (base, from), Slice (base, from + 1, n - 1))
    fun mapi f (Slice range) = ofString (Loops.mapi f range)
    fun map f (Slice range) = ofString (Loops.map f range)
    fun appi f (Slice range) = Loops.appi f range
    fun app f (Slice range) = Loops.app f range
    fun foldli f b (Slice range) = Loops.foldli f b range
    fun foldl f b (Slice range) = Loops.foldl f b range
    fun foldri f b (Slice range) = Loops.foldri f b range
    fun foldr f b (Slice range) = Loops.foldr f b range
    fun findi f (Slice range) = Loops.findi f range
    fun find f (Slice range) = Loops.find f range
    fun exists f (Slice range) = Loops.exists f range
    fun all f (Slice range) = Loops.all f range
    fun collate f (a, b) = Loops.collate f (range a, range b)
  end

  structure Array =
  struct
    structure Loops = ByteLoops (type base = Core.bytes type elem = elem val get = get val set = set)
    type array = Rep.array
    type vector = vector
    type elem = elem
    val maxLen = Core.String.maxSize
    fun whole a =
      let val bytes = Rep.bytes a
      in (bytes, 0, Core.Bytes.length bytes)
      end
    fun array (n, x) = Rep.make (filled (checkSize n, fn _ => x))
    fun fromList l = Rep.make (ofList l)
    fun tabulate (n, f) = Rep.make (filled (checkSize n, f))
    fun length a = Core.Bytes.length (Rep.bytes a)
    fun sub (a, i) = if Core.Int.within (i, length a) then get (Rep.bytes a, i) else raise Subscript
    fun update (a, i, x) = if Core.Int.within (i, length a) then set (Rep.bytes a, i, x) else raise Subscript
    fun part (bytes, from, n) =
      let val new = Core.Bytes.new n
      in
        Core.Bytes.copy (bytes, from, new, 0, n);
        ofString (Core.Bytes.freeze new)
      end
    fun vector a = part (whole a)
    fun checkRoom (n, dst, di) = if di < 0 orelse di > length dst orelse n > length dst - di then raise Subscript else ()
    fun copy {src, dst, di} =
      (checkRoom (length src, dst, di); Core.Bytes.copy (Rep.bytes src, 0, Rep.bytes dst, di, length src))
    fun copyVec {src, dst, di} =
      (checkRoom (Vector.length src, dst, di);
       Core.Bytes.copyString (toString src, 0, Rep.bytes dst, di, Vector.length src))
    fun modifyRange f (bytes, from, n) =
      let
        val stop = from + n
        fun go i =
          if i >= stop then () else (set (bytes, i, f (i - from, get (bytes, i))); go (Core.Int.add (i, 1)))
      in
        go from
      end
    fun modifyi f a = modifyRange f (whole a)
    fun modify f a = modifyRange (fn (_, x) => f x) (whole a)
    fun appi f a = Loops.appi f (whole a)
    fun app f a = Loops.app f (whole a)
    fun foldli f b a = Loops.foldli f b (whole a)
    fun foldl f b a = Loops.foldl f b (whole a)
    fun foldri f b a = Loops.foldri f b (whole a)
    fun foldr f b a = Loops.foldr f b (whole a)
    fun findi f a = Loops.findi f (whole a)
    fun find f a = Loops.find f (whole a)
    fun exists f a = Loops.exists f (whole a)
    fun all f a = Loops.all f (whole a)
    fun collate f (a, b) = Loops.collate f (whole a, whole b)
  end

  structure ArraySlice =
  struct
    structure Loops = Array.Loops
    type array = Rep.array
    type vector = vector
    type vector_slice = VectorSlice.slice
    type elem = elem
    datatype slice = Slice of Core.bytes * int * int
    fun range (Slice range) = range
    fun length (Slice (_, _, n)) = n
    fun sub (Slice (base, from, n), i) =
      if Core.Int.within (i, n) then get (base, Core.Int.add (from, i)) else raise Subscript
    fun update (Slice (base, from, n), i, x) =
      if Core.Int.within (i, n) then set (base, Core.Int.add (from, i), x) else raise Subscript
    fun full a = Slice (Array.whole a)
    fun slice (a, i, n) = Slice (Rep.bytes a, i, Range.check (Array.length a, i, n))
    fun subslice (Slice (base, from, length), i, n) =
      let val n = Range.check (length, i, n)
      in Slice (base, from + i, n)
      end
    fun base (Slice (base, from, n)) = (Rep.make base, from, n)
    fun vector (Slice range) = Array.part range
    fun copy {src = Slice (base, from, n), dst, di} =
      (Array.checkRoom (n, dst, di); Core.Bytes.copy (base, from, Rep.bytes dst, di, n))
    fun copyVec {src = VectorSlice.Slice (base, from, n), dst, di} =
      (Array.checkRoom (n, dst, di); Core.Bytes.copyString (base, from, Rep.bytes dst, di, n))
    fun isEmpty (Slice (_, _, n)) = n = 0
    fun getItem (Slice (base, from, n)) =
      if n = 0 then NONE else SOME (get (base, from), Slice (base, from + 1, n - 1))
    fun modifyi f (Slice range) = Array.modifyRange f range
    fun modify f (Slice range) = Array.modifyRange (fn (_, x) => f x) range
    fun appi f (Slice range) = Loops.appi f range
    fun app f (Slice range) = Loops.app f range
    fun foldli f b (Slice range) = Loops.foldli f b range
    fun foldl f b (Slice range) = Loops.foldl f b range
    fun foldri f b (Slice range) = Loops.foldri f b range
    fun foldr f b (Slice range) = Loops.foldr f b range
    fun findi f (Slice range) = Loops.findi f range
    fun find f (Slice range) = Loops.find f range
    fun exists f (Slice range) = Loops.exists f range
    fun all f (Slice range) = Loops.all f range
    fun collate f (a, b) = Loops.collate f (range a, range b)
  end
end

structure CharSequences =
  ByteSequences
    (type elem = char
     type vector = string
     fun ofString s = s
     fun toString s = s
     val getString = Core.String.sub
     val get = Core.Bytes.getChar
     val set = Core.Bytes.setChar)

structure ByteSequences' =
  ByteSequences
    (type elem = Core.word8
     type vector = Core.ByteVector.vector
     val ofString = Core.ByteVector.ofString
     val toString = Core.ByteVector.toString
     fun getString (s, i) = Core.Char.toByte (Core.String.sub (s, i))
     val get = Core.Bytes.getByte
     val set = Core.Bytes.setByte)

structure CharVector : MONO_VECTOR = CharSequences.Vector
structure CharVectorSlice : MONO_VECTOR_SLICE = CharSequences.VectorSlice
structure CharArray : MONO_ARRAY = CharSequences.Array
structure CharArraySlice : MONO_ARRAY_SLICE = CharSequences.ArraySlice
structure Word8Vector : MONO_VECTOR = ByteSequences'.Vector
structure Word8VectorSlice : MONO_VECTOR_SLICE = ByteSequences'.VectorSlice
structure Word8Array : MONO_ARRAY = ByteSequences'.Array
structure Word8ArraySlice : MONO_ARRAY_SLICE = ByteSequences'.ArraySlice

functor PolymorphicSequences (type elem) =
struct
  structure Vector : MONO_VECTOR =
  struct
    open Vector
    type elem = elem
    type vector = elem vector
  end

  structure VectorSlice : MONO_VECTOR_SLICE =
  struct
    open VectorSlice
    type elem = elem
    type vector = elem vector
    type slice = elem slice
  end

  structure Array : MONO_ARRAY =
  struct
    open Array
    type elem = elem
    type vector = elem vector
    type array = elem array
  end

  structure ArraySlice : MONO_ARRAY_SLICE =
  struct
    open ArraySlice
    type elem = elem
    type vector = elem vector
    type vector_slice = VectorSlice.slice
    type array = elem array
    type slice = elem slice
  end
end

structure IntSequences = PolymorphicSequences (type elem = int)
structure IntVector = IntSequences.Vector
structure IntVectorSlice = IntSequences.VectorSlice
structure IntArray = IntSequences.Array
structure IntArraySlice = IntSequences.ArraySlice

structure RealSequences = PolymorphicSequences (type elem = real)
structure RealVector = RealSequences.Vector
structure RealVectorSlice = RealSequences.VectorSlice
structure RealArray = RealSequences.Array
structure RealArraySlice = RealSequences.ArraySlice

structure BoolSequences = PolymorphicSequences (type elem = bool)
structure BoolVector = BoolSequences.Vector
structure BoolVectorSlice = BoolSequences.VectorSlice
structure BoolArray = BoolSequences.Array
structure BoolArraySlice = BoolSequences.ArraySlice

structure Real64Vector = RealVector
structure Real64VectorSlice = RealVectorSlice
structure Real64Array = RealArray
structure Real64ArraySlice = RealArraySlice
structure LargeRealVector = RealVector
structure LargeRealVectorSlice = RealVectorSlice
structure LargeRealArray = RealArray
structure LargeRealArraySlice = RealArraySlice
structure Int64Vector = IntVector
structure Int64VectorSlice = IntVectorSlice
structure Int64Array = IntArray
structure Int64ArraySlice = IntArraySlice
