//! Tests schedulers that programs implement, including the schedulers of Rainey's thesis, on several workers and in many modes
//! (`modes/mod.rs`).

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "continuations are thrown to once",
        r#"
        open Scheduler
        val a = callcc (fn k => 1 + throw k 41)
        val b = callcc (fn k => 7)
        exception Own of int
        val c = callcc (fn k => raise Own 3) handle Own i => i
        (* A handler in the function that is left does not see what it throws. *)
        val d = callcc (fn k => (throw k 5 handle _ => 6))
        val kept : int cont option ref = ref NONE
        val e = callcc (fn k => (kept := SOME k; 8))
        val again = (throw (valOf (! kept)) 9; false) handle ThrownTwice => true
        (* Another thread throws, while this one waits; the second of two loses. *)
        fun race 0 = 0
          | race i =
              let
                val lost = SyncVar.mVarInit 0
                fun try k x () =
                  throw k x handle ThrownTwice => SyncVar.mPut (lost, SyncVar.mTake lost + 1)
                val x = callcc (fn k => (ignore (CML.spawn (try k i)); ignore (CML.spawn (try k i)); stop ()))
                fun wait () = if SyncVar.mGet lost = 1 then () else (CML.yield (); wait ())
              in
                wait ();
                (if x = i then 0 else 1) + race (i - 1)
              end
        val wrong = race (SIZE div 100)
        fun sum 0 = 0
          | sum i = callcc (fn k => throw k i) + sum (i - 1)
        val n = SIZE div 100
        val right = a = 41 andalso b = 7 andalso c = 3 andalso d = 5 andalso e = 8 andalso again andalso wrong = 0 andalso sum n = n * (n + 1) div 2
        val () = print (if right then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a round-robin scheduler interrupts what computes",
        r#"
        open Scheduler
        fun forever i = forever (i + 1)
        val told : int CML.chan = CML.channel ()
        val switches = ref 0
        (* Figure 2.13. *)
        fun roundRobin STOP = dispatch ()
          | roundRobin (PREEMPT k) =
              let val fls = getFls ()
              in
                switches := ! switches + 1;
                enq (cont (fn () => (setFls fls; throw k ())), fls);
                dispatch ()
              end
          | roundRobin (SLEEP (_, k)) = roundRobin (PREEMPT k)
        and dispatch () =
          case deq () of
            NONE => stop ()
          | SOME (k, fls) => (setFls fls; run (cont roundRobin, k))
        fun start vp =
          let
            fun launch () =
              (enq (fiber (fn () => forever 0), newFls ());
               enq (fiber (fn () => forever 1), newFls ());
               enq (fiber (fn () => (yield (); CML.send (told, vprocId (host ())))), newFls ());
               run (cont roundRobin, fiber (fn () => ())))
          in
            enqOnVP (vp, fiber launch, newFls ())
          end
        val () = List.app start (vprocs ())
        val ids = List.map (fn _ => CML.recv told) (vprocs ())
        val right = List.foldl (op +) 0 ids = WORKERS * (WORKERS - 1) div 2 andalso ! switches > 0
        val () = print (if right then "done\n" else "wrong\n")
        "#,
    ),
    (
        "threads migrate, and start elsewhere",
        r#"
        open Scheduler
        val all = vprocs ()
        val rounds = SIZE div 100
        val key = newKey 0
        val results : int CML.chan = CML.channel ()
        fun travel (0, _, wrong) = wrong
          | travel (i, nil, wrong) = travel (i, all, wrong)
          | travel (i, vp :: rest, wrong) =
              let
                val () = setKey (key, i)
                val () = migrateTo vp
                val wrong = if host () = vp andalso getKey key = i then wrong else wrong + 1
                val () = yield ()
              in
                travel (i - 1, rest, if host () = vp andalso getKey key = i then wrong else wrong + 1)
              end
        val () = List.app (fn vp => spawnOn (fn () => CML.send (results, travel (rounds, all, if host () = vp then 0 else 1)), vp)) all
        val () = List.app (fn vp => spawnOn (fn () => CML.send (results, travel (rounds, rev all, 0)), vp)) (rev all)
        val wrong = List.foldl (fn (_, sum) => sum + CML.recv results) 0 (all @ all)
        (* The program itself, as a fiber, among others. *)
        val mine = travel (rounds, all, 0)
        val () = print (if wrong + mine = 0 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a vproc runs one fiber at a time",
        r#"
        open Scheduler
        val all = vprocs ()
        val n = SIZE div 100
        val results : unit CML.chan = CML.channel ()
        val counts = List.map (fn vp => (vp, ref 0)) all
        val overlaps = ref 0
        fun poll 0 = ()
          | poll i = poll (i - 1)
        fun add (count, 0) = ()
          | add (count, i) =
              (atomic
                 (fn () =>
                    let val before' = ! count
                    in
                      if i mod 7 = 0 then CML.yield () else ();
                      poll (i mod 5);
                      if ! count <> before' then overlaps := ! overlaps + 1 else ();
                      count := before' + 1
                    end);
               if i mod 5 = 0 then yield () else ();
               add (count, i - 1))
        fun start (vp, count) =
          List.app (fn _ => spawnOn (fn () => (add (count, n); CML.send (results, ())), vp)) [1, 2, 3]
        val isOver = ref false
        fun disturb () =
          if ! isOver then ()
          else (List.app preempt all; CML.yield (); disturb ())
        val _ = CML.spawn disturb
        val () = List.app start counts
        val () = List.app (fn _ => CML.recv results) (all @ all @ all)
        val () = isOver := true
        val right = ! overlaps = 0 andalso List.all (fn (_, count) => ! count = 3 * n) counts
        val () = print (if right then "done\n" else "wrong\n")
        "#,
    ),
    (
        "fibers wait for each other, and let their vproc run others",
        r#"
        open Scheduler
        val n = SIZE div 100
        val c : int CML.chan = CML.channel () and d : int CML.chan = CML.channel ()
        val key = newKey 0
        fun serve 0 = ()
          | serve i = (CML.send (d, CML.recv c + getKey key); serve (i - 1))
        val vp = hd (vprocs ())
        val result = SyncVar.iVar ()
        val () = spawnOn (fn () => (setKey (key, 1); serve n), vp)
        fun ask (0, sum) = sum
          | ask (i, sum) = (CML.send (c, i); ask (i - 1, sum + CML.recv d))
        val () =
          spawnOn
            (fn () =>
               (setKey (key, 100);
                SyncVar.iPut (result, if ask (n, 0) = n * (n + 1) div 2 + n andalso getKey key = 100 andalso host () = vp then 1 else 0)), vp)
        val one = SyncVar.iGet result
        (* And a thread of CML that becomes a fiber ends as both. *)
        val id = CML.spawn (fn () => (migrateTo vp; yield ()))
        val () = CML.sync (CML.joinEvt id)
        val () = spawnOn (fn () => sleep 1000000, vp)
        val last = SyncVar.iVar ()
        val () = spawnOn (fn () => SyncVar.iPut (last, ()), vp)
        val () = SyncVar.iGet last
        val () = print (if one = 1 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a tree of fibers is cancelled",
        r#"
        open Scheduler
        (* Figures 5.1 to 5.3. A cancelable here has a lock for its list. *)
        datatype cancelable =
          CANCELABLE of
            {canceled : bool ref, running : vproc option ref, children : cancelable list ref, lock : unit SyncVar.mvar,
             isActive : bool ref}
        fun makeCancelable () =
          CANCELABLE
            {canceled = ref false, running = ref NONE, children = ref nil, lock = SyncVar.mVarInit (), isActive = ref false}
        fun setActive (CANCELABLE {running, isActive, ...}) = (running := SOME (host ()); isActive := true)
        fun setInactive (CANCELABLE {running, isActive, ...}) = (running := NONE; isActive := false)
        fun cancelWrapFiber (c as CANCELABLE {canceled, ...}, k) =
          let
            fun terminate () = (setInactive c; stop ())
            fun dispatch k =
              (setActive c;
               if ! canceled then terminate () else run (cont wrapper, k))
            and wrapper STOP = terminate ()
              | wrapper (PREEMPT k) = (setInactive c; atomicYield (); dispatch k)
              | wrapper (SLEEP (_, k)) = wrapper (PREEMPT k)
          in
            fn () => (maskPreemption (); dispatch k)
          end
        fun addChild (CANCELABLE {canceled, children, lock, ...}, child) =
          let
            val () = SyncVar.mTake lock
            val isLate = ! canceled
          in
            if isLate then () else children := child :: ! children;
            SyncVar.mPut (lock, ());
            not isLate
          end
        fun cancel (CANCELABLE {canceled, running, children, lock, isActive}) =
          let
            val () = canceled := true
            val () = SyncVar.mTake lock
            val below = ! children
            val () = SyncVar.mPut (lock, ())
            fun wait () =
              if ! isActive then
                ((case ! running of
                    SOME vp => preempt vp
                  | NONE => ());
                 CML.yield ();
                 wait ())
              else ()
          in
            wait ();
            List.app cancel below
          end
        val started : unit Mailbox.mbox = Mailbox.mailbox ()
        fun spawnChild (parent, vp, f) =
          let
            val c = makeCancelable ()
          in
            if atomic (fn () => addChild (parent, c)) then
              enqOnVP (vp, fiber (cancelWrapFiber (c, fiber (fn () => f c))), newFls ())
            else ()
          end
        fun forever i = forever (i + 1)
        val all = vprocs ()
        fun tree depth c =
          (if depth = 0 then ()
           else List.app (fn vp => spawnChild (c, vp, tree (depth - 1))) [hd all, List.last all];
           atomic (fn () => Mailbox.send (started, ()));
           forever 0)
        val root = makeCancelable ()
        val () = enqOnVP (hd all, fiber (cancelWrapFiber (root, fiber (fn () => tree 2 root))), newFls ())
        val () = List.app (fn _ => Mailbox.recv started) (List.tabulate (7, fn _ => ()))
        val () = cancel root
        (* The vprocs are free. *)
        val free : unit CML.chan = CML.channel ()
        fun alone 0 = ()
          | alone i = (yield (); alone (i - 1))
        val () = List.app (fn vp => spawnOn (fn () => (alone 20; CML.send (free, ())), vp)) all
        val () = List.app (fn _ => CML.recv free) all
        val () = print "done\n"
        "#,
    ),
    (
        "workers steal tasks from each other",
        r#"
        open Scheduler
        val all = vprocs ()
        (* Figure 5.9. Deques are lists under a lock, and a thief looks at all of them. *)
        type deque = {lock : bool ref, tasks : fiber list ref}
        fun newDeque () : deque = {lock = ref false, tasks = ref nil}
        fun locked ({lock, tasks} : deque, f) =
          let
            fun take () = if atomicTestAndSet lock then (CML.yield (); take ()) else ()
            val wasMasked = isMasked ()
            val () = mask ()
            val () = take ()
            val (rest, result) = f (! tasks)
          in
            tasks := rest;
            lock := false;
            if wasMasked then () else unmask ();
            result
          end
        fun pushTop deque t = locked (deque, fn ts => (t :: ts, ()))
        fun popTop deque =
          locked
            (deque,
             fn nil => (nil, NONE)
              | t :: ts => (ts, SOME t))
        fun popBottom deque =
          locked
            (deque,
             fn ts =>
               case rev ts of
                 nil => (nil, NONE)
               | t :: ts => (rev ts, SOME t))
        val deques = List.map (fn vp => (vp, newDeque ())) all
        fun ownDeque () = let val vp = host () in #2 (valOf (List.find (fn (other, _) => other = vp) deques)) end
        val terminate = ref false
        fun steal nil = NONE
          | steal ((_, deque) :: rest) =
              case popBottom deque of
                NONE => steal rest
              | SOME t => SOME t
        fun spawnWorker (vp, deque) =
          let
            fun launch () =
              let
                fun ws STOP =
                      (case popTop deque of
                         SOME t => run (cont ws, t)
                       | NONE =>
                           case steal deques of
                             SOME t => run (cont ws, t)
                           | NONE => if ! terminate then stop () else (atomicYield (); CML.yield (); throw (cont ws) STOP))
                  | ws (PREEMPT k) = (pushTop deque k; atomicYield (); throw (cont ws) STOP)
                  | ws (SLEEP (_, k)) = ws (PREEMPT k)
              in
                run (cont ws, fiber (fn () => stop ()))
              end
          in
            enqOnVP (vp, fiber launch, newFls ())
          end
        val () = List.app spawnWorker deques
        (* Both at once: the second to come goes on. *)
        fun both (f, g) =
          let
            val left = ref NONE and right = ref NONE
            val count = ref 0
            fun arrive k = if atomicCompareAndSwap (count, 0, 1) = 0 then stop () else throw k ()
          in
            callcc
              (fn k =>
                 (pushTop (ownDeque ()) (fiber (fn () => (right := SOME (g ()); arrive k)));
                  left := SOME (f ());
                  arrive k));
            (valOf (! left), valOf (! right))
          end
        fun fib n =
          if n < 2 then n
          else let val (a, b) = both (fn () => fib (n - 1), fn () => fib (n - 2)) in a + b end
        val size = if SIZE >= 100000 then 15 else if SIZE >= 1000 then 10 else 6
        val result = SyncVar.iVar ()
        val () = pushTop (newDeque ()) (fiber (fn () => ()))
        val () = pushTop (#2 (hd deques)) (fiber (fn () => SyncVar.iPut (result, fib size)))
        val x = SyncVar.iGet result
        val () = terminate := true
        fun plain n = if n < 2 then n else plain (n - 1) + plain (n - 2)
        val () = print (if x = plain size then "done\n" else "wrong\n")
        "#,
    ),
    (
        "fibers fork",
        r#"
        open Scheduler
        fun tree 0 = 1
          | tree d = let val (a, b) = (| tree (d - 1), tree (d - 1) |) in a + b end
        val depth = if SIZE >= 100000 then 12 else 7
        val results : int CML.chan = CML.channel ()
        val () = List.app (fn vp => spawnOn (fn () => (yield (); CML.send (results, tree depth)), vp)) (vprocs () @ vprocs ())
        val leaves = List.foldl (fn (_, sum) => sum + CML.recv results) 0 (vprocs () @ vprocs ())
        fun power 0 = 1
          | power i = 2 * power (i - 1)
        val () = print (if leaves = 2 * WORKERS * power depth then "done\n" else "wrong\n")
        "#,
    ),
    (
        "fibers of a vproc wait for a lazy value that one of them computes",
        r#"
        open Scheduler
        val results : int CML.chan = CML.channel ()
        val n = SIZE div 100
        fun round i =
          let
            val value = Lazy.delay (fn () => (yield (); yield (); i))
            fun use () = CML.send (results, Lazy.force value)
          in
            List.app (fn vp => (spawnOn (use, vp); spawnOn (use, vp))) (vprocs ());
            List.foldl (fn (_, sum) => sum + CML.recv results) 0 (vprocs () @ vprocs ())
          end
        fun all (0, sum) = sum
          | all (i, sum) = all (i - 1, sum + round i)
        val () = print (if all (n, 0) = WORKERS * n * (n + 1) then "done\n" else "wrong\n")
        "#,
    ),
    (
        "an interrupt loses no message",
        r#"
        open Scheduler
        val n = SIZE div 100
        val all = vprocs ()
        val c : int CML.chan = CML.channel () and d : int CML.chan = CML.channel ()
        val isOver = ref false
        fun serve 0 = ()
          | serve i = (CML.send (d, CML.recv c + 1); serve (i - 1))
        fun ask (0, sum) = sum
          | ask (i, sum) = (CML.send (c, i); ask (i - 1, sum + CML.recv d))
        val result = SyncVar.iVar ()
        fun disturb () =
          if ! isOver then ()
          else (List.app preempt all; CML.yield (); disturb ())
        val _ = CML.spawn disturb
        val () = spawnOn (fn () => serve n, hd all)
        val () = spawnOn (fn () => SyncVar.iPut (result, ask (n, 0)), List.last all)
        val sum = SyncVar.iGet result
        val () = isOver := true
        val () = print (if sum = n * (n + 1) div 2 + n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "nothing can go on",
        r#"
        open Scheduler
        (* The last of a fiber's actions is told; then nobody can wake the program. *)
        val one = (stop () : bool) handle CML.Deadlock _ => true
        val two = (forward (PREEMPT (fiber (fn () => ()))) : bool) handle CML.Deadlock _ => true
        val lost = (callcc (fn (_ : bool cont) => stop ())) handle CML.Deadlock _ => true
        (* An action that drops what it is given. *)
        val three = (run (cont (fn _ => stop ()), fiber (fn () => yield ())) : bool) handle CML.Deadlock _ => true
        (* It goes on. *)
        val x = SyncVar.iVar ()
        val () = spawnOn (fn () => SyncVar.iPut (x, 5), host ())
        val right = one andalso two andalso lost andalso three andalso SyncVar.iGet x = 5
        val () = print (if right then "done\n" else "wrong\n")
        "#,
    ),
    (
        "fibers that no other can run go away",
        r#"
        open Scheduler
        val n = SIZE div 10
        fun drop _ = stop ()
        fun start 0 = ()
          | start i =
              let val text = Int.toString i
              in
                spawnOn (fn () => run (cont drop, fiber (fn () => (yield (); print text))), List.nth (vprocs (), i mod WORKERS));
                if i mod 100 = 0 then (CML.sync (CML.timeOutEvt (Time.fromMicroseconds 10))) else ();
                start (i - 1)
              end
        val () = start n
        fun garbage 0 = nil
          | garbage i = Array.array (100000, i) :: (ignore (garbage (i - 1)); nil)
        val _ = garbage 400
        val x = SyncVar.iVar ()
        val () = spawnOn (fn () => SyncVar.iPut (x, 5), host ())
        val () = print (if SyncVar.iGet x = 5 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "callcc in a fork of a program without vprocs",
        r#"
        (* All modes. *)
        val c : int CML.chan = CML.channel ()
        fun once i =
          let val (a, b) = (| CML.recv c, (CML.send (c, i); Scheduler.callcc (fn k => if i mod 2 = 0 then Scheduler.throw k 2 else 2)) |)
          in a + b = i + 2 end
        val () = print (if List.all once (List.tabulate (10, fn i => i)) then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a compare-and-swap of values that were copied loses none",
        r#"
        open Scheduler
        val n = SIZE div 10
        val r = ref (0, (0, [(0, 0)]))
        fun next (a, (b, l)) = (a + 1, (b + 1, case l of (i, j) :: _ => [(i + 1, j + 1), (a, b)] | nil => nil))
        fun loop (old, 0) = ()
          | loop (old, k) =
              let val got = atomicCompareAndSwap (r, old, next old)
              in
                if got = old then loop (next old, k - 1) else loop (got, k)
              end
        val _ = (| loop (! r, n), loop (! r, n) |)
        val (a, (b, l)) = ! r
        val (i, j) = List.hd l
        (* References are told from each other also if they hold the same. *)
        val inner = ref 1
        val cell = ref (inner, 2)
        val failed = atomicCompareAndSwap (cell, (ref 1, 2), (ref 5, 5)) = (inner, 2) andalso ! cell = (inner, 2)
        val ok = atomicCompareAndSwap (cell, (inner, 2), (inner, 3)) = (inner, 2) andalso ! cell = (inner, 3)
        (* A value of which parts are shared: there are far more paths in it than objects. *)
        datatype tree = LEAF of int | NODE of tree * tree
        fun grow (0, t) = t
          | grow (k, t) = grow (k - 1, NODE (t, t))
        val trees = ref (grow (60, LEAF (length [a])))
        val before' = ! trees
        val _ = atomicCompareAndSwap (trees, before', LEAF 2)
        val shared = case ! trees of LEAF 2 => true | _ => false
        val right = a = 2 * n andalso b = a andalso i = a andalso j = a andalso failed andalso ok andalso shared
        val () = print (if right then "done\n" else "wrong: " ^ Int.toString a ^ " of " ^ Int.toString (2 * n) ^ "\n")
        "#,
    ),
];

fn main() -> ExitCode {
    let programs: Vec<_> = PROGRAMS
        .iter()
        .map(|(name, text)| (*name, (*text).to_owned()))
        .collect();
    modes::main(&programs, None)
}
