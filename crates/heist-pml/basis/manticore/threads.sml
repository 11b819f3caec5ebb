(* The threads and continuations of Manticore's basis. Threads, channels and events are those of Concurrent ML (`cml.sml`); vprocs are
   those of `scheduler.sml`. *)

structure Ref =
struct
  type 'a ref = 'a ref
  fun new x = ref x
  fun get r = ! r
  fun set (r, x) = r := x
  fun pointerEq (a : 'a ref, b) = a = b
  val same = pointerEq
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
  (* Continuations that code can only leave upwards, and only once. *)
  type 'a cont = 'a -> exn
  fun callec (f : 'a cont -> 'a) : 'a =
    let exception Escape of 'a
    in f Escape handle Escape x => x
    end
  fun throw (k : 'a cont, x) = raise k x
end

structure IVar =
struct
  type 'a ivar = 'a SyncVar.ivar
  val newIVar = SyncVar.iVar
  fun putIVar (v, x) = SyncVar.iPut (v, x) handle SyncVar.Put => raise Fail "IVar.putIVar: it has a value already"
  val getIVar = SyncVar.iGet
end

structure MVar =
struct
  type 'a mvar = 'a SyncVar.mvar
  val new = SyncVar.mVar
  fun put (v, x) = SyncVar.mPut (v, x) handle SyncVar.Put => raise Fail "MVar.put: it is full"
  val get = SyncVar.mGet
  val take = SyncVar.mTake
end

structure PrimChan =
struct
  type 'a chan = 'a CML.chan
  val new = CML.channel
  val send = CML.send
  val recv = CML.recv
end

structure Event =
struct
  type 'a event = 'a CML.event
  val always = CML.alwaysEvt
  val never = CML.never
  val wrap = CML.wrap
  val guard = CML.guard
  val withNack = CML.withNack
  fun choose (a, b) = CML.choose [a, b]
  val sync = CML.sync
  val sendEvt = CML.sendEvt
  val recvEvt = CML.recvEvt
end

(* Variables that are signalled once. *)
structure CVar =
struct
  type cvar = unit SyncVar.ivar
  val new : unit -> cvar = SyncVar.iVar
  fun signal (v : cvar) = SyncVar.iPut (v, ()) handle SyncVar.Put => ()
  fun wait (v : cvar) = SyncVar.iGet v
  fun waitEvt (v : cvar) = SyncVar.iGetEvt v
end

structure PrimEvent =
struct
  open Event
  type 'a pevent = 'a event
  type signal_var = CVar.cvar
  val signalVar = CVar.new
  val signal = CVar.signal
  val wait = CVar.wait
  val waitEvt = CVar.waitEvt
end

structure VProcExtras =
struct
  type vproc = Scheduler.vproc
  val host = Scheduler.host
  val vprocs = Scheduler.vprocs
  fun id vproc = Machine.Int.ofWide (Scheduler.vprocId vproc)
  fun numVProcs () = Machine.Int.ofWide (Core.Par.workers ())
  fun same (a : vproc, b) = a = b
  fun spawnOn f vproc = CML.spawn (fn () => (Scheduler.migrateTo vproc; f ()))
end

(* Transactions run one at a time, so no transaction sees another transaction half done. If a transaction raises an exception, its
   assignments stay, as in Manticore. *)
structure STM =
struct
  type 'a tvar = 'a ref
  structure T = Core.Thread
  (* Whether a thread has the turn, and the threads that wait for a turn, in the order of their arrival. Transactions of an interrupted
     program have not passed the turn on, and transactions of an ended program may continue for a while, so the next program has a record
     of its own. Transactions inside of a transaction take turns among themselves (`inner`), because parts of its forks may begin several
     of them at the same time. *)
  datatype turns =
    TURNS of
      {program : Int64.int,
       lock : Int64.int ref,
       isTaken : bool ref,
       waiters : Wait.offer Wait.queue,
       owner : CML.thread_id option ref,
       inner : turns option ref}
  fun fresh program =
    TURNS {program = program, lock = ref 0, isTaken = ref false, waiters = Wait.queue (), owner = ref NONE, inner = ref NONE}
  fun within (turns, 0) = turns
    | within (turns as TURNS {program, lock, inner, ...}, depth) =
        case ! inner of
          SOME next => within (next, Core.Int.- (depth, 1))
        | NONE =>
            (Wait.acquire lock;
             case ! inner of
               NONE => inner := SOME (fresh program)
             | SOME _ => ();
             Wait.release lock;
             within (turns, depth))
  val last : turns ref = ref (fresh ~1)
  val lock = ref 0
  fun turns () =
    let
      fun isRight (TURNS {program, ...}) = program = T.program ()
      fun make () =
        let
          val () = Wait.acquire lock
          val () = if isRight (! last) then () else last := fresh (T.program ())
          val made = ! last
        in
          Wait.release lock;
          made
        end
    in
      if T.isLeft () then fresh ~1 else if isRight (! last) then ! last else make ()
    end
  (* Takes the turn, and masks the thread. Returns false if the thread was cancelled while it waited. *)
  fun take (TURNS {lock, isTaken, waiters, ...}) =
    let
      val thread = T.current ()
      val () = T.mask 3
      val () = Wait.acquire lock
    in
      if not (! isTaken) then
        (isTaken := true;
         Wait.release lock;
         true)
      else
        let
          val choice = T.beginChoice thread
          val () = Wait.add (waiters, {thread = thread, choice = choice, part = 0}, Wait.isOver)
          val () = Wait.release lock
        in
          Wait.decidedOr (thread, choice, fn () => false, 0, true) = 0
        end
        handle exn => (T.mask ~1; raise exn)
    end
  fun pass (TURNS {lock, isTaken, waiters, ...}) =
    let
      fun next () =
        case Wait.take waiters of
          NONE => isTaken := false
        | SOME offer =>
            case Wait.claim offer of
              Wait.MINE => Wait.decide offer
            | Wait.OVER => next ()
    in
      Wait.acquire lock;
      next ();
      Wait.release lock
    end
  (* Waits for the inner transaction that a part of a cancelled fork may still run. No other inner transaction begins: the turn of the
     inner record stays taken, and the parts that wait for this turn are cancelled. *)
  fun close (TURNS {inner, ...}) =
    case ! inner of
      NONE => ()
    | SOME turns =>
        let
          fun wait () =
            let val taken = take turns
            in
              T.mask ~1;
              if taken then () else wait ()
            end
        in
          wait ();
          inner := NONE
        end
  (* A thread that only runs transactions reaches no poll at which it could end or let other threads run. So this function polls. *)
  fun poll () = if T.isDue () then Wait.ignore (T.giveWay ()) else ()
  fun atomic f =
    let
      val self = CML.getTid ()
      val turns as TURNS {owner, ...} = turns ()
      val depth = T.depth ()
    in
      if Core.Int.> (depth, 0) then first (self, within (turns, depth), f)
      else
        case ! owner of
          (* The transaction has captured a continuation, which runs here. *)
          SOME other => if CML.sameTid (self, other) then f () else first (self, turns, f)
        | NONE => first (self, turns, f)
    end
  and first (self, turns as TURNS {owner, ...}, f) =
    if take turns then
      let
        (* The thread is not cancelled until it has passed the turn on. *)
        val () = T.mask 0
        val () = owner := SOME self
        fun leave () = (close turns; owner := NONE; pass turns; T.mask ~1; poll ())
        val result = f () handle exn => (leave (); raise exn)
      in
        leave ();
        result
      end
    else
      (T.mask ~1;
       (* The thread ends there. *)
       Wait.ignore (T.giveWay ());
       first (self, turns, f))
  fun new x = ref x
  fun get (v : 'a tvar) = ! v
  fun put (v : 'a tvar, x) = v := x
  fun same (a : 'a tvar, b) = a = b
  fun unsafeGet (v : 'a tvar) = ! v
  fun printStats () = ()
end

structure FullAbortSTM = STM
structure PartialSTM = STM

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

(* Pictures with three channels, whose values are from 0 to 1. The program writes them as portable pixmaps. *)
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

(* Sequences and ropes of one type of elements. Programs can match the constructors of a rope. *)
structure Leaves =
struct
  open Vector
  fun empty () = Vector.fromList nil
  fun singleton x = Vector.fromList [x]
  fun toList s = Vector.foldr (op ::) nil s
  fun map (f, s) = Vector.map f s
  fun reduce (f, unit, s) = Vector.foldl f unit s
  fun concat (a, b) = Vector.concat [a, b]
end

structure LeafRopes =
struct
  (* `Cat` has the depth and the length of the two ropes. *)
  datatype 'a rope = Leaf of 'a vector | Cat of int * int * 'a rope * 'a rope
  val widest = 256 : int
  fun length (Leaf s) = Leaves.length s
    | length (Cat (_, n, _, _)) = n
  fun depth (Leaf _) = 0 : int
    | depth (Cat (d, _, _, _)) = d
  fun leaf s = Leaf s
  fun empty () = Leaf (Leaves.empty ())
  fun singleton x = Leaf (Leaves.singleton x)
  fun isEmpty r = length r = 0
  fun concat (a, b) =
    if isEmpty a then b
    else if isEmpty b then a
    else Cat ((if depth a < depth b then depth b else depth a) + 1, length a + length b, a, b)
  fun between (low, high, f) =
    if high - low <= widest then Leaf (Leaves.tabulate (high - low, fn i => f (low + i)))
    else
      let val middle = low + (high - low) div 2
      in concat (between (low, middle, f), between (middle, high, f))
      end
  fun tabulate (n, f) = if n <= 0 then empty () else between (0, n, f)
  val tab = tabulate
  fun sub (Leaf s, i) = Leaves.sub (s, i)
    | sub (Cat (_, _, a, b), i) = if i < length a then sub (a, i) else sub (b, i - length a)
  fun fromSeq s = tabulate (Leaves.length s, fn i => Leaves.sub (s, i))
  fun fromList l = fromSeq (Vector.fromList l)
  fun onto (Leaf s, l) = Leaves.toList s @ l
    | onto (Cat (_, _, a, b), l) = onto (a, onto (b, l))
  fun toList r = onto (r, nil)
  fun toSeq r = Vector.fromList (toList r)
end

structure IntSeq = struct open Leaves type int_seq = int vector end
structure IntRope = struct open LeafRopes type int_rope = int rope end
structure DoubleSeq = struct open Leaves type double_seq = double vector end
structure DoubleRope = struct open LeafRopes type double_rope = double rope end
structure LongSeq = struct open Leaves type long_seq = long vector end
structure LongRope = struct open LeafRopes type long_rope = long rope end
structure FloatSeq = struct open Leaves type float_seq = float vector end
structure VectorSeq = struct open Leaves type 'a seq = 'a vector end
structure ArraySeq = VectorSeq
(* Sequences that are represented as lists. *)
structure ListSeq =
struct
  type 'a seq = 'a list
  fun empty () = nil
  fun singleton x = [x]
  fun null l = List.null l
  fun length l = List.length l
  fun sub (l, i) = List.nth (l, i)
  fun concat (a, b) = a @ b
  fun rev l = List.rev l
  fun map (f, l) = List.map f l
  fun filter (f, l) = List.filter f l
  fun reduce (f, unit, l) = List.foldl f unit l
  fun tabulate (n, f) = List.tabulate (n, f)
  fun take (l, n) = List.take (l, n)
  fun drop (l, n) = List.drop (l, n)
  fun fromList l = l
  fun toList l = l
end

(* Returns the result of the function that first finds one, and cancels the other function. An idle worker may begin with `g`. *)
fun por (f, g) =
  let
    val wasMasked = Core.Waits.wasMasked ()
    pval right =
      case g () of
        NONE => NONE
      | found => (Core.Race.win (); found)
    (* No other call may come in between: the runtime takes a call of this frame for the call of `f`. *)
    val f = Core.Race.begin f
  in
    case (f () handle exn => if Core.Race.isLost () then (Core.Waits.comeBack wasMasked; right) else raise exn) of
      NONE => (Core.Race.finish (); right)
    | found => found
  end

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
fun log2f x = Float.by Double.log2 x
fun log10f x = Float.by Double.log10 x
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
fun todo s = raise Fail ("todo: " ^ s)
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
val parrayApp = papp
(* Returns a list. The range includes both ends. *)
fun tab (f, from, to, step) = PArray.toList (PArray.tabFromToStep (from, to, step, f))
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
type 'a chan = 'a PrimChan.chan
type 'a ivar = 'a IVar.ivar
type 'a mvar = 'a MVar.mvar
type 'a event = 'a Event.event
type thread_id = CML.thread_id
type integer = IntInf.int
type image = Image.image
val sendEvt = Event.sendEvt
val recvEvt = Event.recvEvt
val always = Event.always
val never = Event.never
val wrap = Event.wrap
val choose = Event.choose
val sync = Event.sync
val newImage = Image.new
val updateImage3d = Image.update3d
val updateImage3f = Image.update3f
fun outputImage (image, file) = Image.output (file, image)
val freeImage = Image.free
val getNumProcs = VProcExtras.numVProcs
val getNumVProcs = getNumProcs
fun ltcWaitForAll () = ()

(* Returns the next number of the standard input. *)
local
  fun number (what, scan) () =
    case TextIO.scanStream scan TextIO.stdIn of
      SOME n => n
    | NONE => raise Fail (what ^ ": there is no number in the input")
in
  fun readint () = Machine.Int.ofWide (number ("readint", Int64.scan StringCvt.DEC) ())
  fun readdouble () = number ("readdouble", LargeReal.scan) ()
  fun readfloat () = Machine.Float.ofDouble (number ("readfloat", LargeReal.scan) ())
end
