(* Threads that wait for each other, and choices between several waits. The library of CML and the names of Manticore use this file.

   A waiting thread leaves *offers* in the queues of channels and variables. An offer names the thread, the number of its choice, and a
   part of this choice. A thread that takes an offer claims the choice, hands the value over, and decides the choice for that part. So
   only one part of a choice ever happens (Reppy, Russo and Xiao, Parallel Concurrent ML, ICFP 2009). A thread looks at all parts of its
   choice before it leaves an offer. While it leaves offers, it may find a matching offer of another thread. Then it claims its own
   choice first. If the other choice is claimed at that moment, it gives its own claim back. So two threads that try each other's offers
   do not wait for each other. *)

structure Wait =
struct
  structure T = Core.Thread

  (* No thread of the program can continue. *)
  exception Deadlock of string

  fun ignore _ = ()

  (* The kinds of things for which threads wait, with the place of the code that made the thing. Reports of deadlocks use these names
     (`value/made.rs` of the runtime has the kinds). *)
  structure Made =
  struct
    fun channel () = T.here 0
    fun mailbox () = T.here 1
    fun variable () = T.here 2
    fun multicast () = T.here 3
  end

  (* --- Locks. A thread holds a lock for a few instructions, and is neither cancelled nor interrupted by other threads meanwhile. --- *)

  (* A thread that waits for a lock holds no other lock, so Ctrl-C may end it. *)
  fun contend (lock, 0) = (T.mask ~1; waitFor lock)
    | contend (lock, n) = if T.swap (lock, 0, 1) = 0 then () else contend (lock, Core.Int.- (n, 1))
  and waitFor lock =
    (T.mask 1;
     ignore (T.giveWay ());
     T.mask ~1;
     T.mask 2;
     if T.swap (lock, 0, 1) = 0 then () else contend (lock, 32))
  fun acquire lock =
    (T.mask 2;
     if T.swap (lock, 0, 1) = 0 then () else contend (lock, 32))
  fun release lock =
    (lock := 0;
     T.mask ~1)

  (* --- Offers --- *)

  (* A part of the choice with this number, which the thread has to make. *)
  type offer = {thread : T.thread, choice : int, part : int}

  datatype claim = MINE | OVER

  (* Claims another thread's choice. The caller must have left no offer of its own choice. *)
  fun claim (offer : offer) =
    case T.claim (#thread offer, #choice offer) of
      0 => MINE
    | 1 => (ignore (T.giveWay ()); claim offer)
    | _ => OVER

  datatype claims = BOTH | OTHER_OVER | OWN_OVER

  (* Claims both the caller's own choice, of which it has left offers, and another thread's choice. *)
  fun claimBoth (own : offer, other : offer) =
    case T.claim (#thread own, #choice own) of
      0 =>
        (case T.claim (#thread other, #choice other) of
           0 => BOTH
         | 1 =>
             (T.unclaim (#thread own);
              ignore (T.giveWay ());
              claimBoth (own, other))
         | _ =>
             (T.unclaim (#thread own);
              OTHER_OVER))
    | 1 => (ignore (T.giveWay ()); claimBoth (own, other))
    | _ => OWN_OVER

  fun isOwn (own : offer, other : offer) = T.same (#thread own, #thread other)

  fun decide (offer : offer) = T.decide (#thread offer, #part offer)

  (* --- Queues of offers, with the data that belongs to each offer --- *)

  type 'a queue = {front : 'a list ref, back : 'a list ref, size : int ref, limit : int ref}

  fun queue () : 'a queue = {front = ref nil, back = ref nil, size = ref 0, limit = ref 16}

  fun take ({front, back, size, ...} : 'a queue) =
    case ! front of
      x :: rest => (front := rest; size := Core.Int.- (! size, 1); SOME x)
    | nil =>
        case List.rev (! back) of
          nil => NONE
        | x :: rest => (back := nil; front := rest; size := Core.Int.- (! size, 1); SOME x)

  fun putBack ({front, size, ...} : 'a queue, x) = (front := x :: ! front; size := Core.Int.+ (! size, 1))

  fun addAlways ({back, size, ...} : 'a queue, x) = (back := x :: ! back; size := Core.Int.+ (! size, 1))

  (* Adds an offer at the end. When the queue has reached its limit, removes the offers whose choices are over (`isOver`). If this
     removes only a few offers, the limit increases. *)
  fun add ({front, back, size, limit} : 'a queue, x, isOver) =
    (back := x :: ! back;
     size := Core.Int.+ (! size, 1);
     if Core.Int.<= (! size, ! limit) then ()
     else
       let
         fun keep (nil, kept, count) = (kept, count)
           | keep (x :: rest, kept, count) =
               if isOver x then keep (rest, kept, count) else keep (rest, x :: kept, Core.Int.+ (count, 1))
         val (kept, count) = keep (! front, nil, 0)
         val (kept, count) = keep (List.rev (! back), kept, count)
       in
         front := List.rev kept;
         back := nil;
         size := count;
         limit :=
           (if Core.Int.< (count, 8) then 16
            else if Core.Int.< (Core.Int.* (count, 4), Core.Int.* (! limit, 3)) then Core.Int.* (count, 2)
            else Core.Int.* (count, 4))
       end)

  (* Returns true if the offer's choice is over. A claimed choice is not over. *)
  fun isOver (offer : offer) =
    case T.claim (#thread offer, #choice offer) of
      0 => (T.unclaim (#thread offer); false)
    | 1 => false
    | _ => true

  (* --- Waiting --- *)

  (* The action of a thread at its end: see `scheduler.sml`. *)
  val onEnd : (unit -> unit) ref = ref (fn () => ())

  (* Waits until the choice of a thread that has left offers is decided, and returns the part. If no other code needs the thread's
     result, the thread ends here, and its choice is void. *)
  fun decided (thread, choice, idle, made) = decidedOr (thread, choice, idle, made, false)

  (* As `decided`. If the thread is masked and so must not end here, the part is ~2 when the choice is void. `made` names the thing for
     which it waits, or is 0: see `T.waitsFor`. *)
  and decidedOr (thread, choice, idle : unit -> bool, made, isMasked) =
    let
      fun again () =
        let val part = T.decision thread
        in
          if Core.Int.>= (part, 0) orelse isMasked andalso part = ~2 then part
          else if T.isStuck () then deadlock ()
          else if idle () then again ()
          else if ! Core.Waits.areFibers andalso (! Core.Waits.leave) () then
            let val part = again () handle exn => ((! Core.Waits.back) (); raise exn)
            in
              (! Core.Waits.back) ();
              part
            end
          else
            (if made = 0 then () else T.waitsFor made;
             ignore (T.park ());
             again ())
        end
      and deadlock () =
        let val why = T.stuck ()
        in
          case T.claim (thread, choice) of
            0 => (T.decide (thread, 0); raise Deadlock why)
          | _ => again ()
        end
    in
      again ()
    end

  (* --- Conditions. A condition is signalled once, and wakes all waiting threads. --- *)

  datatype state = UNTOLD | AWAITED of offer queue | TOLD

  (* Each thread has a condition for its end. Few threads ever wait for it. *)
  type condition = {lock : int ref, state : state ref}

  fun condition () : condition = {lock = ref 0, state = ref UNTOLD}

  fun isTold ({state, ...} : condition) = case ! state of TOLD => true | _ => false

  fun tell ({lock, state} : condition) =
    let
      fun all waiters =
        case take waiters of
          NONE => ()
        | SOME offer => (case claim offer of MINE => decide offer | OVER => (); all waiters)
      val () = acquire lock
      val old = ! state
    in
      state := TOLD;
      case old of
        AWAITED waiters => all waiters
      | _ => ();
      release lock
    end

  (* Leaves an offer, unless the condition was signalled. The caller must hold the condition's lock. *)
  fun await ({state, ...} : condition, offer) =
    case ! state of
      TOLD => false
    | AWAITED waiters => (add (waiters, offer, isOver); true)
    | UNTOLD =>
        let val waiters = queue ()
        in
          addAlways (waiters, offer);
          state := AWAITED waiters;
          true
        end
end

(* Events: descriptions of waits, as values. *)
structure Events =
struct
  structure T = Core.Thread

  (* The result of an attempt to leave an offer. LEFT: the offer is in a queue, and `get` returns the result if the choice is decided for
     it. MADE: the choice was made for this offer at once. LOST: it was made for another part. While the offer is in a queue, `due` may
     decide the choice itself; the thread calls `due` after an alarm, and calls `undo` when the choice is decided. *)
  datatype 'a left =
    LEFT of {get : unit -> 'a, due : (Wait.offer -> bool) option, undo : unit -> unit}
  | MADE of unit -> 'a
  | LOST

  (* A part of a choice. `try` performs the part if this is possible at once. `made` names the thing for which the part waits, or is 0. *)
  type 'a base = {try : unit -> (unit -> 'a) option, leave : Wait.offer -> 'a left, made : int}

  datatype 'a event =
    BASES of 'a base list
  | CHOOSE of 'a event list
  | GUARD of unit -> 'a event
  | NACK of Wait.condition -> 'a event

  fun nothing () = ()

  fun mapBase f ({try, leave, made} : 'a base) =
    {made = made,
     try = fn () =>
       case try () of
         NONE => NONE
       | SOME get => SOME (fn () => f get),
     leave = fn offer =>
       case leave offer of
         LEFT {get, due, undo} => LEFT {get = fn () => f get, due = due, undo = undo}
       | MADE get => MADE (fn () => f get)
       | LOST => LOST}

  (* Applies `f` to the function that computes the result. *)
  fun over (f, event) =
    case event of
      BASES bases => BASES (List.map (mapBase f) bases)
    | CHOOSE events => CHOOSE (List.map (fn event => over (f, event)) events)
    | GUARD make => GUARD (fn () => over (f, make ()))
    | NACK make => NACK (fn condition => over (f, make condition))

  fun wrap (event, f) = over (fn get => f (get ()), event)
  fun wrapHandler (event, f) = over (fn get => get () handle exn => f exn, event)

  fun always x = BASES [{try = fn () => SOME (fn () => x), leave = fn _ => LOST, made = 0}]
  fun never () = BASES nil
  fun choose events = CHOOSE events
  fun guard make = GUARD make

  (* The event of a condition. *)
  fun told condition =
    BASES
      [{made = 0,
        try = fn () => if Wait.isTold condition then SOME nothing else NONE,
        leave = fn offer =>
          let
            val () = Wait.acquire (#lock condition)
            val left =
              if Wait.await (condition, offer) then LEFT {get = nothing, due = NONE, undo = nothing}
              else
                case Wait.claim offer of
                  Wait.MINE => (Wait.decide offer; MADE nothing)
                | Wait.OVER => LOST
          in
            Wait.release (#lock condition);
            left
          end}]

  fun withNack make = NACK (fn condition => make (told condition))

  (* A part, with the conditions around it. A condition is signalled if the choice picks no part within it. *)
  type 'a part = 'a base * bool ref list

  fun collect (event, around, parts, conditions) =
    case event of
      BASES bases =>
        let
          fun add (nil, parts) = parts
            | add (base :: rest, parts) = add (rest, (base, around) :: parts)
        in
          (add (bases, parts), conditions)
        end
    | CHOOSE events =>
        let
          fun all (nil, parts, conditions) = (parts, conditions)
            | all (event :: rest, parts, conditions) =
                let val (parts, conditions) = collect (event, around, parts, conditions)
                in all (rest, parts, conditions)
                end
        in
          all (events, parts, conditions)
        end
    | GUARD make => collect (make (), around, parts, conditions)
    | NACK make =>
        let
          val condition = Wait.condition ()
          val isChosen = ref false
        in
          collect (make condition, isChosen :: around, parts, (condition, isChosen) :: conditions)
        end

  fun tellOthers (around, conditions) =
    (List.app (fn isChosen => isChosen := true) around;
     List.app (fn (condition, isChosen) => if ! isChosen then () else Wait.tell condition) conditions)

  (* The part at which the next choice begins, so that no part always comes first. *)
  val turn = ref 0

  fun rotate (parts, count) =
    let
      val () = turn := Core.Int.+ (! turn, 1)
      val at = Core.Int.mod (Core.Int.abs (! turn), count)
      fun split (0, rest, first) = rest @ List.rev first
        | split (n, x :: rest, first) = split (Core.Int.- (n, 1), rest, x :: first)
        | split (_, nil, first) = List.rev first
    in
      split (at, parts, nil)
    end

  fun tryAll nil = NONE
    | tryAll (({try, ...} : 'a base, around) :: rest) =
        case try () of
          NONE => tryAll rest
        | SOME get => SOME (get, around)

  (* The name of the thing for which a choice waits: see `T.waitsFor`. *)
  fun made [({made, ...} : 'a base, _)] = made
    | made parts =
        case List.find (fn ({made, ...} : 'a base, _) => made <> 0) parts of
          SOME ({made, ...}, _) => Core.Int.~ made
        | NONE => 0

  (* Leaves the offers of all parts, and waits. *)
  fun block (parts : 'a part list) =
    let
      val thread = T.current ()
      val choice = T.beginChoice thread
      fun offer part = {thread = thread, choice = choice, part = part}
      fun undoAll left = List.app (fn (undo, _, _, _) => undo ()) left
      fun wait left =
        let
          fun due () =
            List.exists
              (fn (_, SOME due, _, part) => due (offer part)
                | _ => false) left
          val part = Wait.decided (thread, choice, due, made parts)
          fun find ((_, _, (get, around), at) :: rest) = if at = part then (get, around) else find rest
            | find nil = raise Fail "internal error: a choice without its part"
        in
          undoAll left;
          find left
        end
      fun leaveAll (nil, _, left) = wait left
        | leaveAll (({leave, ...}, around) :: rest, part, left) =
            case leave (offer part) of
              LEFT {get, due, undo} => leaveAll (rest, Core.Int.+ (part, 1), (undo, due, (get, around), part) :: left)
            | MADE get => (undoAll left; (get, around))
            | LOST => wait left
    in
      leaveAll (parts, 0, nil)
    end

  fun sync event =
    case event of
      BASES [base as {try, ...}] =>
        (case try () of
           SOME get => get ()
         | NONE => #1 (block [(base, nil)]) ())
    | _ =>
        let
          val (parts, conditions) = collect (event, nil, nil, nil)
          val parts =
            case parts of
              nil => nil
            | _ => rotate (parts, List.length parts)
          val (get, around) =
            case tryAll parts of
              SOME found => found
            | NONE => block parts
        in
          case conditions of
            nil => ()
          | _ => tellOthers (around, conditions);
          get ()
        end

  fun select events = sync (CHOOSE events)

  (* Decides the caller's own choice. The thread is masked, because other threads that find its offer wait until a claim is decided. *)
  fun settle offer =
    (T.mask 2;
     case Wait.claim offer of
       Wait.MINE => Wait.decide offer
     | Wait.OVER => ();
     T.mask ~1)

  (* An event that decides the choice itself after this number of nanoseconds. *)
  fun after span =
    let
      fun make () =
        let
          val time = Core.Int.+ (Core.System.monotonic (), span)
          fun isOver () = Core.Int.>= (Core.System.monotonic (), time)
        in
          BASES
            [{made = 0,
              try = fn () => if isOver () then SOME nothing else NONE,
              leave = fn offer =>
                let
                  val alarm = T.alarm (#thread offer, Core.Int.- (time, Core.System.monotonic ()))
                  fun due offer = isOver () andalso (settle offer; true)
                in
                  LEFT {get = nothing, due = SOME due, undo = fn () => T.unsetAlarm alarm}
                end}]
        end
    in
      GUARD make
    end
end

(* Channels. A message passes when one thread sends and another thread receives. *)
structure Channel =
struct
  structure T = Core.Thread

  datatype 'a chan =
    CHAN of {lock : int ref, senders : (Wait.offer * 'a) Wait.queue, receivers : Wait.offer Wait.queue, made : int}

  fun new () = CHAN {lock = ref 0, senders = Wait.queue (), receivers = Wait.queue (), made = Wait.Made.channel ()}
  fun same (CHAN a, CHAN b) = #lock a = #lock b

  fun get thread () =
    case T.given thread of
      SOME x => x
    | NONE => raise Fail "internal error: a message that is not there"

  fun isOverSender (offer, _) = Wait.isOver offer

  (* Gives a value to the first receiver whose choice is open. *)
  fun give (receivers, x) =
    case Wait.take receivers of
      NONE => false
    | SOME offer =>
        case Wait.claim offer of
          Wait.MINE => (T.hand (#thread offer, SOME x); Wait.decide offer; true)
        | Wait.OVER => give (receivers, x)

  (* Takes the value of the first sender whose choice is open. *)
  fun obtain senders =
    case Wait.take senders of
      NONE => NONE
    | SOME (offer, x) =>
        case Wait.claim offer of
          Wait.MINE => (Wait.decide offer; SOME x)
        | Wait.OVER => obtain senders

  fun trySend (CHAN {lock, receivers, ...}, x) =
    let
      val () = Wait.acquire lock
      val given = give (receivers, x)
    in
      Wait.release lock;
      given
    end

  fun tryRecv (CHAN {lock, senders, ...}) =
    let
      val () = Wait.acquire lock
      val obtained = obtain senders
    in
      Wait.release lock;
      obtained
    end

  (* As `give` and `obtain`, for an offer of a choice that has already left offers. `own` are offers of the same choice; they return to
     the queue. *)
  datatype 'a found = FOUND of 'a | NOTHING | GONE

  fun search (queue, own, offerOf, found) =
    let
      fun look mine =
        case Wait.take queue of
          NONE => (NOTHING, mine)
        | SOME x =>
            let val other = offerOf x
            in
              if Wait.isOwn (own, other) then look (x :: mine)
              else
                case Wait.claimBoth (own, other) of
                  Wait.BOTH => (found (x, other); Wait.decide other; Wait.decide own; (FOUND x, mine))
                | Wait.OTHER_OVER => look mine
                | Wait.OWN_OVER => (Wait.putBack (queue, x); (GONE, mine))
            end
      val (result, mine) = look nil
    in
      (* Puts the offers back in their old order: the last offer of the list came first. *)
      List.app (fn x => Wait.putBack (queue, x)) mine;
      result
    end

  fun leaveSend (CHAN {lock, senders, receivers, ...}, x) own =
    let
      val () = Wait.acquire lock
      val left =
        case search (receivers, own, fn offer => offer, fn (_, other) => T.hand (#thread other, SOME x)) of
          FOUND _ => Events.MADE Events.nothing
        | GONE => Events.LOST
        | NOTHING =>
            (Wait.add (senders, (own, x), isOverSender);
             Events.LEFT {get = Events.nothing, due = NONE, undo = Events.nothing})
    in
      Wait.release lock;
      left
    end

  fun leaveRecv (CHAN {lock, senders, receivers, ...}) own =
    let
      val () = Wait.acquire lock
      val left =
        case search (senders, own, fn (offer, _) => offer, fn _ => ()) of
          FOUND (_, x) => Events.MADE (fn () => x)
        | GONE => Events.LOST
        | NOTHING =>
            (Wait.add (receivers, own, Wait.isOver);
             Events.LEFT {get = get (#thread own), due = NONE, undo = Events.nothing})
    in
      Wait.release lock;
      left
    end

  fun sendEvt (chan as CHAN {made, ...}, x) =
    Events.BASES
      [{made = made,
        try = fn () => if trySend (chan, x) then SOME Events.nothing else NONE,
        leave = leaveSend (chan, x)}]

  fun recvEvt (chan as CHAN {made, ...}) =
    Events.BASES
      [{made = made,
        try = fn () =>
          case tryRecv chan of
            NONE => NONE
          | SOME x => SOME (fn () => x),
        leave = leaveRecv chan}]

  fun never () = false

  fun send (CHAN {lock, senders, receivers, made}, x) =
    let val () = Wait.acquire lock
    in
      if give (receivers, x) then Wait.release lock
      else
        let
          val thread = T.current ()
          val choice = T.beginChoice thread
        in
          Wait.add (senders, ({thread = thread, choice = choice, part = 0}, x), isOverSender);
          Wait.release lock;
          Wait.ignore (Wait.decided (thread, choice, never, made))
        end
    end

  fun recv (CHAN {lock, senders, receivers, made}) =
    let val () = Wait.acquire lock
    in
      case obtain senders of
        SOME x => (Wait.release lock; x)
      | NONE =>
          let
            val thread = T.current ()
            val choice = T.beginChoice thread
          in
            Wait.add (receivers, {thread = thread, choice = choice, part = 0}, Wait.isOver);
            Wait.release lock;
            Wait.ignore (Wait.decided (thread, choice, never, made));
            get thread ()
          end
    end
end
