//! Tests the programs of section 2.5 and chapter 5 of Rainey's thesis. The programs declare continuations as the thesis does
//! (`cont k x = e`), and run on several workers and in many modes (`modes/mod.rs`). The declarations `val () = ...` after the code of a
//! figure check this code.

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "figures 2.9 and 2.10: operations made of run and forward",
        r#"
        open Scheduler
        fun stop () = forward STOP
        fun fiber (f : unit -> unit) = let
          cont k () = ( f (); stop () )
        in k end
        fun yield () = let
          cont k () = ()
        in forward (PREEMPT k) end
        val log : string Mailbox.mbox = Mailbox.mailbox ()
        fun speak (_, 0) = ()
          | speak (name, n) = (Mailbox.send (log, name); yield (); speak (name, n - 1))
        (* Preemption may come in between, so that they do not alternate. *)
        val n = if SIZE >= 5000 then 20 else 3
        fun start () =
          (enq (fiber (fn () => speak ("a", n)), newFls ());
           enq (fiber (fn () => speak ("b", n)), newFls ());
           stop ())
        val () = enqOnVP (host (), fiber start, newFls ())
        val heard = List.tabulate (2 * n, fn _ => Mailbox.recv log)
        val first = List.filter (fn name => name = "a") heard
        val () = print (if length first = n then "done\n" else String.concat heard ^ "\n")
        "#,
    ),
    (
        "figures 2.12 and 2.13: round robin and fiber-local state",
        r#"
        open Scheduler
        cont roundRobin (STOP) = throw dispatch()
          | roundRobin (PREEMPT k) = let
              val fls = getFls ()
              cont k' () = (
                setFls fls;
                throw k () )
              in
                enq (k', fls);
                throw dispatch ()
              end
          | roundRobin (SLEEP (_, k)) = throw roundRobin (PREEMPT k)

        cont dispatch () = (case deq ()
          of NONE => stop ()
           | SOME (k, fls) => (setFls fls; run (roundRobin, k)))

        val name = newKey "nobody"
        val log : string Mailbox.mbox = Mailbox.mailbox ()
        fun speak 0 = ()
          | speak n = (Mailbox.send (log, getKey name); yield (); speak (n - 1))
        val n = if SIZE >= 5000 then 20 else 3
        fun agent called = fiber (fn () => (setKey (name, called); speak n))
        fun start () =
          (enq (agent "a", newFls ());
           enq (agent "b", newFls ());
           throw dispatch ())
        val () = enqOnVP (host (), fiber start, newFls ())
        val heard = List.tabulate (2 * n, fn _ => Mailbox.recv log)
        val first = List.filter (fn name => name = "a") heard
        val () = print (if length first = n then "done\n" else String.concat heard ^ "\n")
        "#,
    ),
    (
        "section 2.5.3: migrating",
        r#"
        open Scheduler
        fun migrateTo vp = let
          val fls = getFls ()
          cont k (x) = ( setFls fls; x )
          in
            enqOnVP (vp, k, fls);
            stop ()
          end
        val at : int list CML.chan = CML.channel ()
        fun visit () = CML.send (at, List.map (fn vp => (migrateTo vp; vprocId (host ()))) (vprocs ()))
        val () = spawnOn (visit, hd (vprocs ()))
        val () = print (if CML.recv at = List.map vprocId (vprocs ()) then "done\n" else "lost\n")
        "#,
    ),
    (
        "figure 5.3: the cancel wrapper",
        r#"
        open Scheduler
        datatype cancelable = CANCELABLE of {canceled : bool ref, running : vproc option ref}
        fun makeCancelable () = CANCELABLE {canceled = ref false, running = ref NONE}
        fun setActive (CANCELABLE {running, ...}) = running := SOME (host ())
        fun setInactive (CANCELABLE {running, ...}) = running := NONE

        fun cancelWrapFiber (c, k) = let
          val CANCELABLE{canceled, ...} = c
          fun terminate () = (setInactive c; stop ())
          fun dispatch (wrapper, k) = (
            setActive c;
            if (! canceled) then
              terminate ()
            else
              run (wrapper, k))
          cont wrapper (sgn) = (case sgn
          of STOP => terminate ()
            | PREEMPT k => (
              setInactive c;
              atomicYield ();
              dispatch (wrapper, k) )
            | SLEEP (_, k) => throw wrapper (PREEMPT k)
            (* end case *))
          in
          fn () => (maskPreemption (); dispatch (wrapper, k))
        end

        fun cancel (CANCELABLE {canceled, running}) =
          let
            fun wait () =
              case ! running of
                NONE => ()
              | SOME vproc => (preempt vproc; CML.yield (); wait ())
          in
            canceled := true;
            wait ()
          end
        val begun : unit CML.chan = CML.channel ()
        fun forever i = forever (i + 1)
        val c = makeCancelable ()
        val k = fiber (fn () => (atomic (fn () => CML.send (begun, ())); forever 0))
        val () = enqOnVP (host (), fiber (cancelWrapFiber (c, k)), newFls ())
        val () = CML.recv begun
        val () = cancel c
        (* The vproc is free for others. *)
        val () = spawnOn (fn () => CML.send (begun, ()), host ())
        val () = CML.recv begun
        val () = print "done\n"
        "#,
    ),
    (
        "figure 5.9: the loop of work stealing",
        r#"
        open Scheduler
        type deque = {lock : bool ref, tasks : fiber list ref}
        fun newDeque () : deque = {lock = ref false, tasks = ref nil}
        fun locked ({lock, tasks} : deque, f) =
          atomic
            (fn () =>
               let
                 fun take () = if atomicTestAndSet lock then (CML.yield (); take ()) else ()
                 val () = take ()
                 val (rest, result) = f (! tasks)
               in
                 tasks := rest;
                 lock := false;
                 result
               end)
        fun pushTop' deque t = locked (deque, fn tasks => (t :: tasks, ()))
        fun popTop' deque = locked (deque, fn nil => (nil, NONE) | t :: rest => (rest, SOME t))
        fun popBottom deque =
          locked
            (deque,
             fn tasks =>
               case rev tasks of
                 nil => (nil, NONE)
               | t :: rest => (rev rest, SOME t))
        val deques : (vproc * deque) list = List.map (fn vp => (vp, newDeque ())) (vprocs ())
        (* Asked once: the fiber may be preempted, and continue on another vproc. *)
        fun own () = let val here = host () in #2 (valOf (List.find (fn (vp, _) => vp = here) deques)) end
        fun steal nil = NONE
          | steal ((_, deque) :: rest) =
              case popBottom deque of
                NONE => steal rest
              | task => task
        val terminate = ref false
        fun pause () = (atomicYield (); CML.yield ())

        fun spawnWorker (vp, deque) = let
          fun launch () = let
            cont ws STOP =
              (case popTop' deque
               of NONE =>
                 (case steal deques
                  of NONE => if ! terminate then stop () else (
                    pause ();
                    throw ws STOP)
                  | SOME t => run (ws, t))
                | SOME t => run (ws, t))
              | ws (PREEMPT k) = (
                pushTop' deque k;
                atomicYield ();
                throw ws STOP)
              | ws (SLEEP (_, k)) = throw ws (PREEMPT k)
            in
              run (ws, fiber (fn _ => stop ()))
            end
          in
            enqOnVP (vp, fiber launch, newFls ())
          end

        (* A fork: the second of the two to end goes on. *)
        fun both (f, g) =
          let
            val (left, right, ended) = (ref NONE, ref NONE, ref false)
            fun finish k = if atomicTestAndSet ended then throw k () else stop ()
          in
            callcc
              (fn k =>
                 (pushTop' (own ()) (fiber (fn () => (right := SOME (g ()); finish k)));
                  left := SOME (f ());
                  finish k));
            (valOf (! left), valOf (! right))
          end
        fun fib n =
          if n < 2 then n
          else let val (a, b) = both (fn () => fib (n - 1), fn () => fib (n - 2)) in a + b end
        val () = List.app spawnWorker deques
        val result : int SyncVar.ivar = SyncVar.iVar ()
        val () = pushTop' (#2 (hd deques)) (fiber (fn () => SyncVar.iPut (result, fib 8)))
        val () = print (if SyncVar.iGet result = 21 then "done\n" else "wrong\n")
        val () = terminate := true
        "#,
    ),
    (
        "one fiber at a time holds a vproc",
        r#"
        (* All modes. *)
        open Scheduler
        (* Interrupted fibers go to the next vproc. *)
        fun after vp = List.nth (vprocs (), (vprocId vp + 1) mod length (vprocs ()))
        val isHeld = Vector.tabulate (length (vprocs ()), fn _ => ref false)
        val faults = ref 0
        cont moving STOP = stop ()
          | moving (PREEMPT k) = (enqOnVP (after (host ()), fiber (fn () => run (moving, k)), newFls ()); stop ())
          | moving (SLEEP (_, k)) = throw moving (PREEMPT k)
        fun use () =
          atomic (fn () =>
            let val cell = Vector.sub (isHeld, vprocId (host ()))
            in
              if atomicTestAndSet cell then faults := ! faults + 1 else ();
              setFls (newFls ());
              ignore (List.tabulate (10, fn i => i));
              cell := false
            end)
        val n = SIZE div 100
        val ended : unit Mailbox.mbox = Mailbox.mailbox ()
        fun agent 0 = Mailbox.send (ended, ())
          | agent i =
              (use ();
               callcc (fn k => throw k ());
               ignore (getFls ());
               if i mod 3 = 0 then yield () else ();
               agent (i - 1))
        val agents = List.concat (List.map (fn vp => [vp, vp]) (vprocs ()))
        val () = List.app (fn vp => spawnOn (fn () => run (moving, fiber (fn () => agent n)), vp)) agents
        val () = List.app (fn _ => Mailbox.recv ended) agents
        val () = if isMasked () then print "masked " else ()
        val () = print (if ! faults = 0 then "done\n" else "two strands on a vproc\n")
        "#,
    ),
    (
        "a continuation continues after its let, once",
        r#"
        open Scheduler
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val kept : int cont option ref = ref NONE
        fun find x = let
          cont k y = 10 * y
        in kept := SOME k; if x = 0 then throw k 5 else x end
        val () = check ("body", find 3 = 3)
        val () = check ("thrown", find 0 = 50)
        (* Two that name each other; the first is thrown a pair. *)
        fun count n = let
          cont even (0, total) = total
            | even (n, total) = throw odd (n - 1, total + 1)
          cont odd (0, total) = ~1
            | odd (n, total) = throw even (n - 1, total + 1)
        in throw even (n, 0) end
        val () = check ("count", count 10 = 10 andalso count 7 = ~1)
        (* The name of the library stays a function. *)
        val heard : int Mailbox.mbox = Mailbox.mailbox ()
        val k = cont (fn x => Mailbox.send (heard, x))
        val () = ignore (CML.spawn (fn () => throw k 7))
        val () = check ("heard", Mailbox.recv heard = 7)
        val () = print "done\n"
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
