(* Schedulers that programs write: the scheduling system of Manticore (Rainey's thesis, sections 2.5 and 5.1; Fluet, Rainey and Reppy, A
   Scheduling Framework for General-Purpose Parallel Languages, ICFP 2008).

   A vproc is a logical processor. One strand at a time holds it, and a strand that passes control to another strand passes the vproc with
   it. The strands are threads of the runtime, so any number of workers serve the vprocs. A captured continuation is a waiting strand. A
   continuation that was made from a function begins a new strand at each throw. So the function to which `callcc` gives a continuation runs
   in a separate strand: the continuation can continue on another vproc before this function has ended.

   All state of a vproc except its queue belongs to the strand that holds the vproc. *)

signature SCHEDULER =
sig
  type 'a cont
  type fiber = unit cont
  eqtype vproc
  type fls
  type 'a key
  (* The message to a scheduler action: the fiber has ended, was interrupted, or requests to sleep for this number of nanoseconds. *)
  datatype signal = STOP | PREEMPT of fiber | SLEEP of int * fiber
  type action = signal cont
  (* The program has thrown to this captured continuation before. *)
  exception ThrownTwice

  (* Returns a continuation that calls the function, and then ends as a fiber does. Programs may throw to it more than once. *)
  val cont : ('a -> 'b) -> 'a cont
  val fiber : (unit -> unit) -> fiber
  (* Calls the function with the continuation of the call. *)
  val callcc : ('a cont -> 'a) -> 'a
  val throw : 'a cont -> 'a -> 'b

  (* Runs the fiber under the action, with signals unmasked. *)
  val run : action * fiber -> 'a
  (* Gives the signal to the current action, with signals masked. *)
  val forward : signal -> 'a
  val stop : unit -> 'a
  val yield : unit -> unit
  (* As `yield`, but masks signals. *)
  val atomicYield : unit -> unit
  val sleep : int -> unit
  val mask : unit -> unit
  val unmask : unit -> unit
  val isMasked : unit -> bool
  val maskPreemption : unit -> unit
  val unmaskPreemption : unit -> unit
  val atomic : (unit -> 'a) -> 'a

  (* Returns the caller's vproc. Unless signals are masked, the caller may be interrupted at any time, and continue on another vproc. *)
  val host : unit -> vproc
  val vprocs : unit -> vproc list
  val vprocId : vproc -> int
  val enq : fiber * fls -> unit
  val deq : unit -> (fiber * fls) option
  val enqOnVP : vproc * fiber * fls -> unit
  (* Interrupts the fiber that runs on the vproc. *)
  val preempt : vproc -> unit
  val spawn : (unit -> unit) -> unit
  val spawnOn : (unit -> unit) * vproc -> unit
  val migrateTo : vproc -> unit

  val newFls : unit -> fls
  val setFls : fls -> unit
  val getFls : unit -> fls
  (* Returns a key. The value of the key is initially the given value. *)
  val newKey : 'a -> 'a key
  val getKey : 'a key -> 'a
  val setKey : 'a key * 'a -> unit

  (* The operations on memory of section 2.4.4. `atomicCompareAndSwap` stores the new value if the cell contains the old value: a value
     that the program has read from the cell, or an equal value with the same strings, large integers, vectors and arrays. Both functions
     return the previous contents. *)
  val atomicTestAndSet : bool ref -> bool
  val atomicCompareAndSwap : ''a ref * ''a * ''a -> ''a
  val promote : 'a -> 'a
end

structure Scheduler :> SCHEDULER =
struct
  structure T = Core.Thread
  open Fibers

  type fiber = unit cont
  type action = signal cont
  exception ThrownTwice

  (* --- Places --- *)

  fun newFls () = FLS (ref nil)

  fun stateOf thread : Fibers.fiber =
    case T.kept thread of
      SOME (FIBER state) => state
    | other =>
        let
          val tid =
            case other of
              SOME (THREAD id) => SOME id
            | _ => NONE
          val state = {tid = ref tid, place = ref NONE, fls = ref (newFls ()), left = ref NONE}
        in
          T.keep (thread, SOME (FIBER state));
          state
        end

  fun here () = ! (#place (stateOf (T.current ())))

  (* Returns true if another strand has asked the vproc to interrupt its fiber. The swap is the barrier: `preempt` sets `asked` and reads
     `running`. *)
  fun isAskedFor asked = T.swap (asked, 1, 1) = 1

  (* Records that the running thread has this place. *)
  fun settle (thread, NONE) = ()
    | settle (thread, SOME (VPROC {running, isMasked, asked, ...})) =
        (running := SOME thread;
         if ! isMasked then ()
         else
           (if isAskedFor asked then T.preempt thread else ();
            T.preemptible true))

  fun adopt (place, tid) =
    let val thread = T.current ()
    in
      T.keep (thread, SOME (FIBER {tid = tid, place = ref place, fls = ref (newFls ()), left = ref NONE}));
      settle (thread, place)
    end

  (* --- Continuations --- *)

  (* Calls the function, in which the strand passes its place on or changes a vproc. No poll preempts the strand there: afterwards it
     might be on another vproc, and the vproc whose state it has read might run another strand. A cancellation does not end the strand
     there either: the strand would continue without its place, and a vproc would have no holder or be half changed. *)
  fun held f =
    let
      val () = T.mask 1
      val result = f () handle exn => (T.mask ~1; raise exn)
    in
      T.mask ~1;
      result
    end

  fun awake () =
    if T.isStuck () then raise Wait.Deadlock (T.stuck ())
    else ignore (T.park ())

  fun forever () = (awake (); forever ())

  (* Ends the strand, which has passed its place on. The program itself waits. *)
  fun finish () =
    (T.finish ();
     forever ())

  (* Reports an exception that has this origin. The hash of a thread is its number. *)
  fun tell (exn, origin) = T.uncaught (exn, origin, Word.toInt (CML.hashTid (CML.getTid ())))

  (* Passes this strand's place on, if possible. *)
  fun hand (CONT go, x) =
    held (fn () =>
      let
        val thread = T.current ()
        val {place, ...} = stateOf thread
        val here = ! place
      in
        T.preemptible false;
        go (here, x) handle exn => (settle (thread, here); raise exn);
        place := NONE
      end)

  fun throw k x = (hand (k, x); finish ())

  datatype 'a outcome = DONE of 'a | FAILED of exn

  (* Returns a continuation of this strand, and the function that waits until the program throws to it. *)
  fun capture (thread, {place, ...} : Fibers.fiber) =
    let
      val isUsed = ref 0
      val value = ref NONE
      fun go (there, outcome) =
        if T.swap (isUsed, 0, 1) = 0 then
          (value := SOME (there, outcome);
           T.unpark thread)
        else raise ThrownTwice
      fun await () =
        case ! value of
          NONE => (awake (); await ())
        | SOME (there, outcome) =>
            (value := NONE;
             place := there;
             settle (thread, there);
             case outcome of
               DONE x => x
             | FAILED exn => raise exn)
    in
      (go, await)
    end

  (* --- Vprocs --- *)

  fun leaveQueue (VPROC {lock, queue, isIdle, ...}, isLast) =
    let
      val () = Wait.acquire lock
      val next = Wait.take queue
    in
      (case next of
         NONE => isIdle := (isLast orelse ! isIdle)
       | SOME _ => ());
      Wait.release lock;
      next
    end

  (* Runs the fibers in the queue of the vproc, which this strand holds. A vproc without an action does this. *)
  fun dispatch (vproc as VPROC {fls, isMasked, running, ...}) =
    (running := NONE;
     case leaveQueue (vproc, true) of
       NONE => #place (stateOf (T.current ())) := NONE
     | SOME (k, state) =>
         (fls := state;
          isMasked := false;
          hand (k, ()) handle exn => (isMasked := true; tell (exn, Core.exnOrigin exn); dispatch vproc)))

  fun enqOnVP (vproc as VPROC {lock, queue, isIdle, isMasked, ...}, k, fls) =
    held (fn () =>
      let
        val () = Wait.acquire lock
        val () = Wait.addAlways (queue, (k, fls))
        val wasIdle = ! isIdle
      in
        isIdle := false;
        Wait.release lock;
        if wasIdle then
          (isMasked := true;
           Wait.ignore (T.spawn (fn () => (adopt (SOME vproc, ref NONE); held (fn () => dispatch vproc)))))
        else ()
      end)

  fun later (vproc, nanoseconds, k, fls) =
    Wait.ignore (T.spawn (fn () => (Events.sync (Events.after nanoseconds); enqOnVP (vproc, k, fls))))

  (* Gives the signal to the current action. If there is no action, the vproc runs the next fiber of its queue. On no vproc, the rules of
     threads apply. *)
  fun signal s =
    let
      fun onVproc () =
        (T.preemptible false;
         case ! (#place (stateOf (T.current ()))) of
           NONE => false
         | SOME (vproc as VPROC {isMasked, actions, fls, ...}) =>
             (isMasked := true;
              case ! actions of
                action :: rest => (actions := rest; hand (action, s))
              | nil =>
                  (case s of
                     STOP => ()
                   | PREEMPT k => enqOnVP (vproc, k, ! fls)
                   | SLEEP (nanoseconds, k) => later (vproc, nanoseconds, k, ! fls);
                   dispatch vproc);
              true))
    in
      if held onVproc then ()
      else
        case s of
          STOP => ()
        | PREEMPT k => hand (k, ())
        | SLEEP (nanoseconds, k) => (Events.sync (Events.after nanoseconds); hand (k, ()))
    end

  fun forward s = (signal s; finish ())
  fun stop () = forward STOP

  (* The strand has ended, or the function that it calls has ended. *)
  fun ended tid =
    (case ! tid of
       SOME (TID {ended, ...}) => Wait.tell ended
     | NONE => ();
     signal STOP)

  fun cont f =
    CONT
      (fn (place, x) =>
         let
           fun start () =
             let val tid = ref NONE
             in
               adopt (place, tid);
               Wait.ignore (f x) handle Exit => () | exn => tell (exn, Core.exnOrigin exn);
               ended tid
             end
         in
           Wait.ignore (T.spawn start)
         end)

  val fiber : (unit -> unit) -> fiber = cont

  fun callcc f =
    held (fn () =>
      let
        val thread = T.current ()
        val state = stateOf thread
        val place = ! (#place state)
        val (go, await) = capture (thread, state)
        val k = CONT (fn (there, x) => go (there, DONE x))
        fun body () =
          let
            val () = adopt (place, #tid state)
            val outcome = DONE (f k) handle exn => FAILED exn
          in
            hand (CONT go, outcome)
            handle ThrownTwice =>
              (tell
                 (case outcome of
                    FAILED exn => exn
                  | DONE _ => ThrownTwice, 0);
               signal STOP)
          end
      in
        T.preemptible false;
        #place state := NONE;
        Wait.ignore (T.spawn body);
        await ()
      end)

  (* Waits for a turn on the vproc. *)
  fun enter (thread, vproc, fls) =
    let
      val state = stateOf thread
      val (go, await) = capture (thread, state)
    in
      held (fn () =>
        (enqOnVP (vproc, CONT (fn (there, ()) => go (there, DONE ())), fls);
         await ()))
    end

  fun isMasked () =
    held (fn () =>
      case here () of
        NONE => false
      | SOME (VPROC {isMasked, ...}) => ! isMasked)

  fun mask () =
    held (fn () =>
      case here () of
        NONE => ()
      | SOME (VPROC {isMasked, ...}) => (T.preemptible false; isMasked := true))

  fun unmask () =
    held (fn () =>
      case here () of
        NONE => ()
      | there as SOME (VPROC {isMasked, ...}) =>
          (isMasked := false;
           settle (T.current (), there)))

  (* --- The actions of the runtime and of waits --- *)

  fun ends () =
    case T.kept (T.current ()) of
      SOME (FIBER {place = ref (SOME _), ...}) => signal STOP
    | _ => ()

  (* Handles the preemption of a fiber. *)
  fun preempted () =
    let
      val thread = T.victim (T.current ())
      val {tid, place, ...} = stateOf thread
      val there = ! place
      val isUsed = ref 0
      fun goOn (there, ()) =
        if T.swap (isUsed, 0, 1) <> 0 then raise ThrownTwice
        else
          (place := there;
           case there of
             NONE => Wait.ignore (T.goOn (thread, false))
           | SOME (VPROC {running, isMasked, asked, ...}) =>
               (running := SOME thread;
                if isAskedFor asked andalso not (! isMasked) then T.preempt thread else ();
                (* A part of a cancelled fork has ended in the queue. *)
                if T.goOn (thread, not (! isMasked)) then
                  Wait.ignore (T.spawn (fn () => (adopt (there, tid); signal STOP)))
                else ()))
    in
      case there of
        NONE => ()
      | SOME (VPROC {isMasked, asked, ...}) => (isMasked := true; asked := 0);
      adopt (there, tid);
      signal (PREEMPT (CONT goOn))
    end

  (* A fiber is about to wait for an event or a lazy value. For its action, the fiber has stopped. If signals are masked, the fiber keeps
     the vproc. *)
  fun leaves () =
    case T.kept (T.current ()) of
      SOME (FIBER {tid, place, left, ...}) =>
        held (fn () =>
          case ! place of
            NONE => false
          | there as SOME (vproc as VPROC {isMasked, fls, ...}) =>
              if ! isMasked then false
              else
                (T.preemptible false;
                 place := NONE;
                 left := SOME (vproc, ! fls);
                 isMasked := true;
                 Wait.ignore (T.spawn (fn () => (adopt (there, tid); signal STOP)));
                 true))
    | _ => false

  (* Waits until a vproc runs the fiber again. Code that leaves a cancelled part also calls this function, because a wait in that part
     may have ended early. *)
  fun comesBack () =
    let
      val thread = T.current ()
      val {left, ...} = stateOf thread
    in
      case ! left of
        NONE => ()
      | SOME (vproc, fls) => held (fn () => (left := NONE; enter (thread, vproc, fls)))
    end

  (* Runs in a new strand when a fiber was preempted. Also runs when a fiber has ended that computed a part of a fork: the strand then
     has the data of this fiber. *)
  fun interrupted () =
    case T.kept (T.current ()) of
      SOME _ => ends ()
    | NONE => preempted ()

  fun newVproc id =
    VPROC
      {id = id,
       lock = ref 0,
       queue = Wait.queue (),
       isIdle = ref true,
       actions = ref nil,
       isMasked = ref true,
       fls = ref (newFls ()),
       asked = ref 0,
       running = ref NONE}

  (* The vprocs of the program with this number. The vprocs of the previous program end with that program. *)
  val all : (int * vproc list) ref = ref (~1, nil)
  val lock = ref 0

  fun vprocs () =
    let val (program, vprocs) = ! all
    in
      if program = T.program () then vprocs else make ()
    end
  and make () =
    let
      val () = Wait.acquire lock
      val program = T.program ()
    in
      if #1 (! all) = program then ()
      else
        (Core.Waits.leave := leaves;
         Core.Waits.back := comesBack;
         Core.Waits.isMasked := isMasked;
         Core.Waits.setMasked := (fn was => if was then mask () else unmask ());
         Wait.onEnd := ends;
         Core.Waits.areFibers := true;
         T.onPreempt interrupted;
         all := (program, List.tabulate (Core.Par.workers (), newVproc)));
      Wait.release lock;
      #2 (! all)
    end

  fun host () =
    case here () of
      SOME vproc => vproc
    | NONE => List.hd (vprocs ())

  fun vprocId (VPROC {id, ...}) = id

  (* --- Operations on fibers --- *)

  fun fromHere () =
    case here () of
      SOME vproc => vproc
    | NONE =>
        let
          val thread = T.current ()
          val vproc = host ()
        in
          enter (thread, vproc, ! (#fls (stateOf thread)));
          vproc
        end

  fun run (action, k) =
    (held (fn () =>
       let
         val VPROC {actions, isMasked, ...} = fromHere ()
         val () = T.preemptible false
         val below = ! actions
         val wasMasked = ! isMasked
       in
         actions := action :: below;
         isMasked := false;
         hand (k, ())
         handle exn =>
           (T.preemptible false;
            actions := below;
            isMasked := wasMasked;
            settle (T.current (), here ());
            raise exn)
       end);
     finish ())

  (* Returns the cell with the state of the fiber. *)
  fun flsHere () =
    let val {place, fls, ...} = stateOf (T.current ())
    in
      case ! place of
        SOME (VPROC {fls, ...}) => fls
      | NONE => fls
    end

  fun getFls () = held (fn () => ! (flsHere ()))
  fun setFls state = held (fn () => flsHere () := state)

  (* The resumed fiber has the same state as before. *)
  fun suspend f =
    held (fn () =>
      let val fls = getFls ()
      in
        callcc (fn k => f (k, fls));
        setFls fls
      end)

  fun yield () =
    case here () of
      NONE => CML.yield ()
    | SOME _ => suspend (fn (k, _) => forward (PREEMPT k))

  fun sleep nanoseconds = suspend (fn (k, _) => forward (SLEEP (nanoseconds, k)))

  val maskPreemption = mask
  val unmaskPreemption = unmask

  fun atomicYield () = (yield (); mask ())

  fun atomic f =
    let
      val was = isMasked ()
      val () = mask ()
      fun leave () = if was then () else unmask ()
      val result = f () handle exn => (leave (); raise exn)
    in
      leave ();
      result
    end

  fun enq (k, fls) = enqOnVP (host (), k, fls)
  fun deq () = leaveQueue (host (), false)

  fun preempt (VPROC {asked, running, ...}) =
    (Wait.ignore (T.swap (asked, 0, 1));
     case ! running of
       SOME thread => T.preempt thread
     | NONE => ())

  fun spawnOn (f, vproc) = enqOnVP (vproc, fiber f, newFls ())
  fun spawn f = spawnOn (f, host ())

  fun migrateTo vproc = suspend (fn (k, fls) => (enqOnVP (vproc, k, fls); stop ()))

  (* --- Values of fibers --- *)

  type 'a key = {id : int, default : 'a, hide : 'a -> exn, show : exn -> 'a option}

  val lastKey = ref 0

  fun newKey (default : 'a) : 'a key =
    let exception Value of 'a
    in
      {id = Core.Par.fetchAdd (lastKey, 1),
       default = default,
       hide = Value,
       show = fn Value x => SOME x | _ => NONE}
    end

  fun getKey ({id, default, show, ...} : 'a key) =
    let
      val FLS values = getFls ()
      fun find nil = default
        | find ((other, value) :: rest) =
            if other = id then
              case show value of
                SOME x => x
              | NONE => default
            else find rest
    in
      find (! values)
    end

  fun setKey ({id, hide, ...} : 'a key, x) =
    let val FLS values = getFls ()
    in
      values := (id, hide x) :: List.filter (fn (other, _) => other <> id) (! values)
    end

  (* --- Memory --- *)

  fun atomicTestAndSet lock = Core.Par.swap (lock, false, true)
  fun atomicCompareAndSwap (place, old, new) = Core.Par.swap (place, old, new)
  fun promote x = x
end
