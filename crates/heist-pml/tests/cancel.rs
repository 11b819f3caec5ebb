//! Tests races, and computations that other threads cancel, on several workers and in many modes (`modes/mod.rs`).

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "what is cancelled ends, with all that it has forked",
        r#"
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val turns = ref 0
        fun loop (n : int) : int = (turns := ! turns + 1; loop (n + 1))
        fun tree 0 = (loop 0 handle _ => 1)
          | tree n = let val (a, b) = (| tree (n - 1), tree (n - 1) |) in a + b + length [n, a] end
        fun after (c, f) =
          let
            val () = turns := 0
            val gone = ref false
            fun begun () = if ! turns > 0 then () else (CML.yield (); begun ())
            val id = CML.spawn (fn () => (begun (); Cancel.cancel c; gone := true))
            val cancelled = (ignore (Cancel.wrap (c, f) 4); false) handle Cancel.Cancelled => true
            val () = CML.sync (CML.joinEvt id)
            val before' = ! turns
            val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 1))
          in
            cancelled andalso ! gone andalso ! turns = before'
          end
        fun fresh () = Cancel.makeCancelable ()
        fun each (0, _) = ()
          | each (n, f) = (check ("gone", after (fresh (), f)); each (n - 1, f))
        val rounds = if SIZE >= 5000 then 4 else 2
        val () = each (rounds, loop)
        val () = each (rounds, tree)
        (* A part of an inner computation, and handlers and lazy values on the way. *)
        val () = each (rounds, fn n => Cancel.wrap (fresh (), tree) n handle Cancel.Cancelled => 0)
        val shared = Lazy.delay (fn () => tree 3)
        val () = each (rounds, fn n => Lazy.force shared)
        (* The same name for two at once, one in a fork. *)
        val c = fresh ()
        val () = check ("both", after (c, fn n => #1 (| Cancel.wrap (c, tree) n, tree n |)))
        val () = check ("marked", Cancel.isCancelled c andalso ((ignore (Cancel.wrap (c, tree) 1); false) handle Cancel.Cancelled => true))
        val () = print "done\n"
        "#,
    ),
    (
        "what is not cancelled goes on",
        r#"
        exception E of int
        fun check (name, ok) = if ok then () else print (name ^ " ")
        fun fib n = if n < 2 then n else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end
        val depth = if SIZE >= 5000 then 14 else 9
        fun fresh () = Cancel.makeCancelable ()
        fun itself () = let val c = fresh () in Cancel.wrap (c, fn () => (ignore (fib 5); Cancel.cancel c; ~1)) () handle Cancel.Cancelled => 1 end
        fun outer () =
          let val c = fresh ()
          in
            Cancel.wrap (c, fn () => (Cancel.wrap (fresh (), fn () => (Cancel.request c; fib 25)) () handle _ => ~1)) ()
            handle Cancel.Cancelled => 1
          end
        fun raised n = Cancel.wrap (fresh (), fn n => raise E n) n handle E m => m
        fun all 0 = 0
          | all n =
              let
                val (a, b) = (| Cancel.wrap (fresh (), fib) depth + itself (), fib depth + raised n + outer () |)
              in
                a + b + all (n - 1)
              end
        val n = if SIZE >= 5000 then 100 else 5
        val () = check ("sum", all n = n * (2 * fib depth + 2) + n * (n + 1) div 2)
        (* Waits end at once, wherever the strand was. *)
        fun waits (f : unit -> unit) =
          let
            val c = fresh ()
            val ready = ref false
            val id = CML.spawn (fn () => ((Cancel.wrap (c, fn () => (ready := true; f ())) (); print "? ") handle Cancel.Cancelled => ()))
            fun begun () = if ! ready then () else (CML.yield (); begun ())
          in
            begun ();
            Cancel.cancel c;
            CML.sync (CML.joinEvt id)
          end
        val never : unit CML.chan = CML.channel ()
        fun turns (0, _) = () | turns (k, f) = (waits f; turns (k - 1, f))
        val k = if SIZE >= 5000 then 10 else 2
        val () = turns (k, fn () => CML.recv never)
        val () = turns (k, fn () => CML.sync (CML.timeOutEvt (Time.fromSeconds 1000)))
        val () = turns (k, fn () => ignore (| CML.recv never, CML.recv never |))
        val () = turns (k, fn () => ignore (| fib depth, CML.send (never, ()) |))
        val () = check ("void", CML.recvPoll never = NONE andalso not (CML.sendPoll (never, ())))
        val () = print "done\n"
        "#,
    ),
    (
        "what was published before a cancellation does not begin after it",
        r#"
        (* As usual. *)
        val calls = ref 0
        fun fib n =
          if n < 2 then (calls := ! calls + 1; n) else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end
        fun once () =
          let
            val c = Cancel.makeCancelable ()
            val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, fib) 60) handle Cancel.Cancelled => ()))
            (* Longer than a time slice: strands are preempted, and workers take forks from below them. *)
            val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 12))
            val before' = ! calls
            val () = Cancel.cancel c
            val after = ! calls
          in
            CML.sync (CML.joinEvt id);
            after - before'
          end
        (* The system may stop the worker that cancels, for longer than any of these calls takes: then once more. *)
        fun least (0, n) = n
          | least (k, n) = if n < 10000 then n else least (k - 1, Int.min (n, once ()))
        val n = least (100, 1000000000)
        val () = if n < 10000 then print "done\n" else print (Int.toString n ^ " calls since\n")
        "#,
    ),
    (
        "a part that waits for what is not cancelled ends",
        r#"
        (* The dialect of Manticore. *)
        (* Without clones. *)
        fun check (name, ok) = if ok then () else print (name ^ " ")
        fun forever (n : int) : int = forever (n + 1)
        val begun = ref false
        fun await f = if f () then () else (CML.yield (); await f)
        (* A lazy value that a thread computes for ever: the left side waits for it, and the right side wins. *)
        val slow = Lazy.delay (fn () => (begun := true; forever 0))
        val _ = CML.spawn (fn () => ignore (Lazy.force slow))
        val () = await (fn () => ! begun)
        fun race (0 : int) = ()
          | race k =
              (check ("race", WORKERS = 1 orelse por (fn () => SOME (Lazy.force slow), fn () => SOME (k : int)) = SOME k);
               race (k - 1))
        val () = race 5
        (* The same in the scope of a cancelable. *)
        fun cancelled (0 : int) = ()
          | cancelled k =
              let
                val c = Cancel.makeCancelable ()
                val ready = ref false
                val id = CML.spawn (fn () =>
                  (ignore (Cancel.wrap (c, fn () => (ready := true; Lazy.force slow)) ()) handle Cancel.Cancelled => ()))
              in
                await (fn () => ! ready);
                Cancel.cancel c;
                CML.sync (CML.joinEvt id);
                cancelled (k - 1)
              end
        val () = cancelled 5
        (* A scope in the left side of a race that the right side wins, with a fork of its own. *)
        fun inner (0 : int) = ()
          | inner k =
              let
                fun left () = Cancel.wrap (Cancel.makeCancelable (), fn () => let val (a : int, _ : int) = (| 1, forever 0 |) in SOME a end) ()
              in
                check ("inner", WORKERS = 1 orelse por (left, fn () => SOME (7 : int)) = SOME 7);
                inner (k - 1)
              end
        val () = inner 5
        val () = print "done\n"
        "#,
    ),
    (
        "races have a result of either side",
        r#"
        (* The dialect of Manticore. *)
        exception Stop of int
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val n : int = SIZE
        fun fib (n : int) : int = if n < 2 then n else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end
        (* The left side ends some time after the right side has found something, if it is not left before. *)
        fun race (f, g) =
          let
            val found = ref false
            fun left (k : int) = if k = 0 then NONE else if ! found then left (k - 1) else (ignore (f ()); if WORKERS = 1 then NONE else left k)
            fun right () = let val x = g () in found := true; SOME x end
            fun inner () = (left 1000 handle _ => SOME ~1)
          in
            case por (inner, right) of SOME x => x | NONE => ~2
          end
        val rounds : int = if n >= 5000 then 60 else 5
        fun each (0 : int, _, _) = ()
          | each (k, f, g) = (check ("race", race (f, g) = 7); each (k - 1, f, g))
        fun seven () = 7 : int
        val () = if WORKERS = 1 then each (rounds, seven, seven) else
          (each (rounds, seven, seven);
           each (rounds, fn () => fib 8, fn () => (ignore (fib 8); 7));
           each (rounds, fn () => (let pval x = fib 9 in if n < 0 then x else 3 end), fn () => (ignore (fib 5); 7)))
        (* Trees of races: any leaf, or none. *)
        fun find (i : int, k : int, ok) =
          if k - i = 1 then (if ok i then SOME i else NONE)
          else
            let val m = i + (k - i) div 2
            in por (fn () => find (i, m, ok), fn () => find (m, k, ok))
            end
        fun some (0 : int) = ()
          | some k =
              (check ("any", case find (0, n, fn i => i mod 97 = k) of SOME i => i mod 97 = k | NONE => n <= k);
               some (k - 1))
        val () = some (if n >= 5000 then 20 else 5)
        val () = check ("none", find (0, n, fn i => i < 0) = NONE)
        val () = check ("raised", (find (0, n, fn i => i >= n div 3 andalso (raise Stop i)) handle Stop i => SOME (~ i)) = SOME (~ (n div 3)))
        (* The left side of one in the right side of another, and the other way round. *)
        fun deep (0 : int) = SOME (fib 6)
          | deep k = por (fn () => por (fn () => deep (k - 1), fn () => deep (k - 1)), fn () => por (fn () => NONE, fn () => deep (k - 1)))
        val () = check ("deep", deep (if n >= 5000 then 6 else 3) = SOME 8)
        val () = print "done\n"
        "#,
    ),
    (
        "a preempted fiber that is cancelled waits for its vproc",
        r#"
        (* As usual. *)
        val vp = List.hd (Scheduler.vprocs ())
        fun forever (n : int) : int = forever (n + 1)
        fun pause ms = CML.sync (CML.timeOutEvt (Time.fromMilliseconds ms))
        (* 1 while the fiber below has the vproc to itself, with signals masked; what another one makes of it in that time. *)
        val holder = ref 0
        val beside = ref 0
        fun hold k = if k = 0 then () else if ! holder = 1 then hold (k - 1) else beside := ! beside + 1
        fun other () : unit =
          (Scheduler.mask ();
           holder := 1;
           hold 5000000;
           holder := 0;
           Scheduler.unmask ();
           Scheduler.yield ();
           other ())
        (* The same at joins. Thieves of the forks may run beside the holder. *)
        val self = ref (CML.getTid ())
        fun leaf k = (if CML.sameTid (CML.getTid (), ! self) then holder := 2 else (); k)
        fun tree 0 = leaf 1
          | tree k = let val (a, b) = (| tree (k - 1), tree (k - 1) |) in leaf (a + b) end
        fun trees n = trees (n + tree 12)
        val finished = ref false
        fun victim 0 = ()
          | victim k =
              let
                val c = Cancel.makeCancelable ()
                val _ = CML.spawn (fn () => (pause 37; Cancel.cancel c))
              in
                ignore (Cancel.wrap (c, if k mod 2 = 0 then forever else trees) 0) handle Cancel.Cancelled => holder := 2;
                victim (k - 1)
              end
        val () = Scheduler.spawnOn (fn () => (self := CML.getTid (); victim 20; finished := true), vp)
        val () = Scheduler.spawnOn (other, vp)
        fun wait 0 = () | wait n = if ! finished then () else (pause 10; wait (n - 1))
        val () = wait 6000
        val () = print (if not (! finished) then "it has not ended\n" else if ! beside > 0 then Int.toString (! beside) ^ " times beside another\n" else "done\n")
        "#,
    ),
    (
        "a vproc outlasts a fiber that is cancelled while it waits for it",
        r#"
        fun pause ms = CML.sync (CML.timeOutEvt (Time.fromMilliseconds ms))
        val vp = List.hd (Scheduler.vprocs ())
        val n = if SIZE >= 5000 then 20 else 3
        val turns = ref 0
        fun other () = (turns := ! turns + 1; Scheduler.yield (); other ())
        val () = Scheduler.spawnOn (other, vp)
        fun after (count, limit) =
          if ! turns > count then true else if limit = 0 then false else (pause 1; after (count, limit - 1))
        fun round 0 = true
          | round k =
              let
                val c = Cancel.makeCancelable ()
                val begun = SyncVar.iVar ()
                val ended = SyncVar.iVar ()
                fun loop () = (Scheduler.yield (); loop ())
                fun fiber () =
                  SyncVar.iPut (ended, Cancel.wrap (c, fn () => (SyncVar.iPut (begun, ()); loop ())) () handle Cancel.Cancelled => true)
                val () = Scheduler.spawnOn (fiber, vp)
                val () = SyncVar.iGet begun
                val () = Cancel.cancel c
              in
                SyncVar.iGet ended andalso after (! turns, 10000) andalso round (k - 1)
              end
        val () = print (if round n then "done\n" else "the vproc is gone\n")
        "#,
    ),
    (
        "a fiber that is cancelled while it waits for something else has its vproc after that",
        r#"
        fun pause () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 3))
        val vp = List.hd (Scheduler.vprocs ())
        fun forever (n : int) : int = forever (n + 1)
        fun await f = if f () then () else (CML.yield (); await f)
        val begun = ref false
        val slow : int Lazy.lazy = Lazy.delay (fn () => (begun := true; forever 0))
        val _ = CML.spawn (fn () => ignore (Lazy.force slow))
        val () = await (fn () => ! begun)
        val never : int CML.chan = CML.channel ()
        (* What is not on a vproc has no signals to mask. *)
        fun isOnVproc () = (Scheduler.mask (); Scheduler.isMasked ()) before Scheduler.unmask ()
        fun try (k : int, f : unit -> int) =
          k = (0 : int) orelse
          let
            val c = Cancel.makeCancelable ()
            val answer = SyncVar.iVar ()
            val waits = ref false
            fun fiber () =
              (ignore (Cancel.wrap (c, fn () => (waits := true; f ())) ()) handle Cancel.Cancelled => ();
               SyncVar.iPut (answer, isOnVproc ()))
            val () = Scheduler.spawnOn (fiber, vp)
          in
            await (fn () => ! waits);
            pause ();
            Cancel.cancel c;
            SyncVar.iGet answer andalso try (k - 1, f)
          end
        val n = if SIZE >= 5000 then 5 else 2
        val right = try (n, fn () => CML.recv never) andalso try (n, fn () => Lazy.force slow)
        val () = print (if right then "done\n" else "on no vproc\n")
        "#,
    ),
    (
        "a strand that is cancelled while it changes a vproc leaves it in order",
        r#"
        fun pause us = CML.sync (CML.timeOutEvt (Time.fromMicroseconds us))
        val vp = List.hd (Scheduler.vprocs ())
        val count = ref 0
        fun next () = count := ! count + 1
        fun isAlive () =
          let
            val v = SyncVar.iVar ()
          in
            Scheduler.spawnOn (fn () => SyncVar.iPut (v, ()), vp);
            CML.select
              [CML.wrap (SyncVar.iGetEvt v, fn () => true),
               CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => false)]
          end
        fun spawns () = (Scheduler.spawnOn (next, vp); CML.yield (); spawns ())
        fun fast () = (Scheduler.spawnOn (next, vp); fast ())
        fun moves () = (Scheduler.migrateTo vp; next (); Scheduler.yield (); moves ())
        fun round (0 : int, _) = true
          | round (k, f) =
              let
                val c = Cancel.makeCancelable ()
                val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, f) ()) handle Cancel.Cancelled => ()))
              in
                pause (Int.toLarge (50 + k * 37 mod 97));
                Cancel.cancel c;
                CML.sync (CML.joinEvt id);
                isAlive () andalso round (k - 1, f)
              end
        val n = if SIZE >= 100000 then 60 else 3
        (* On one worker nothing else runs beside this loop. *)
        val right = (WORKERS = 1 orelse round (n, fast)) andalso round (n, spawns) andalso round (n, moves)
        val () = print (if right then "done\n" else "the vproc is gone\n")
        "#,
    ),
    (
        "a multicast channel outlasts a thread that is cancelled while it sends",
        r#"
        fun pause us = CML.sync (CML.timeOutEvt (Time.fromMicroseconds us))
        val news : int Multicast.mchan = Multicast.mChannel ()
        fun sends n = (Multicast.multicast (news, n); sends (n + 1))
        fun round 0 = true
          | round k =
              let
                val port = Multicast.port news
                val c = Cancel.makeCancelable ()
                val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, sends) 1) handle Cancel.Cancelled => ()))
                fun last () =
                  CML.select
                    [CML.wrap (Multicast.recvEvt port, fn 0 => true | _ => last ()),
                     CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => false)]
              in
                pause (Int.toLarge (50 + k * 37 mod 97));
                Cancel.cancel c;
                CML.sync (CML.joinEvt id);
                Multicast.multicast (news, 0);
                last () andalso round (k - 1)
              end
        val () = print (if round (if SIZE >= 5000 then 40 else 3) then "done\n" else "the list is broken\n")
        "#,
    ),
    (
        "signals are masked as before after a part that was cancelled",
        r#"
        (* The dialect of Manticore. *)
        val vp = List.hd (Scheduler.vprocs ())
        fun forever (n : int) : int = forever (n + 1)
        fun await f = if f () then () else (CML.yield (); await f)
        fun try (isMasked, f) =
          let
            val c = Cancel.makeCancelable ()
            val begun = ref false
            val answer = SyncVar.iVar ()
            fun part () = f (fn () => (begun := true; forever 0))
            fun fiber () =
              (if isMasked then Scheduler.mask () else ();
               ignore (Cancel.wrap (c, part) ()) handle Cancel.Cancelled => ();
               SyncVar.iPut (answer, Scheduler.isMasked ()))
          in
            Scheduler.spawnOn (fiber, vp);
            await (fn () => ! begun);
            Cancel.request c;
            SyncVar.iGet answer = isMasked
          end
        fun changes f = (Scheduler.unmask (); f ())
        val right =
          try (false, Scheduler.atomic) andalso try (true, Scheduler.atomic) andalso try (true, changes) andalso try (false, changes)
        val () = print (if right then "done\n" else "masked\n")
        "#,
    ),
    (
        "signals are masked as before after the left side of a race that was lost",
        r#"
        (* The dialect of Manticore. *)
        (* Without clones. *)
        val vp = List.hd (Scheduler.vprocs ())
        fun forever (n : int) : int = forever (n + 1)
        val answer = SyncVar.iVar ()
        fun race () =
          let val x = por (fn () => Scheduler.atomic (fn () => SOME (forever 0)), fn () => SOME 1)
          in SyncVar.iPut (answer, x = SOME 1 andalso not (Scheduler.isMasked ()))
          end
        val right = WORKERS = 1 orelse (Scheduler.spawnOn (race, vp); SyncVar.iGet answer)
        val () = print (if right then "done\n" else "masked\n")
        "#,
    ),
    (
        "a masked part goes on with a lazy value that it has waited for",
        r#"
        (* The dialect of Manticore. *)
        (* With two workers, both are busy with threads that wait by `await`: none steals. *)
        fun forever (n : int) : int = forever (n + 1)
        fun await f = if f () then () else (CML.yield (); await f)
        fun pause () = let val until = Time.now () + 20000 in await (fn () => Time.now () > until) end
        val (slowBegun, goesOn, begun, reached) = (ref false, ref false, ref false, ref false)
        val slow : int Lazy.lazy = Lazy.delay (fn () => (slowBegun := true; await (fn () => ! goesOn); 7))
        val _ = CML.spawn (fn () => ignore (Lazy.force slow))
        val () = await (fn () => ! slowBegun)
        val c = Cancel.makeCancelable ()
        fun right () = STM.atomic (fn () => (begun := true; Lazy.force slow) before reached := true)
        fun both () = if WORKERS < 3 then right () else let val (a, b) = (| forever 0, right () |) in a + b end
        val _ = CML.spawn (fn () => (ignore (Cancel.wrap (c, both) ()) handle Cancel.Cancelled => ()))
        val () = await (fn () => ! begun)
        val () = pause ()
        val () = Cancel.request c
        val () = pause ()
        val () = goesOn := true
        val () = await (fn () => ! reached)
        val () = STM.atomic (fn () => print "done\n")
        "#,
    ),
    (
        "a part of a fork gives its vproc back when it ends",
        r#"
        fun pause ms = CML.sync (CML.timeOutEvt (Time.fromMilliseconds ms))
        val vp = List.hd (Scheduler.vprocs ())
        fun isAlive () =
          let val v = SyncVar.iVar ()
          in
            Scheduler.spawnOn (fn () => SyncVar.iPut (v, ()), vp);
            CML.select
              [CML.wrap (SyncVar.iGetEvt v, fn () => true),
               CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => false)]
          end
        fun forever (n : int) : int = forever (n + 1)
        fun await f = if f () then () else (CML.yield (); await f)
        exception E
        fun fork right =
          let
            val there = ref false
            val (a, b) = (| if WORKERS = 1 then () else await (fn () => ! there), (Scheduler.migrateTo vp; there := true; right ()) |)
          in
            b
          end
        fun cancelled others =
          let
            val c = Cancel.makeCancelable ()
            val there = ref false
            fun right () = (Scheduler.migrateTo vp; there := true; forever 0)
            (* With two workers, this thread and the one that waits by `await` keep both busy: none steals. *)
            fun left () = if WORKERS < 3 then 0 else forever 0
            fun both () = let val (a, b) = (| left (), right () |) in a + b end
            val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, both) ()) handle Cancel.Cancelled => ()))
          in
            await (fn () => ! there);
            (* It is preempted, and cancelled in the queue. *)
            others ();
            Cancel.cancel c
          end
        fun spin until = if Time.> (Time.now (), until) then () else spin until
        fun other () = Scheduler.spawnOn (fn () => spin (Time.+ (Time.now (), Time.fromMilliseconds 30)), vp)
        fun round 0 = true
          | round k =
              fork (fn () => 1) = 1 andalso isAlive ()
              andalso (fork (fn () => raise E) handle E => 2) = 2 andalso isAlive ()
              andalso (cancelled (fn () => ()); isAlive ())
              andalso (cancelled (fn () => (other (); other (); pause 15)); isAlive ())
              andalso round (k - 1)
        val () = print (if round (if SIZE >= 5000 then 3 else 1) then "done\n" else "the vproc is gone\n")
        "#,
    ),
    (
        "the forks of a masked part are not cancelled with what is around it",
        r#"
        (* The dialect of Manticore. *)
        fun forever (n : int) : int = forever (n + 1)
        fun await f = if f () then () else (CML.yield (); await f)
        fun pause () = let val until = Time.now () + 20000 in await (fn () => Time.now () > until) end
        val (left, right, goesOn, reached, cancelled) = (ref false, ref false, ref false, ref false, ref false)
        fun half begun = (begun := true; await (fn () => ! goesOn); 1)
        fun both () =
          (STM.atomic (fn () => let val (a, b) = (| half left, half right |) in reached := a + b = 2 end);
           forever 0)
        val c = Cancel.makeCancelable ()
        val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, both) ()) handle Cancel.Cancelled => cancelled := true))
        val () = await (fn () => ! left)
        (* With two workers, both are busy with threads that wait by `await`: none steals. *)
        val () = if WORKERS < 3 then () else await (fn () => ! right)
        val () = Cancel.request c
        val () = pause ()
        val () = goesOn := true
        val () = CML.sync (CML.joinEvt id)
        val () = STM.atomic (fn () => print (if ! reached andalso ! cancelled then "done\n" else "not reached\n"))
        "#,
    ),
    (
        "a masked part of a fork outlasts the fork's cancellation",
        r#"
        (* The dialect of Manticore. *)
        (* The right side has to be stolen, and so has its own right side. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun forever (n : int) : int = forever (n + 1)
        fun pause () = let val until = Time.now () + 20000 in await (fn () => Time.now () > until) end
        val (left, right, goesOn, reached) = (ref false, ref false, ref false, ref false)
        (* The join waits for the thief. *)
        fun first () = (left := true; await (fn () => ! right); 1)
        fun second () = (right := true; await (fn () => ! goesOn); 1)
        fun inner () = STM.atomic (fn () => let val (a, b) = (| first (), second () |) in reached := a + b = 2; a + b end)
        fun outer () = let val (a, b) = (| forever 0, inner () |) in a + b end
        val c = Cancel.makeCancelable ()
        fun test () =
          let val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, outer) ()) handle Cancel.Cancelled => ()))
          in
            await (fn () => ! left andalso ! right);
            Cancel.request c;
            pause ();
            goesOn := true;
            CML.sync (CML.joinEvt id);
            await (fn () => ! reached);
            STM.atomic (fn () => print "done\n")
          end
        val () = if WORKERS < 8 then print "done\n" else test ()
        "#,
    ),
    (
        "a fork that was published below a mask is cancelled once that has gone",
        r#"
        (* The dialect of Manticore. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun forever (n : int) : int = forever (n + 1)
        fun spin (until : long) = if Time.now () > until then () else spin until
        val (begun, unmasked) = (ref false, ref false)
        val c = Cancel.makeCancelable ()
        fun right () = (begun := true; forever 0)
        fun left () =
          (STM.atomic (fn () => if WORKERS < 3 then () else let fun wait () = if ! begun then () else wait () in wait () end);
           unmasked := true;
           1)
        fun both () = let val (a, b) = (| left (), right () |) in a + b end
        val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, both) ()) handle Cancel.Cancelled => ()))
        val () = await (fn () => ! unmasked)
        val () = if WORKERS < 3 then () else spin (Time.now () + 3000)
        val () = Cancel.cancel c
        val () = print "done\n"
        "#,
    ),
    (
        "a masked part receives a message after what is around it was cancelled",
        r#"
        (* The dialect of Manticore. *)
        fun forever (n : int) : int = forever (n + 1)
        fun await f = if f () then () else (CML.yield (); await f)
        fun pause () = let val until = Time.now () + 20000 in await (fn () => Time.now () > until) end
        val c = Cancel.makeCancelable ()
        val (never, ch) : int CML.chan * int CML.chan = (CML.channel (), CML.channel ())
        val (begun, received) = (ref false, ref 0)
        (* Before it is masked, it waits once in the same scope. *)
        fun some () = CML.select [CML.recvEvt never, CML.wrap (CML.timeOutEvt 1000, fn () => 1)]
        fun part () = (ignore (some ()); STM.atomic (fn () => (begun := true; received := CML.recv ch)); forever 0)
        val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, part) ()) handle Cancel.Cancelled => received := ! received + 1))
        val () = await (fn () => ! begun)
        val () = pause ()
        val () = Cancel.request c
        val () = pause ()
        val () = CML.send (ch, 5)
        val () = CML.sync (CML.joinEvt id)
        val () = STM.atomic (fn () => print (if ! received = 6 then "done\n" else "not received\n"))
        "#,
    ),
    (
        "a race and a scope that a masked part has begun are ended",
        r#"
        (* The dialect of Manticore. *)
        (* Without clones. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun forever (n : int) : int = forever (n + 1)
        fun inThread f = let val v = SyncVar.iVar () val _ = CML.spawn (fn () => SyncVar.iPut (v, STM.atomic f)) in v end
        fun race () = por (fn () => SOME (forever 0), fn () => SOME 1)
        (* That of the outer scope is not ended while the inner one is masked. *)
        val (outer, inner) = (Cancel.makeCancelable (), Cancel.makeCancelable ())
        val begun = ref false
        fun part () = Cancel.wrap (inner, fn () => (begun := true; forever 0)) () handle Cancel.Cancelled => 2
        fun round 0 = true
          | round k =
              SyncVar.iGet (inThread race) = SOME 1
              andalso SyncVar.iGet (inThread (fn () => race ())) = SOME 1
              andalso round (k - 1)
        fun scopes () =
          let
            val v = SyncVar.iVar ()
            val last = ref 0
            fun both () = (STM.atomic (fn () => last := part ()); forever 0)
            val _ = CML.spawn (fn () => SyncVar.iPut (v, (ignore (Cancel.wrap (outer, both) ()); false) handle Cancel.Cancelled => true))
          in
            await (fn () => ! begun);
            Cancel.request outer;
            CML.sync (CML.timeOutEvt 20000);
            let val early = ! last in Cancel.request inner; SyncVar.iGet v andalso early = 0 andalso ! last = 2 end
          end
        val () = print (if WORKERS = 1 orelse round 3 andalso scopes () then "done\n" else "not ended\n")
        "#,
    ),
    (
        "nothing runs under a name that was cancelled before",
        r#"
        (* The dialect of Manticore. *)
        val c = Cancel.makeCancelable ()
        val () = Cancel.request c
        val ran = ref false
        (* This function never polls. *)
        fun f () = ran := true
        val raised = (Cancel.wrap (c, f) (); false) handle Cancel.Cancelled => true
        (* The strand is in no scope any more. *)
        fun g n = if n = 0 then 1 else 1 + g (n - 1)
        val () = print (if raised andalso not (! ran) andalso g 1000 = 1001 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "transactions pass over threads that were cancelled while they waited",
        // With a copying heap, threads are cancelled between the beginning of their scope and the call of the scope's
        // function.
        r#"
        (* The dialect of Manticore. *)
        (* All modes. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun pause () = let val until = Time.now () + 20000 in await (fn () => Time.now () > until) end
        val n = if SIZE >= 5000 then 40 else 8
        val (begun, goesOn, count) = (ref false, ref false, ref 0)
        val c = Cancel.makeCancelable ()
        fun next () = STM.atomic (fn () => count := ! count + 1)
        val _ = CML.spawn (fn () => STM.atomic (fn () => (begun := true; await (fn () => ! goesOn))))
        val () = await (fn () => ! begun)
        fun thread k =
          CML.spawn (fn () => if k mod 2 = 0 then next () else Cancel.wrap (c, next) () handle Cancel.Cancelled => ())
        val ids = List.tabulate (n, thread)
        val () = pause ()
        (* This waits for the threads that it cancels, and they wait for the first transaction. *)
        val () = Cancel.cancel c
        val () = goesOn := true
        val () = List.app (fn id => CML.sync (CML.joinEvt id)) ids
        val () = STM.atomic (fn () => print (if ! count = n div 2 then "done\n" else Int.toString (! count) ^ "\n"))
        "#,
    ),
    (
        "transactions are run in the order in which they were asked for",
        r#"
        (* The dialect of Manticore. *)
        fun await f = if f () then () else (CML.yield (); await f)
        val n = if SIZE >= 5000 then 1000 else 20
        val (mine, others) = (ref 0, ref 0)
        fun other () = if ! others = n then () else (STM.atomic (fn () => others := ! others + 1); other ())
        val id = CML.spawn other
        val () = await (fn () => ! others > 0)
        (* Without an order, this thread could have all turns. *)
        fun all () = if ! others = n then () else (STM.atomic (fn () => mine := ! mine + 1); all ())
        val () = all ()
        val () = CML.sync (CML.joinEvt id)
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
