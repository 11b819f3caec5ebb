(* Concurrent ML: threads, channels and events, with the signatures of the library Concurrent ML (Reppy, Concurrent Programming in ML,
   1999). Threads run on all workers, and may fork. *)

signature CML =
sig
  eqtype thread_id
  eqtype 'a chan
  type 'a event
  (* No thread can continue. The program's own thread raises this exception where it waits. *)
  exception Deadlock of string

  val spawn : (unit -> unit) -> thread_id
  val spawnc : ('a -> unit) -> 'a -> thread_id
  (* Ends the thread by an exception. *)
  val exit : unit -> 'a
  val yield : unit -> unit
  val getTid : unit -> thread_id
  val sameTid : thread_id * thread_id -> bool
  val compareTid : thread_id * thread_id -> order
  val hashTid : thread_id -> word
  val tidToString : thread_id -> string
  val joinEvt : thread_id -> unit event

  val channel : unit -> 'a chan
  val sameChannel : 'a chan * 'a chan -> bool
  val send : 'a chan * 'a -> unit
  val recv : 'a chan -> 'a
  val sendEvt : 'a chan * 'a -> unit event
  val recvEvt : 'a chan -> 'a event
  (* These functions succeed only if another thread already waits on the channel. *)
  val sendPoll : 'a chan * 'a -> bool
  val recvPoll : 'a chan -> 'a option

  val never : 'a event
  val alwaysEvt : 'a -> 'a event
  val wrap : 'a event * ('a -> 'b) -> 'b event
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  val guard : (unit -> 'a event) -> 'a event
  val withNack : (unit event -> 'a event) -> 'a event
  val choose : 'a event list -> 'a event
  val sync : 'a event -> 'a
  val select : 'a event list -> 'a

  val timeOutEvt : Time.time -> unit event
  val atTimeEvt : Time.time -> unit event
end

(* The data that the library keeps with each thread. *)
structure Fibers =
struct
  datatype thread_id = TID of {id : int, ended : Wait.condition}

  (* A continuation: a function that passes a value on, and the vproc on which the continuation runs. *)
  datatype 'a cont = CONT of vproc option * 'a -> unit

  and signal = STOP | PREEMPT of unit cont | SLEEP of int * unit cont

  (* The values of a fiber. Each value has the number of its key. *)
  and fls = FLS of (int * exn) list ref

  (* A logical processor. Only its running fiber uses it, except for `queue` and `isIdle`, which the lock protects. *)
  and vproc =
    VPROC of
      {id : int,
       lock : int ref,
       queue : (unit cont * fls) Wait.queue,
       isIdle : bool ref,
       actions : signal cont list ref,
       isMasked : bool ref,
       fls : fls ref,
       (* 1 if the running fiber must be preempted. *)
       asked : int ref,
       (* The running fiber. *)
       running : Core.Thread.thread option ref}

  (* A thread that has used the scheduler has a place: the vproc on which it runs, if any. A thread on no vproc has a state of its own. *)
  datatype kept =
    THREAD of thread_id
  | FIBER of fiber

  (* `left` is the vproc that the fiber has left in order to wait, and the state with which the fiber comes back. *)
  withtype fiber =
    {tid : thread_id option ref, place : vproc option ref, fls : fls ref, left : (vproc * fls) option ref}

  (* Ends a thread. *)
  exception Exit
end

structure CML =
struct
  structure T = Core.Thread

  type 'a chan = 'a Channel.chan
  type 'a event = 'a Events.event
  datatype thread_id = datatype Fibers.thread_id
  exception Deadlock = Wait.Deadlock
  exception Exit = Fibers.Exit

  val last = ref 0
  fun newId () = TID {id = Core.Par.fetchAdd (last, 1) + 1, ended = Wait.condition ()}

  fun idOf (TID {id, ...}) = id
  fun sameTid (a, b) = idOf a = idOf b
  fun compareTid (a, b) = Int.compare (idOf a, idOf b)
  fun hashTid id = Word.fromInt (idOf id)
  fun tidToString id = "thread " ^ Int.toString (idOf id)

  fun getTid () =
    let val thread = T.current ()
    in
      case T.kept thread of
        SOME (Fibers.THREAD id) => id
      | SOME (Fibers.FIBER {tid = ref (SOME id), ...}) => id
      | SOME (Fibers.FIBER {tid, ...}) =>
          let val id = newId ()
          in
            tid := SOME id;
            id
          end
      | NONE =>
          let val id = newId ()
          in
            T.keep (thread, SOME (Fibers.THREAD id));
            id
          end
    end

  (* Ends a thread. The code is in a cell, so that the compiler does not put it into the frame of each waiting thread. *)
  val atEnd =
    ref
      (fn TID {ended, ...} =>
         (Wait.tell ended;
          if ! Core.Waits.areFibers then (! Wait.onEnd) () else ()))

  fun start (f, id) () =
    (T.keep (T.current (), SOME (Fibers.THREAD id));
     f () handle Exit => () | exn => T.uncaught (exn, Core.exnOrigin exn, idOf id);
     (! atEnd) id)

  fun spawn f =
    let val id = newId ()
    in
      Wait.ignore (T.spawn (start (f, id)));
      id
    end
  fun spawnc f x = spawn (fn () => f x)
  fun exit () = raise Exit
  fun yield () = Wait.ignore (T.giveWay ())
  fun joinEvt (TID {ended, ...}) = Events.told ended

  val channel = Channel.new
  val sameChannel = Channel.same
  val send = Channel.send
  val recv = Channel.recv
  val sendEvt = Channel.sendEvt
  val recvEvt = Channel.recvEvt
  val sendPoll = Channel.trySend
  val recvPoll = Channel.tryRecv

  val never = Events.BASES nil
  val alwaysEvt = Events.always
  val wrap = Events.wrap
  val wrapHandler = Events.wrapHandler
  val guard = Events.guard
  val withNack = Events.withNack
  val choose = Events.choose
  val sync = Events.sync
  val select = Events.select

  fun nanoseconds time = IntInf.toInt (Time.toNanoseconds time)
  fun timeOutEvt time = Events.after (nanoseconds time)
  fun atTimeEvt time =
    guard
      (fn () =>
         let val now = Time.now ()
         in if Time.<= (time, now) then alwaysEvt () else Events.after (nanoseconds (Time.- (time, now)))
         end)
end

signature SYNC_VAR =
sig
  eqtype 'a ivar
  eqtype 'a mvar
  type 'a event
  (* The variable already has a value. *)
  exception Put
  val iVar : unit -> 'a ivar
  val iPut : 'a ivar * 'a -> unit
  val iGet : 'a ivar -> 'a
  val iGetEvt : 'a ivar -> 'a event
  val iGetPoll : 'a ivar -> 'a option
  val sameIVar : 'a ivar * 'a ivar -> bool
  val mVar : unit -> 'a mvar
  val mVarInit : 'a -> 'a mvar
  val mPut : 'a mvar * 'a -> unit
  val mTake : 'a mvar -> 'a
  val mTakeEvt : 'a mvar -> 'a event
  val mTakePoll : 'a mvar -> 'a option
  val mGet : 'a mvar -> 'a
  val mGetEvt : 'a mvar -> 'a event
  val mGetPoll : 'a mvar -> 'a option
  (* Takes the value, and puts another value in its place. *)
  val mSwap : 'a mvar * 'a -> 'a
  val mSwapEvt : 'a mvar * 'a -> 'a event
  val sameMVar : 'a mvar * 'a mvar -> bool
end

structure SyncVar =
struct
  structure T = Core.Thread

  exception Put

  (* The operation for which a thread waits. *)
  datatype 'a action = GET | TAKE | SWAP of 'a

  datatype 'a var =
    VAR of {lock : int ref, value : 'a option ref, waiters : (Wait.offer * 'a action) Wait.queue, made : int}
  type 'a ivar = 'a var
  type 'a mvar = 'a var

  fun new (value, made) = VAR {lock = ref 0, value = ref value, waiters = Wait.queue (), made = made}
  fun same (VAR a, VAR b) = #lock a = #lock b
  fun isOver (offer, _) = Wait.isOver offer

  fun act (value, GET) = value := ! value
    | act (value, TAKE) = value := NONE
    | act (value, SWAP x) = value := SOME x

  (* Serves waiting threads while the variable has a value. *)
  fun serve (var as VAR {value, waiters, ...}) =
    case ! value of
      NONE => ()
    | there =>
        case Wait.take waiters of
          NONE => ()
        | SOME (offer, action) =>
            (case Wait.claim offer of
               Wait.MINE =>
                 (T.hand (#thread offer, there);
                  act (value, action);
                  Wait.decide offer)
             | Wait.OVER => ();
             serve var)

  fun put (var as VAR {lock, value, ...}, x) =
    (Wait.acquire lock;
     case ! value of
       SOME _ => (Wait.release lock; raise Put)
     | NONE =>
         (value := SOME x;
          serve var;
          Wait.release lock))

  fun try (VAR {lock, value, ...}, action) =
    let
      val () = Wait.acquire lock
      val there = ! value
    in
      case there of
        NONE => ()
      | SOME _ => act (value, action);
      Wait.release lock;
      there
    end

  fun leave (VAR {lock, value, waiters, ...}, action) own =
    let
      val () = Wait.acquire lock
      val left =
        case ! value of
          SOME x =>
            (case Wait.claim own of
               Wait.MINE => (act (value, action); Wait.decide own; Events.MADE (fn () => x))
             | Wait.OVER => Events.LOST)
        | NONE =>
            (Wait.add (waiters, (own, action), isOver);
             Events.LEFT {get = Channel.get (#thread own), due = NONE, undo = Events.nothing})
    in
      Wait.release lock;
      left
    end

  fun event (var as VAR {made, ...}, action) =
    Events.BASES
      [{made = made,
        try = fn () =>
          case try (var, action) of
            NONE => NONE
          | SOME x => SOME (fn () => x),
        leave = leave (var, action)}]

  fun wait (var, action) =
    case try (var, action) of
      SOME x => x
    | NONE => Events.sync (event (var, action))

  fun iVar () = new (NONE, Wait.Made.variable ())
  val iPut = put
  fun iGet var = wait (var, GET)
  fun iGetEvt var = event (var, GET)
  fun iGetPoll var = try (var, GET)
  val sameIVar = same

  fun mVar () = new (NONE, Wait.Made.variable ())
  fun mVarInit x = new (SOME x, Wait.Made.variable ())
  val mPut = put
  fun mTake var = wait (var, TAKE)
  fun mTakeEvt var = event (var, TAKE)
  fun mTakePoll var = try (var, TAKE)
  val mGet = iGet
  val mGetEvt = iGetEvt
  val mGetPoll = iGetPoll
  fun mSwap (var, x) = wait (var, SWAP x)
  fun mSwapEvt (var, x) = event (var, SWAP x)
  val sameMVar = same
end

signature MAILBOX =
sig
  eqtype 'a mbox
  type 'a event
  val mailbox : unit -> 'a mbox
  val sameMailbox : 'a mbox * 'a mbox -> bool
  (* This function never waits. *)
  val send : 'a mbox * 'a -> unit
  val recv : 'a mbox -> 'a
  val recvEvt : 'a mbox -> 'a event
  val recvPoll : 'a mbox -> 'a option
end

structure Mailbox =
struct
  structure T = Core.Thread

  datatype 'a mbox = MBOX of {lock : int ref, messages : 'a Wait.queue, receivers : Wait.offer Wait.queue, made : int}

  fun mailbox () =
    MBOX {lock = ref 0, messages = Wait.queue (), receivers = Wait.queue (), made = Wait.Made.mailbox ()}
  fun sameMailbox (MBOX a, MBOX b) = #lock a = #lock b

  fun send (MBOX {lock, messages, receivers, ...}, x) =
    (Wait.acquire lock;
     if Channel.give (receivers, x) then () else Wait.addAlways (messages, x);
     Wait.release lock)

  fun recvPoll (MBOX {lock, messages, ...}) =
    let
      val () = Wait.acquire lock
      val message = Wait.take messages
    in
      Wait.release lock;
      message
    end

  fun leave (MBOX {lock, messages, receivers, ...}) own =
    let
      val () = Wait.acquire lock
      val left =
        case Wait.take messages of
          SOME x =>
            (case Wait.claim own of
               Wait.MINE => (Wait.decide own; Events.MADE (fn () => x))
             | Wait.OVER => (Wait.putBack (messages, x); Events.LOST))
        | NONE =>
            (Wait.add (receivers, own, Wait.isOver);
             Events.LEFT {get = Channel.get (#thread own), due = NONE, undo = Events.nothing})
    in
      Wait.release lock;
      left
    end

  fun recvEvt (mbox as MBOX {made, ...}) =
    Events.BASES
      [{made = made,
        try = fn () =>
          case recvPoll mbox of
            NONE => NONE
          | SOME x => SOME (fn () => x),
        leave = leave mbox}]

  fun recv mbox =
    case recvPoll mbox of
      SOME x => x
    | NONE => Events.sync (recvEvt mbox)
end

signature MULTICAST =
sig
  type 'a mchan
  type 'a port
  type 'a event
  val mChannel : unit -> 'a mchan
  (* Returns a port that receives all later messages. *)
  val port : 'a mchan -> 'a port
  (* Returns another port at the same place in the stream of messages. *)
  val copy : 'a port -> 'a port
  val recv : 'a port -> 'a
  val recvEvt : 'a port -> 'a event
  (* This function never waits. *)
  val multicast : 'a mchan * 'a -> unit
end

structure Multicast =
struct
  (* The messages are a list whose end is an empty variable. *)
  datatype 'a cell = CELL of ('a * 'a cell) SyncVar.ivar
  datatype 'a mchan = MCHAN of {lock : int ref, last : 'a cell ref, made : int}
  datatype 'a port = PORT of {lock : int ref, next : 'a cell ref}

  fun cell made = CELL (SyncVar.new (NONE, made))
  fun mChannel () =
    let val made = Wait.Made.multicast ()
    in MCHAN {lock = ref 0, last = ref (cell made), made = made}
    end
  fun port (MCHAN {last, ...}) = PORT {lock = ref 0, next = ref (! last)}
  fun copy (PORT {next, ...}) = PORT {lock = ref 0, next = ref (! next)}

  fun multicast (MCHAN {lock, last, made}, x) =
    let
      val new = cell made
      val () = Wait.acquire lock
      val CELL before' = ! last
    in
      last := new;
      (* Under the lock: if the thread ended between the two steps, the list would have no end. *)
      SyncVar.iPut (before', (x, new));
      Wait.release lock
    end

  fun recvEvt (port as PORT {lock, next}) =
    Events.guard
      (fn () =>
         let
           val CELL here = ! next
           (* Another thread may have received the message from this port. *)
           fun advance (x, rest) =
             let
               val () = Wait.acquire lock
               val CELL there = ! next
               val isMine = SyncVar.same (here, there)
             in
               if isMine then next := rest else ();
               Wait.release lock;
               if isMine then x else recv port
             end
         in
           Events.wrap (SyncVar.iGetEvt here, advance)
         end)
  and recv port = Events.sync (recvEvt port)
end

signature SIMPLE_RPC =
sig
  type ('a, 'b) entry
  type 'a event
  val mkRPC : ('a -> 'b) -> {call : 'a -> 'b, entryEvt : unit event}
  val mkRPC_In : ('a * 'c -> 'b) -> {call : 'a -> 'b, entryEvt : 'c -> unit event}
  val mkRPC_Out : ('a -> 'b * 'c) -> {call : 'a -> 'b, entryEvt : 'c event}
  val mkRPC_InOut : ('a * 'c -> 'b * 'd) -> {call : 'a -> 'b, entryEvt : 'c -> 'd event}
end

structure SimpleRPC =
struct
  type 'a event = 'a Events.event
  type ('a, 'b) entry = ('a * 'b SyncVar.ivar) Channel.chan

  fun call entry x =
    let val reply = SyncVar.iVar ()
    in
      Channel.send (entry, (x, reply));
      SyncVar.iGet reply
    end

  fun mkRPC f =
    let val entry = Channel.new ()
    in
      {call = call entry,
       entryEvt = Events.wrap (Channel.recvEvt entry, fn (x, reply) => SyncVar.iPut (reply, f x))}
    end
  fun mkRPC_In f =
    let val entry = Channel.new ()
    in
      {call = call entry,
       entryEvt = fn state => Events.wrap (Channel.recvEvt entry, fn (x, reply) => SyncVar.iPut (reply, f (x, state)))}
    end
  fun mkRPC_Out f =
    let
      val entry = Channel.new ()
      fun serve (x, reply) =
        let val (y, state) = f x
        in
          SyncVar.iPut (reply, y);
          state
        end
    in
      {call = call entry, entryEvt = Events.wrap (Channel.recvEvt entry, serve)}
    end
  fun mkRPC_InOut f =
    let
      val entry = Channel.new ()
      fun serve before' (x, reply) =
        let val (y, state) = f (x, before')
        in
          SyncVar.iPut (reply, y);
          state
        end
    in
      {call = call entry, entryEvt = fn state => Events.wrap (Channel.recvEvt entry, serve state)}
    end
end

signature RUN_CML =
sig
  (* Runs a program of threads until `shutdown`, or until no thread can continue; the status is then a failure. The time has no effect:
     threads run in turn for 10 ms. *)
  val doit : (unit -> unit) * Time.time option -> OS.Process.status
  val shutdown : OS.Process.status -> 'a
  val isRunning : unit -> bool
end

structure RunCML :> RUN_CML =
struct
  val running : OS.Process.status SyncVar.ivar option ref = ref NONE

  fun isRunning () = Option.isSome (! running)

  fun doit (f, _ : Time.time option) =
    let
      val status = SyncVar.iVar ()
      val () = running := SOME status
      val () = Wait.ignore (CML.spawn f)
      val result = SyncVar.iGet status handle Wait.Deadlock _ => OS.Process.failure
    in
      running := NONE;
      Core.Thread.endAll ();
      result
    end

  fun shutdown status =
    case ! running of
      NONE => raise Fail "RunCML.shutdown: RunCML.doit does not run"
    | SOME variable =>
        (SyncVar.iPut (variable, status) handle SyncVar.Put => ();
         raise CML.Exit)
end

local
  (* The structure has the name that messages print in the names of its types. *)
  structure CML :>
  sig
    structure CML : CML
    structure SyncVar : SYNC_VAR
    structure Mailbox : MAILBOX
    structure Multicast : MULTICAST
    structure SimpleRPC : SIMPLE_RPC
    sharing type CML.event = SyncVar.event = Mailbox.event = Multicast.event = SimpleRPC.event
  end =
  struct
    structure CML = CML
    structure SyncVar = struct open SyncVar type 'a event = 'a Events.event end
    structure Mailbox = struct open Mailbox type 'a event = 'a Events.event end
    structure Multicast = struct open Multicast type 'a event = 'a Events.event end
    structure SimpleRPC = SimpleRPC
  end
in
  structure SyncVar = CML.SyncVar
  structure Mailbox = CML.Mailbox
  structure Multicast = CML.Multicast
  structure SimpleRPC = CML.SimpleRPC
  structure CML = CML.CML
end
