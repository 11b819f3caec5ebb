//! Tests threads that wait for each other, on several workers and in many modes (`modes/mod.rs`).

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "messages of all kinds of values go back and forth",
        r#"
        open CML
        val n = SIZE div 50
        val there : (int * string list) chan = channel ()
        val back : real ref chan = channel ()
        fun serve () =
          let val (i, words) = recv there
          in send (back, ref (real i + real (length words))); serve ()
          end
        val _ = CML.spawn serve
        fun ask (0, sum) = sum
          | ask (i, sum) = (send (there, (i, [Int.toString i, "x", Int.toString (i + 1)])); ask (i - 1, sum + ! (recv back)))
        val () = print (if floor (ask (n, 0.0)) = n * (n + 1) div 2 + 3 * n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a loop that allocates lets other threads run",
        r#"
        val stop = ref false
        val kept : int list ref = ref nil
        fun spin n = if ! stop then n else (kept := [n, n]; spin (n + 1))
        val _ = CML.spawn (fn () => stop := true)
        val () = if spin 0 >= 0 then print "done\n" else ()
        "#,
    ),
    (
        "a loop that spawns lets threads run when many are ready",
        r#"
        (* The loop takes a millisecond, much less than the time after which other threads have their turn. *)
        val begun = ref 0
        fun spawn 0 = () | spawn n = (ignore (CML.spawn (fn () => begun := ! begun + 1)); spawn (n - 1))
        val start = Time.now ()
        val () = spawn 2500
        val span = Time.toMicroseconds (Time.- (Time.now (), start))
        val () =
          if ! begun >= (if WORKERS = 1 then 1000 else 1) then print "done\n"
          else print (Int.toString (! begun) ^ " threads have begun in " ^ LargeInt.toString span ^ " us\n")
        "#,
    ),
    (
        "forks have their results while strands let others run",
        r#"
        exception E of int
        fun fib n = if n < 2 then n else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end
        fun yields 0 = 1 | yields n = (CML.yield (); yields (n - 1))
        fun pauses n = (CML.sync (CML.timeOutEvt (Time.fromMicroseconds n)); 1)
        fun loses () = (ignore (| (fib 5; raise E 1) : int, fib 8 |); 0) handle E m => m
        fun all (0, _) = ()
          | all (n, left) =
              let val (a, b) = (| left (), fib 9 |)
              in
                if a = 1 andalso b = 34 then () else print (concat [Int.toString a, " ", Int.toString b, "; "]);
                all (n - 1, left)
              end
        val () = List.app (fn left => all (5, left)) [fn () => yields 20, fn () => pauses 300, fn () => (loses (); yields 5)]
        val () = print "done\n"
        "#,
    ),
    (
        "frames of a fork move to another stack",
        r#"
        val go : unit CML.chan = CML.channel ()
        val results : int CML.chan = CML.channel ()
        fun waits 0 = 0 | waits n = (CML.recv go; 1 + waits (n - 1))
        fun fib n = if n < 2 then waits 1 - 1 + n else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end
        fun times (0, _) = () | times (n, f) = (f n : unit; times (n - 1, f))
        (* So many threads wait that their frames are packed. *)
        val fives = if SIZE >= 5000 then 200 else 4
        val () = times (5 * fives, fn n => ignore (CML.spawn (fn () => CML.send (results, fib (n mod 5)))))
        val _ = CML.spawn (fn () => times (fives * (1 + 1 + 2 + 3 + 5), fn _ => CML.send (go, ())))
        fun all (0, sum) = sum | all (n, sum) = all (n - 1, sum + CML.recv results)
        val sum = all (5 * fives, 0)
        val () = print (if sum = fives * (0 + 1 + 1 + 2 + 3) then "done\n" else Int.toString sum ^ "\n")
        "#,
    ),
    (
        "an alarm goes before threads that only want their turn",
        r#"
        (* As usual. *)
        val stop = ref false
        fun spin n = if ! stop then n else spin (n + 1)
        val _ = List.tabulate (300, fn n => CML.spawn (fn () => ignore (spin n)))
        val begin = Time.now ()
        val () = List.app (fn _ => CML.sync (CML.timeOutEvt (Time.fromMilliseconds 20))) [1, 2, 3]
        (* In turn with all others, each wait would take a slice of 10 ms for each of them. *)
        val span = Time.- (Time.now (), begin)
        val () = stop := true
        val () = print (if Time.< (span, Time.fromMilliseconds 4500) then "done\n" else "late " ^ Time.toString span ^ "\n")
        "#,
    ),
    (
        "an alarm of a wait that was cancelled hides no deadlock",
        r#"
        open CML
        val far = Time.fromSeconds 1000000
        fun slow n = if n = 0 then raise Fail "over" else (sync (timeOutEvt (Time.fromMilliseconds 1)); slow (n - 1))
        fun times (0, _) = () | times (n, f) = (f n : unit; times (n - 1, f))
        fun cancelled n = (ignore (| slow n, sync (timeOutEvt far) |)) handle Fail _ => ()
        (* Alarms that ring leave numbers behind, and a choice takes back those of the other events. *)
        val () = slow 40 handle Fail _ => ()
        fun chosen _ = select [timeOutEvt far, timeOutEvt (Time.fromMilliseconds 1), timeOutEvt far]
        val () = times (5, chosen)
        val () = times (5, cancelled)
        (* This strand goes on. *)
        fun left n =
          let
            val name = Cancel.makeCancelable ()
            val _ = CML.spawn (fn () => slow n handle Fail _ => Cancel.request name)
          in
            Cancel.wrap (name, fn () => sync (timeOutEvt far)) () handle Cancel.Cancelled => ()
          end
        val () = times (5, left)
        val stuck = (recv (channel () : int chan); false) handle CML.Deadlock _ => true
        val () = print (if stuck then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a value that a thread may need later, before a part that may be cancelled",
        r#"
        val sums : int Mailbox.mbox = Mailbox.mailbox ()
        fun f (x : int) = x + 1
        fun work () =
          let
            pval a = f 5
            val b = Cancel.wrap (Cancel.makeCancelable (), f) 5
          in Mailbox.send (sums, a + b) end
        val () = List.app (fn _ => ignore (CML.spawn work)) [1, 2, 3]
        val () = print (if List.all (fn _ => Mailbox.recv sums = 12) [1, 2, 3] then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a sieve of threads",
        r#"
        open CML
        fun counter (c, n) = (send (c, n); counter (c, n + 1))
        fun filter (p, from, to) =
          let val i = recv from
          in if i mod p <> 0 then send (to, i) else (); filter (p, from, to)
          end
        val primes : int chan = channel ()
        fun head c =
          let
            val p = recv c
            val next = channel ()
          in
            send (primes, p);
            ignore (CML.spawn (fn () => filter (p, c, next)));
            head next
          end
        val first = channel ()
        val _ = CML.spawn (fn () => counter (first, 2))
        val _ = CML.spawn (fn () => head first)
        fun last (0, p) = p
          | last (k, _) = last (k - 1, recv primes)
        val p = last (if SIZE >= 5000 then 100 else 30, 0)
        val () = print (if p = (if SIZE >= 5000 then 541 else 113) then "done\n" else "wrong\n")
        "#,
    ),
    (
        "every message is received once",
        r#"
        open CML
        val n = SIZE div 100
        val chans : int chan list = List.tabulate (3, fn _ => channel ())
        val result : int chan = channel ()
        fun sender k () =
          let
            fun each i =
              if i = n then ()
              else (select (List.map (fn c => sendEvt (c, k * n + i)) chans); each (i + 1))
          in
            each 0
          end
        fun receiver sum =
          case select (List.map (fn c => wrap (recvEvt c, fn x => x)) (rev chans)) of
            ~1 => send (result, sum)
          | x => receiver (sum + x)
        val senders = List.tabulate (4, fn k => CML.spawn (sender k))
        val _ = List.tabulate (3, fn _ => CML.spawn (fn () => receiver 0))
        val () = List.app (fn id => sync (joinEvt id)) senders
        val () = List.app (fn _ => select (List.map (fn c => sendEvt (c, ~1)) chans)) [1, 2, 3]
        val sum = recv result + recv result + recv result
        val () = print (if sum = 4 * n * (4 * n - 1) div 2 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "choices of both sides meet on the same channels",
        r#"
        open CML
        val n = SIZE div 100
        val a : int chan = channel () and b : int chan = channel ()
        (* Each of the two would send on one and receive on the other, or the other way round. *)
        fun peer (0, sum) = sum
          | peer (i, sum) =
              peer (i - 1, sum + select [wrap (sendEvt (a, i), fn () => 0), wrap (recvEvt b, fn x => x),
                                         wrap (sendEvt (b, i), fn () => 0), wrap (recvEvt a, fn x => x)])
        val other : int chan = channel ()
        val _ = CML.spawn (fn () => send (other, peer (n, 0)))
        val mine = peer (n, 0)
        (* In each round one of the two gets what the other has sent. *)
        val () = print (if mine + recv other = n * (n + 1) div 2 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "nacks come once, and only to those that lose",
        r#"
        open CML
        val n = SIZE div 100
        val lost : unit Mailbox.mbox = Mailbox.mailbox ()
        val c : int chan = channel ()
        val _ = CML.spawn (fn () => let fun each i = if i = n then () else (send (c, i); each (i + 1)) in each 0 end)
        fun nacked event = withNack (fn nack => (ignore (CML.spawn (fn () => (sync nack; Mailbox.send (lost, ())))); event))
        fun each (0, sum) = sum
          | each (i, sum) = each (i - 1, sum + select [nacked (recvEvt c), nacked never, nacked (wrap (never, fn x => x))])
        val sum = each (n, 0)
        val () = List.app (fn () => Mailbox.recv lost) (List.tabulate (2 * n, fn _ => ()))
        val () = CML.yield ()
        val none = not (isSome (Mailbox.recvPoll lost))
        val () = print (if none andalso sum = n * (n - 1) div 2 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "threads fork, and forks wait",
        r#"
        open CML
        val n = SIZE div 200
        fun tree 0 = 1
          | tree d = let val (a, b) = (| tree (d - 1), tree (d - 1) |) in a + b end
        val results : int chan = channel ()
        val _ = List.tabulate (4, fn k => CML.spawn (fn () => send (results, sumP [| tree 5 + i | i in [| 1 to n |] |])))
        val total = List.foldl (fn (_, sum) => sum + recv results) 0 [1, 2, 3, 4]
        (* Both arms wait, each for what the other sends. *)
        val left : int chan = channel () and right : int chan = channel ()
        val (a, b) = (| (send (left, 1); recv right + 10), let val x = recv left in send (right, x + 1); x + 100 end |)
        val () =
          print (if total = 4 * (32 * n + n * (n + 1) div 2) andalso a = 12 andalso b = 101 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "variables, mailboxes and ports",
        r#"
        open CML
        val n = SIZE div 100
        val count = SyncVar.mVarInit 0
        fun add 0 = ()
          | add i = (SyncVar.mPut (count, SyncVar.mTake count + 1); add (i - 1))
        val adders = List.tabulate (4, fn _ => CML.spawn (fn () => add n))
        val once : string SyncVar.ivar = SyncVar.iVar ()
        val readers : int chan = channel ()
        val _ = List.tabulate (5, fn _ => CML.spawn (fn () => send (readers, size (SyncVar.iGet once))))
        val () = SyncVar.iPut (once, "four")
        val again = (SyncVar.iPut (once, "again"); false) handle SyncVar.Put => true
        val () = List.app (fn id => sync (joinEvt id)) adders
        val read = List.foldl (fn (_, sum) => sum + recv readers) 0 [1, 2, 3, 4, 5]
        val news : int Multicast.mchan = Multicast.mChannel ()
        val ports = List.tabulate (3, fn _ => Multicast.port news)
        fun total (_, 0, sum) = sum
          | total (port, i, sum) = total (port, i - 1, sum + Multicast.recv port)
        val sums : int chan = channel ()
        val _ = List.map (fn port => CML.spawn (fn () => send (sums, total (port, n, 0)))) ports
        val () = List.app (fn i => Multicast.multicast (news, i)) (List.tabulate (n, fn i => i))
        val heard = recv sums + recv sums + recv sums
        val half = n * (n - 1) div 2
        val () =
          print (if again andalso read = 20 andalso SyncVar.mGet count = 4 * n andalso heard = 3 * half then "done\n" else "wrong\n")
        "#,
    ),
    (
        "threads that compute let others run",
        r#"
        open CML
        fun forever i = forever (i + 1)
        val _ = List.tabulate (WORKERS + 2, fn k => CML.spawn (fn () => forever k))
        val c : int chan = channel ()
        val _ = CML.spawn (fn () => send (c, 1))
        val x = recv c
        val () = sync (timeOutEvt (Time.fromMilliseconds 20))
        val slow = select [wrap (timeOutEvt (Time.fromMilliseconds 5), fn () => 2), wrap (recvEvt c, fn _ => 3)]
        val () = print (if x = 1 andalso slow = 2 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "threads that no other can wake go away",
        r#"
        open CML
        val n = SIZE div 10
        fun start 0 = ()
          | start i =
              let
                val c : int chan = channel ()
                val text = Int.toString i
              in
                ignore (CML.spawn (fn () => print (text ^ Int.toString (recv c))));
                if i mod 100 = 0 then CML.yield () else ();
                start (i - 1)
              end
        val () = start n
        (* One that can be woken after all of it. *)
        val c : string chan = channel ()
        val d : int chan = channel ()
        val _ = CML.spawn (fn () => let val kept = List.tabulate (100, Int.toString) in send (d, size (recv c) + length kept) end)
        val () = CML.yield ()
        fun garbage 0 = nil
          | garbage i = Array.array (100000, i) :: (ignore (garbage (i - 1)); nil)
        val _ = garbage 400
        val () = send (c, "abc")
        val () = print (if recv d = 103 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "nothing can go on",
        r#"
        open CML
        val c : int chan = channel () and d : int chan = channel ()
        val _ = CML.spawn (fn () => ignore (recv d))
        val told = (ignore (recv c); false) handle Deadlock _ => true
        (* It goes on, and the channel is as it was. *)
        val _ = CML.spawn (fn () => send (c, 5))
        val x = recv c
        (* In a part of a fork. *)
        val again = (case (| recv c, x + 1 |) of _ => false) handle Deadlock _ => true
        val failed = RunCML.doit (fn () => ignore (recv d), NONE)
        val ended = RunCML.doit (fn () => RunCML.shutdown OS.Process.success, NONE)
        val right = told andalso again andalso x = 5 andalso OS.Process.isSuccess ended andalso not (OS.Process.isSuccess failed)
        val () = print (if right then "done\n" else "wrong\n")
        "#,
    ),
    (
        "more threads wait than there are stacks",
        r#"
        open CML
        val n = if SIZE >= 100000 then 3000 else if SIZE >= 5000 then 700 else 40
        val c : int chan = channel () and d : int list chan = channel ()
        (* Frames with values of all kinds below the wait. *)
        fun deep (0, texts, x) = (length texts + floor x) :: [recv c]
          | deep (k, texts, x) =
              let val rest = deep (k - 1, Int.toString k :: texts, x + 0.5)
              in (k + hd rest) :: tl rest @ [size (hd texts)]
              end
        fun start i = ignore (CML.spawn (fn () => send (d, deep (i mod 7 + 1, ["x"], real i))))
        fun sum k = if k = 0 then 0 else List.foldl (op +) 0 (recv d) + sum (k - 1)
        val () = List.app start (List.tabulate (n, fn i => i))
        val _ = CML.spawn (fn () => List.app (fn i => send (c, i)) (List.tabulate (n, fn i => i)))
        fun want i = let val k = i mod 7 + 1 in k * (k + 1) div 2 + (k + 1) + floor (real i + 0.5 * real k) + k + i end
        val wanted = List.foldl (op +) 0 (List.tabulate (n, want))
        val () = print (if sum n = wanted then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a fork that is cancelled takes back what it has offered",
        r#"
        open CML
        val c : int chan = channel ()
        exception Left
        fun left () = (sync (timeOutEvt (Time.fromMilliseconds 5)); raise Left)
        fun each (0, sum) = sum
          | each (i, sum) =
              let
                val raised = (ignore (| left (), recv c |); 0) handle Left => 1
                val _ = CML.spawn (fn () => send (c, 1))
              in
                each (i - 1, sum + raised + recv c)
              end
        val () = print (if each (20, 0) = 40 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "threads that begin others do not outlast the program",
        r#"
        open CML
        fun link () = ignore (CML.spawn link)
        fun chains 0 = ()
          | chains k = (ignore (CML.spawn link); chains (k - 1))
        val () = chains (if SIZE >= 5000 then 8 else 2)
        val () = sync (timeOutEvt (Time.fromMilliseconds 5))
        val () = print "done\n"
        "#,
    ),
    (
        "a strand that a program leaves at a join is not mistaken for a later one",
        r#"
        (* As usual. *)
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        fun now () = Time.now ()
        val isStolen = ref false
        fun await () = if ! isStolen then () else (ignore (fib 5); await ())
        fun pause ms = CML.sync (CML.timeOutEvt (Time.fromMilliseconds ms))
        (* What runs at the exit, after the end of the program by an exception, forks while the thief of the thread's fork comes back from the
           system. A worker that is alone takes the fork itself and sleeps: there the thread may end before the program does. *)
        fun again until =
          if Time.>= (now (), until) then ()
          else let val (a, b) = (| fib 10, fib 9 |) in if a + b = 89 then again until else print "wrong " end
        val () = OS.Process.atExit (fn () => (again (Time.+ (now (), Time.fromMilliseconds 900)); print "done\n"; OS.Process.exit OS.Process.success))
        fun thread () = ignore (| await (), (isStolen := true; OS.Process.sleep (Time.fromMilliseconds 700)) |)
        val _ = CML.spawn thread
        fun steal 0 = ()
          | steal k = if ! isStolen then pause 50 else (pause 5; steal (k - 1))
        val () = steal 60
        val () = raise Fail "expected"
        "#,
    ),
    (
        "a masked fork of a program that has ended makes no thread that lasts",
        r#"
        (* The dialect of Manticore. *)
        (* As usual. *)
        fun forever (n : int) : int = forever (n + 1)
        fun spin until = if Time.now () > until then () else spin until
        fun await (f, k) = if k = 0 orelse f () then () else (CML.yield (); spin (Time.now () + 100); await (f, k - 1))
        val begun = ref false
        val () = OS.Process.atExit (fn () => (print "done\n"; OS.Process.exit OS.Process.success))
        fun right () =
          STM.atomic (fn () =>
            (begun := true;
             spin (Time.now () + 300000);
             CML.spawn (fn () => ignore (forever 0))))
        fun left () = (await (fn () => ! begun, 5000); if ! begun then raise Fail "expected" else ())
        val _ = (| left (), right () |)
        val () = print "done\n"
        (* It was not stolen. *)
        val () = OS.Process.terminate OS.Process.success
        "#,
    ),
    (
        "a thread that was given away waits for a few time slices",
        r#"
        (* As usual. *)
        val (ran, turn, switches) = (ref false, ref 0, ref 0)
        val _ = CML.spawn (fn () => ran := true)
        (* The worker gives its threads away while it waits for the system. *)
        val _ = OS.Process.sleep (Time.fromMilliseconds 1)
        (* Two threads that compute for ever, and count how often the other one was between. *)
        fun other () = (if ! turn = 1 then (turn := 0; switches := ! switches + 1) else (); other ())
        val _ = CML.spawn other
        fun wait () = if ! ran then () else (if ! turn = 0 then turn := 1 else (); wait ())
        val () = wait ()
        val () = print (if WORKERS > 1 orelse ! switches < 10 then "done\n" else Int.toString (! switches) ^ "\n")
        "#,
    ),
    (
        "threads that end before their first poll take no time from one that computes",
        r#"
        (* As usual. *)
        open CML
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        fun link () = ignore (CML.spawn link)
        fun chains 0 = ()
          | chains k = (ignore (CML.spawn link); chains (k - 1))
        val () = chains 8
        val began = Time.now ()
        val () = if fib 33 = 3524578 then () else print "wrong "
        val took = Time.toMilliseconds (Time.- (Time.now (), began))
        val () = print (if took < 2000 then "done\n" else LargeInt.toString took ^ " ms\n")
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
