(* What Manticore's basis has for threads and continuations, with its meaning on one processor: a spawned thread runs to its end
   before what comes after it, so that who waits for what nobody has sent waits for ever, which is an error. *)

structure Ref =
struct
  type 'a ref = 'a ref
  fun new x = ref x
  fun get r = ! r
  fun set (r, x) = r := x
end

structure Word64 =
struct
  open Word64
  local
    val shift = Word.fromLarge o Word64.toLarge
  in
    fun fromInt n = Word64.fromInt (Wide.out n)
    fun toInt w = Machine.Int.ofWide (Word64.toIntX w)
    fun fromLong n = Word64.fromInt (Machine.Long.toWide n)
    fun toLong w = Machine.Long.ofWide (Word64.toIntX w)
    fun add (a, b) = Word64.+ (a, b)
    fun sub (a, b) = Word64.- (a, b)
    fun mul (a, b) = Word64.* (a, b)
    fun lsh (a, n) = Word64.<< (a, shift n)
    fun rsh (a, n) = Word64.>> (a, shift n)
    fun same (a : word, b) = a = b
  end
end

structure Debug =
struct
  fun failwith s = raise Fail s
end

structure Cont =
struct
  (* Continuations that are left once, upwards. *)
  type 'a cont = 'a -> exn
  fun callec (f : 'a cont -> 'a) : 'a =
    let exception Escape of 'a
    in f Escape handle Escape x => x
    end
  fun throw (k : 'a cont, x) = raise k x
end

structure IVar =
struct
  type 'a ivar = 'a option ref
  fun newIVar () = ref NONE
  fun putIVar (v, x) =
    case ! v of
      NONE => v := SOME x
    | SOME _ => raise Fail "IVar.putIVar: it has a value already"
  fun getIVar v =
    case ! v of
      SOME x => x
    | NONE => raise Fail "IVar.getIVar: nobody has put a value there: the thread would wait for ever"
end

structure MVar =
struct
  type 'a mvar = 'a option ref
  fun new () = ref NONE
  fun put (v, x) =
    case ! v of
      NONE => v := SOME x
    | SOME _ => raise Fail "MVar.put: it is full: the thread would wait for ever"
  fun get v =
    case ! v of
      SOME x => x
    | NONE => raise Fail "MVar.get: it is empty: the thread would wait for ever"
  fun take v = get v before v := NONE
end

(* Channels keep what is sent until it is received. *)
structure PrimChan =
struct
  type 'a chan = 'a list ref * 'a list ref
  fun new () = (ref nil, ref nil)
  fun send ((_, back), x) = back := x :: ! back
  fun recv (c as (front, back)) =
    case (! front, ! back) of
      (x :: rest, _) => (front := rest; x)
    | (nil, nil) => raise Fail "PrimChan.recv: nothing was sent: the thread would wait for ever"
    | (nil, sent) => (front := rev sent; back := nil; recv c)
end

structure SpecPar =
struct
  fun spec (f, g) =
    let val a = f ()
    in (a, g ())
    end
end

structure WorkStealing =
struct
  fun workGroup () = ()
end

structure ImplicitThread =
struct
  fun runOnWorkGroup (_, f) = f ()
end

structure CommandLine =
struct
  open CommandLine
  val args = arguments
end

structure Array64 = Array

structure FloatRope =
struct
  open Rope
  val tabP = Rope.tab
end

(* Pictures of three channels, from 0 to 1, that are written as a portable pixmap. *)
structure Image =
struct
  datatype image = IMAGE of int * int * Word8Array.array
  fun new (width, height) = IMAGE (width, height, Word8Array.array (Wide.out (width * height * 3), 0w0))
  fun byte x = Word8.fromInt (Core.Real.toInt (255.0 * Double.min (1.0, Double.max (0.0, x))))
  fun update3d (IMAGE (width, height, bytes), row, column, r, g, b) =
    if row < 0 orelse column < 0 orelse column >= width orelse row >= height then ()
    else
      let
        val at = (width * row + column) * 3
        fun put (channel, x) = Word8Array.update (bytes, Wide.out (at + channel), byte x)
      in
        put (0, r);
        put (1, g);
        put (2, b)
      end
  fun update3f (image, row, column, r, g, b) =
    update3d (image, row, column, Float.toDouble r, Float.toDouble g, Float.toDouble b)
  fun output (file, IMAGE (width, height, bytes)) =
    let
      val out = BinIO.openOut file
      val head = String.concat ["P6\n", Int.toString width, " ", Int.toString height, " 255\n"]
    in
      BinIO.output (out, Byte.stringToBytes head);
      BinIO.output (out, Word8Array.vector bytes);
      BinIO.closeOut out
    end
  fun free (_ : image) = ()
end

(* The first that finds something. *)
fun por (f, g) =
  case f () of
    NONE => g ()
  | found => found

(* The names of the first Manticore, whose basis had no structures. *)
val itos = Int.toString
val ltos = Long.toString
val ftos = Float.toString
val dtos = Double.toString
val itof = Float.fromInt
val itod = Double.fromInt
val sqrtf = Float.sqrt
val absf = Float.abs
val lnf = Float.ln
val powf = Float.pow
val expf = Float.exp
val sinf = Float.sin
val cosf = Float.cos
val tanf = Float.tan
val sqrtd = Double.sqrt
val absd = Double.abs
val lnd = Double.ln
val log2d = Double.log2
val log10d = Double.log10
val powd = Double.pow
val expd = Double.exp
val sind = Double.sin
val cosd = Double.cos
val tand = Double.tan
fun fail s = raise Fail s
fun args () = CommandLine.arguments ()
fun gettimeofday () = Double.fromLong (Time.now ()) / 1000000.0
val drand = Rand.randDouble
val array = Array.array
val aupdate = Array.update
val asub = Array.sub
val alength = Array.length
val plen = PArray.length
val prev = PArray.rev
val pappend = PArray.concat
val revP = PArray.rev
val fromListP = PArray.fromList
val concatP = PArray.concat
val tabP = PArray.tab
fun dist (n, x) = PArray.tab (n, fn _ => x)
fun papp (f, a) = PArray.app f a
val channel = PrimChan.new
val send = PrimChan.send
val recv = PrimChan.recv
val iVar = IVar.newIVar
val iGet = IVar.getIVar
val iPut = IVar.putIVar
val mVar = MVar.new
val mGet = MVar.get
val mTake = MVar.take
val mPut = MVar.put
