(* Words and reals in vectors and arrays of bytes. *)

signature PACK_WORD =
sig
  val bytesPerElem : int
  val isBigEndian : bool
  val subVec : Word8Vector.vector * int -> LargeWord.word
  val subVecX : Word8Vector.vector * int -> LargeWord.word
  val subArr : Word8Array.array * int -> LargeWord.word
  val subArrX : Word8Array.array * int -> LargeWord.word
  val update : Word8Array.array * int * LargeWord.word -> unit
end

(* Elements of any size. Elements of 1, 2, 4 and 8 bytes are read and written in one step. *)
functor PackWord (val bytesPerElem : int val isBigEndian : bool) : PACK_WORD =
struct
  val bytesOfVector = _prim "cast" : Word8Vector.vector -> Core.bytes
  val bytesOfArray = _prim "cast" : Word8Array.array -> Core.bytes
  val swap = _prim "Word.swap" : word -> word

  val bytesPerElem = bytesPerElem
  val isBigEndian = isBigEndian

  val unused = Word.fromInt (64 - 8 * bytesPerElem)
  (* Returns the bytes of an element in the opposite order. *)
  fun swapped word = if isBigEndian then Word.>> (swap word, unused) else word

  (* Returns the position at which an element starts. *)
  fun start (i, length) =
    if i < 0 orelse i >= length div bytesPerElem then raise Subscript else i * bytesPerElem

  fun get (bytes, i) =
    let
      val from = start (i, Core.Bytes.length bytes)
      fun go (k, word) =
        if k < 0 then word
        else go (k - 1, Word.orb (Word.<< (word, 0w8), Word8.toLarge (Core.Bytes.getByte (bytes, from + k))))
    in
      swapped
        (case bytesPerElem of
           1 => Word8.toLarge (Core.Bytes.getByte (bytes, from))
         | 2 => Core.Bytes.get16 (bytes, from)
         | 4 => Core.Bytes.get32 (bytes, from)
         | 8 => Core.Bytes.get64 (bytes, from)
         | n => go (n - 1, 0w0))
    end
  fun extended word = Word.~>> (Word.<< (word, unused), unused)

  fun subVec (v, i) = get (bytesOfVector v, i)
  fun subArr (a, i) = get (bytesOfArray a, i)
  val subVecX = extended o subVec
  val subArrX = extended o subArr

  fun update (a, i, word) =
    let
      val bytes = bytesOfArray a
      val from = start (i, Core.Bytes.length bytes)
      val word = swapped word
      fun go (k, word) =
        if k < bytesPerElem then
          (Core.Bytes.setByte (bytes, from + k, Word8.fromLarge word); go (k + 1, Word.>> (word, 0w8)))
        else ()
    in
      case bytesPerElem of
        1 => Core.Bytes.setByte (bytes, from, Word8.fromLarge word)
      | 2 => Core.Bytes.set16 (bytes, from, word)
      | 4 => Core.Bytes.set32 (bytes, from, word)
      | 8 => Core.Bytes.set64 (bytes, from, word)
      | _ => go (0, word)
    end
end

structure PackWord8Big = PackWord (val bytesPerElem = 1 val isBigEndian = true)
structure PackWord8Little = PackWord (val bytesPerElem = 1 val isBigEndian = false)
structure PackWord16Big = PackWord (val bytesPerElem = 2 val isBigEndian = true)
structure PackWord16Little = PackWord (val bytesPerElem = 2 val isBigEndian = false)
structure PackWord32Big = PackWord (val bytesPerElem = 4 val isBigEndian = true)
structure PackWord32Little = PackWord (val bytesPerElem = 4 val isBigEndian = false)
structure PackWord64Big = PackWord (val bytesPerElem = 8 val isBigEndian = true)
structure PackWord64Little = PackWord (val bytesPerElem = 8 val isBigEndian = false)

