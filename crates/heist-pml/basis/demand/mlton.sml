(* The parts of MLton's own library that programs use and Heist has. *)

signature MLTON_WORD =
sig
  type t
  val bswap : t -> t
  val rol : t * word -> t
  val ror : t * word -> t
end

functor RotatedWord (W : WORD) =
struct
  type t = W.word
  val size = Word.fromInt W.wordSize
  fun rol (w, n) =
    let val n = Word.mod (n, size)
    in W.orb (W.<< (w, n), W.>> (w, Word.- (size, n)))
    end
  fun ror (w, n) = rol (w, Word.- (size, Word.mod (n, size)))
  fun bswap w =
    let
      val byte = W.fromInt 255
      fun go (0, _, swapped) = swapped
        | go (n, rest, swapped) =
            go (n - 1, W.>> (rest, 0w8), W.orb (W.<< (swapped, 0w8), W.andb (rest, byte)))
    in
      if W.wordSize = 8 then w else go (W.wordSize div 8, w, W.fromInt 0)
    end
end

signature MLTON_INT_INF =
sig
  type t
  val areSmall : t * t -> bool
  val gcd : t * t -> t
  val isSmall : t -> bool
end

structure MLtonIntInf :> MLTON_INT_INF where type t = IntInf.int =
struct
  type t = IntInf.int
  (* The bounds of MLton's small numbers, which have 63 bits including the sign. *)
  val most = IntInf.fromInt 0x3fffffffffffffff
  val least = IntInf.- (IntInf.~ most, IntInf.fromInt 1)
  fun isSmall i = IntInf.>= (i, least) andalso IntInf.<= (i, most)
  fun areSmall (a, b) = isSmall a andalso isSmall b
  val zero = IntInf.fromInt 0
  fun gcd (a, b) = if b = zero then IntInf.abs a else gcd (b, IntInf.rem (a, b))
end

functor Unfolded (type 'a sequence val fromList : 'a list -> 'a sequence) =
struct
  fun unfoldi (n, state, f) =
    let
      fun go (i, state, elements) =
        if i = n then (fromList (List.rev elements), state)
        else let val (element, state) = f (i, state) in go (i + 1, state, element :: elements) end
    in
      if n < 0 then raise Size else go (0, state, nil)
    end
end

signature MLTON_PLATFORM =
sig
  structure Arch :
  sig
    datatype t =
      Alpha | AMD64 | ARM | ARM64 | HPPA | IA64 | LoongArch64 | m68k | MIPS | MIPS64 | PowerPC | PowerPC64 | RISCV | RISCV64 | S390
    | Sparc | Wasm32 | X86
    val fromString : string -> t option
    val host : t
    val toString : t -> string
  end
  structure OS :
  sig
    datatype t = AIX | Cygwin | Darwin | FreeBSD | Hurd | HPUX | Linux | MinGW | NetBSD | OpenBSD | Solaris | WASI
    val fromString : string -> t option
    val host : t
    val toString : t -> string
  end
end

structure MLtonPlatform :> MLTON_PLATFORM =
struct
  fun named names = (fn name => Option.map #1 (List.find (fn (_, it) => it = name) names))
  structure Arch =
  struct
    datatype t =
      Alpha | AMD64 | ARM | ARM64 | HPPA | IA64 | LoongArch64 | m68k | MIPS | MIPS64 | PowerPC | PowerPC64 | RISCV | RISCV64 | S390
    | Sparc | Wasm32 | X86
    val all =
      [ (Alpha, "Alpha"), (AMD64, "AMD64"), (ARM, "ARM"), (ARM64, "ARM64"), (HPPA, "HPPA"), (IA64, "IA64"), (LoongArch64, "LoongArch64")
      , (m68k, "m68k"), (MIPS, "MIPS"), (MIPS64, "MIPS64"), (PowerPC, "PowerPC"), (PowerPC64, "PowerPC64"), (RISCV, "RISCV")
      , (RISCV64, "RISCV64"), (S390, "S390"), (Sparc, "Sparc"), (Wasm32, "Wasm32"), (X86, "X86") ]
    val fromString = named all
    fun toString arch = #2 (valOf (List.find (fn (it, _) => it = arch) all))
    val host = AMD64
  end
  structure OS =
  struct
    datatype t = AIX | Cygwin | Darwin | FreeBSD | Hurd | HPUX | Linux | MinGW | NetBSD | OpenBSD | Solaris | WASI
    val all =
      [ (AIX, "AIX"), (Cygwin, "Cygwin"), (Darwin, "Darwin"), (FreeBSD, "FreeBSD"), (Hurd, "Hurd"), (HPUX, "HPUX"), (Linux, "Linux")
      , (MinGW, "MinGW"), (NetBSD, "NetBSD"), (OpenBSD, "OpenBSD"), (Solaris, "Solaris"), (WASI, "WASI") ]
    val fromString = named all
    fun toString os = #2 (valOf (List.find (fn (it, _) => it = os) all))
    val host = Linux
  end
end

signature MLTON_GC =
sig
  val collect : unit -> unit
  val pack : unit -> unit
  val unpack : unit -> unit
  val setMessages : bool -> unit
  val setSummary : bool -> unit
  val setRusage : bool -> unit
end

signature MLTON_RUSAGE =
sig
  type t = {utime : Time.time, stime : Time.time}
  val rusage : unit -> {children : t, gc : t, self : t}
  val measureGC : bool -> unit
end

signature MLTON_RANDOM =
sig
  val rand : unit -> word
  val seed : unit -> word option
  val useed : unit -> word option
  val srand : word -> unit
  val alphaNumChar : unit -> char
  val alphaNumString : int -> string
end

signature MLTON =
sig
  val isMLton : bool
  val debug : bool
  val safe : bool
  val eq : 'a * 'a -> bool
  val share : 'a -> unit
  val shareAll : unit -> unit
  val size : 'a -> IntInf.int
  structure Array : sig val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a array * 'b end
  structure Exn : sig val history : exn -> string list end
  structure GC : MLTON_GC
  structure IntInf : MLTON_INT_INF where type t = IntInf.int
  structure Parallel : MLTON_PARALLEL
  structure Platform : MLTON_PLATFORM
  structure Random : MLTON_RANDOM
  structure Rusage : MLTON_RUSAGE
  structure Vector : sig val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a vector * 'b end
  structure Word : MLTON_WORD where type t = Word.word
  structure Word8 : MLTON_WORD where type t = Word8.word
  structure Word16 : MLTON_WORD where type t = Word16.word
  structure Word32 : MLTON_WORD where type t = Word32.word
  structure Word64 : MLTON_WORD where type t = Word64.word
  structure LargeWord : MLTON_WORD where type t = LargeWord.word
end

structure MLton :> MLTON =
struct
  val isMLton = false
  val debug = false
  val safe = true
  val eq = Core.Par.same
  fun share _ = ()
  fun shareAll () = ()
  (* Heist does not measure objects. *)
  fun size _ = 0
  structure Exn = struct fun history (_ : exn) = nil : string list end
  structure GC =
  struct
    val collect = Core.System.collect
    (* A full collection returns free memory to the system. *)
    val pack = Core.System.collect
    fun unpack () = ()
    fun setMessages (_ : bool) = ()
    fun setSummary (_ : bool) = ()
    fun setRusage (_ : bool) = ()
  end
  structure Parallel = Parallel
  structure Platform = MLtonPlatform
  structure Random =
  struct
    val state = ref 0wx2545f4914f6cdd1d
    (* The value is as unpredictable as a clock. *)
    fun useed () = SOME (Core.Int.toWord (Core.System.monotonic ()))
    fun seed () = useed ()
    fun srand w = state := w
    fun mix w =
      let
        val w = Core.Word.* (Core.Word.xorb (w, Core.Word.shr (w, 0w30)), 0wxbf58476d1ce4e5b9)
        val w = Core.Word.* (Core.Word.xorb (w, Core.Word.shr (w, 0w27)), 0wx94d049bb133111eb)
      in
        Core.Word.xorb (w, Core.Word.shr (w, 0w31))
      end
    (* The generator splitmix64 (Steele, Lea, Flood 2014). Each call uses a different state, even if several strands call. *)
    fun rand () =
      let
        val before' = ! state
        val now = Core.Word.+ (before', 0wx9e3779b97f4a7c15)
      in
        if Core.Par.swap (state, before', now) = before' then mix now else rand ()
      end
    val chars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    fun alphaNumChar () = String.sub (chars, Core.Word.toIntX (rand () mod 0w62))
    fun alphaNumString n = CharVector.tabulate (n, fn _ => alphaNumChar ())
  end
  structure Rusage =
  struct
    type t = {utime : Time.time, stime : Time.time}
    fun time ns = Time.fromNanoseconds (IntInf.fromInt ns)
    val none = {utime = Time.zeroTime, stime = Time.zeroTime}
    fun rusage () =
      { children = none
      , gc = {utime = time (Core.System.collectorTime ()), stime = Time.zeroTime}
      , self = {utime = time (Core.System.userTime ()), stime = time (Core.System.systemTime ())} }
    fun measureGC (_ : bool) = ()
  end
  structure IntInf = MLtonIntInf
  structure Array = Unfolded (type 'a sequence = 'a array val fromList = Array.fromList)
  structure Vector = Unfolded (type 'a sequence = 'a vector val fromList = Vector.fromList)
  structure Word8 = RotatedWord (Word8)
  structure Word16 = RotatedWord (Word16)
  structure Word32 = RotatedWord (Word32)
  structure Word64 = RotatedWord (Word)
  structure Word = Word64
  structure LargeWord = Word64
end