signature PACK_REAL =
sig
  type real
  val bytesPerElem : int
  val isBigEndian : bool
  val toBytes : real -> Word8Vector.vector
  val fromBytes : Word8Vector.vector -> real
  val subVec : Word8Vector.vector * int -> real
  val subArr : Word8Array.array * int -> real
  val update : Word8Array.array * int * real -> unit
end

functor PackReal (type real val toBits : real -> word val ofBits : word -> real structure Words : PACK_WORD) =
struct
  type real = real
  val bytesPerElem = Words.bytesPerElem
  val isBigEndian = Words.isBigEndian
  fun subVec (v, i) = ofBits (Words.subVec (v, i))
  fun subArr (a, i) = ofBits (Words.subArr (a, i))
  fun update (a, i, r) = Words.update (a, i, toBits r)
  fun toBytes r =
    let val a = Word8Array.array (bytesPerElem, 0w0)
    in update (a, 0, r); Word8Array.vector a
    end
  fun fromBytes v = if Word8Vector.length v < bytesPerElem then raise Subscript else subVec (v, 0)
end

structure PackReal64Big : PACK_REAL =
  PackReal (type real = real val toBits = Core.Real.bits val ofBits = Core.Real.ofBits structure Words = PackWord64Big)
structure PackReal64Little : PACK_REAL =
  PackReal (type real = real val toBits = Core.Real.bits val ofBits = Core.Real.ofBits structure Words = PackWord64Little)
structure PackRealBig = PackReal64Big
structure PackRealLittle = PackReal64Little

(* The bits of reals of 32 bits. The exponent and the fraction are smaller than in reals of 64 bits. *)
structure Bits32 =
struct
  type real = Real32.real
  fun toBits r =
    let
      val bits = Core.Real.bits (Real32.toLarge r)
      val sign = Word.<< (Word.>> (bits, 0w63), 0w31)
      val fraction = Word.andb (Word.>> (bits, 0w29), 0wx7fffff)
      (* For a subnormal number, the fraction is a multiple of the smallest subnormal number. *)
      fun small () = Word.fromLargeInt (Real.toLargeInt IEEEReal.TO_NEAREST
        (Real.fromManExp (let val {man, exp} = Real.toManExp (abs (Real32.toLarge r)) in {man = man, exp = exp + 149} end)))
      val magnitude =
        case Real32.class r of
          IEEEReal.ZERO => 0w0
        | IEEEReal.INF => 0wx7f800000
        | IEEEReal.NAN => Word.orb (0wx7f800000, if fraction = 0w0 then 0wx400000 else fraction)
        | IEEEReal.SUBNORMAL => small ()
        | IEEEReal.NORMAL =>
            Word.orb (Word.<< (Word.andb (Word.>> (bits, 0w52), 0wx7ff) - 0w896, 0w23), fraction)
    in
      Word.orb (sign, magnitude)
    end
  fun ofBits word =
    let
      val fraction = Word.andb (word, 0wx7fffff)
      val exponent = Word.andb (Word.>> (word, 0w23), 0wxff)
      val sign = Word.<< (Word.>> (word, 0w31), 0w63)
      fun make magnitude = Core.Real.ofBits (Word.orb (sign, magnitude))
      val wide =
        if exponent = 0w0 then
          let val r = Real.fromManExp {man = Real.fromLargeInt (Word.toLargeInt fraction), exp = ~149}
          in if sign = 0w0 then r else ~ r
          end
        else if exponent = 0wxff then make (Word.orb (0wx7ff0000000000000, Word.<< (fraction, 0w29)))
        else make (Word.orb (Word.<< (exponent + 0w896, 0w52), Word.<< (fraction, 0w29)))
    in
      Real32.fromLarge IEEEReal.TO_NEAREST wide
    end
end

structure PackReal32Big : PACK_REAL = PackReal (open Bits32 structure Words = PackWord32Big)
structure PackReal32Little : PACK_REAL = PackReal (open Bits32 structure Words = PackWord32Little)
