//! Tests programs with `pval`, `pcase` and lazy values, on several workers and in many modes (`modes/mod.rs`). The programs use the lazy
//! values or do not use them, share them, or capture them in closures. The computation of some lazy values never ends.

mod modes;

use std::process::ExitCode;

/// The declarations that the test puts before each program.
const BEGIN: &str = r#"
    val several = WORKERS > 1
    fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
    fun check (name, ok) = if ok then () else print (name ^ " ")
    (* Looks again and again whether something has come about, for some seconds. *)
    fun wait' (ok, ends) =
      ok () orelse
      (Time.< (Time.now (), ends) andalso (ignore (fib 5); wait' (ok, ends)))
    fun wait ok = wait' (ok, Time.+ (Time.now (), Time.fromSeconds 20))
    (* The same if a worker is there that can bring it about. *)
    fun elsewhere ok = not several orelse wait ok
    (* Counts for ever. *)
    fun endless (count : int ref) : int = (count := ! count + 1; endless count)
    (* Whether nobody counts any more. *)
    fun stops count =
      wait (fn () => let val seen = ! count in ignore (fib 15); OS.Process.sleep (Time.fromMilliseconds 20); ! count = seen end)
"#;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "values that are used",
        r#"
        fun sum 0 = 0 | sum n = let pval rest = sum (n - 1) in n + rest end
        fun pfib n = if n < 2 then n else let pval a = pfib (n - 1) val b = pfib (n - 2) in a + b end
        (* In the order in which they are not begun. *)
        fun three n = let pval a = [n] pval b = n :: a pval c = n :: b in length c + length b + length a end
        val n = SIZE div 100
        val depth = if n > 1000 then 20 else 12
        val () = check ("sum", sum n = n * (n + 1) div 2)
        val () = check ("fib", pfib depth = fib depth)
        val () = check ("three", List.all (fn i => three i = 6) (List.tabulate (n, fn i => i)))
        pval top = fib 10
        pval (left, right) = (top + 1, Int.toString top)
        val () = check ("top", left = 56 andalso right = "55")
        val () = print "done\n"
        "#,
    ),
    (
        "a loop takes no stack",
        r#"
        fun go (0, sum) = sum
          | go (n, sum) =
              let pval a = n * 2
                  pval b = a + 1
              in go (n - 1, sum + b - a)
              end
        val () = print (if go (SIZE, 0) = SIZE then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a value that is not used and has no end",
        r#"
        fun once () =
          let
            val count = ref 0
            val begun =
              let pval x = endless count
              in if elsewhere (fn () => ! count > 0) then true else x = 0
              end
          in
            check ("begun", begun);
            check ("stops", stops count)
          end
        val () = once ()
        val () = once ()
        (* Nor when an exception leaves the scope, here or in a caller. *)
        exception Left
        fun leave count =
          let pval x = endless count
          in if elsewhere (fn () => ! count > 0) then raise Left else x
          end
        val count = ref 0
        val () = check ("left", (leave count; false) handle Left => true)
        val () = check ("stops", stops count)
        val count = ref 0
        val () = check ("left here",
          (let pval x = endless count in if elsewhere (fn () => ! count > 0) then raise Left else x = 0 end) handle Left => true)
        val () = check ("stops", stops count)
        val () = print "done\n"
        "#,
    ),
    (
        "what a thief has begun besides ends with it",
        r#"
        val (a, b) = (ref 0, ref 0)
        fun both () =
          let pval x = let val (p, q) = (| endless a, endless b |) in p + q end
          in
            if elsewhere (fn () => ! a > 0) then ()
            else check ("never", x = 0);
            (* One of the two is stolen if there is a third worker. *)
            check ("begun", WORKERS < 3 orelse wait (fn () => ! b > 0))
          end
        val () = both ()
        val () = check ("stops", stops a andalso stops b)
        (* The thief has come to the end of its left side, and waits for another. *)
        fun behind count =
          let pval x = let val (p, q) = (| wait (fn () => ! count > 0), endless count |) in p andalso q = 0 end
          in
            check ("begun", wait (fn () => ! count > 0));
            OS.Process.sleep (Time.fromMilliseconds 50)
          end
        val c = ref 0
        val () = if WORKERS < 3 then () else behind c
        val () = check ("stops", stops c)
        val () = print "done\n"
        "#,
    ),
    (
        "exceptions come at the use",
        r#"
        exception E of int
        fun bad n : int = raise E (fib n)
        fun unused n = let pval x = bad n in if n < 0 then x else n end
        fun used n = let pval x = bad n in (x handle E m => m) + (x handle E m => m) end
        fun late n = let val r = ref 0 pval x = bad n in (r := 1; x) handle E m => m + ! r end
        val all = List.tabulate (SIZE div 100, fn i => i mod 10)
        val () = check ("unused", List.all (fn n => unused n = n) all)
        val () = check ("used", List.all (fn n => used n = 2 * fib n) all)
        val () = check ("late", List.all (fn n => late n = fib n + 1) all)
        pval (1, never) = (fib 3, "not matched")
        val () = check ("bind", (size never; false) handle Bind => true)
        val () = print "done\n"
        "#,
    ),
    (
        "a value that is taken along is computed anew",
        r#"
        val begun = ref 0
        val slow = ref true
        fun value n =
          let
            val seen = ! begun
            pval x = (begun := ! begun + 1; if ! slow then ignore (wait (fn () => not (! slow))) else (); [n, fib 10])
          in
            ignore (elsewhere (fn () => ! begun > seen));
            fn () => x
          end
        (* The thief is in the midst of it when the scope ends. *)
        val f = value 7
        val () = slow := false
        val () = check ("first", f () = [7, 55])
        val () = check ("again", f () = [7, 55])
        val g = value 8
        val h = value 9
        val () = check ("both", h () = [9, 55] andalso g () = [8, 55])
        val () = print "done\n"
        "#,
    ),
    (
        "a value that the end of its scope needs is computed once",
        r#"
        val begun = ref 0
        val late = ref false
        (* The thief is in the middle of it when the value is needed. *)
        fun needed n =
          let
            val seen = ! begun
            val () = late := false
            pval x = (begun := ! begun + 1; ignore (wait (fn () => ! late)); fib 15 + n)
          in
            ignore (elsewhere (fn () => ! begun > seen));
            late := true;
            x
          end
        val () = check ("sum", foldl (op +) 0 (List.tabulate (5, needed)) = 5 * 610 + 10)
        val () = check ("once", ! begun = 5)
        val () = print "done\n"
        "#,
    ),
    (
        "a thief ends while others wait for it",
        r#"
        val begun = ref false
        val asking = ref false
        val holder : (unit -> int list) option ref = ref NONE
        (* The first time it takes longer than anyone waits. *)
        fun slow () = if ! begun then [fib 10] else (begun := true; ignore (wait (fn () => false)); [0])
        fun scope () =
          let pval x = slow ()
          in
            check ("begun", wait (fn () => ! begun));
            holder := SOME (fn () => x);
            check ("asked", wait (fn () => ! asking));
            (* Now the other part has time to begin to wait for the thief. *)
            OS.Process.sleep (Time.fromMilliseconds 50)
          end
        fun user () =
          (check ("held", wait (fn () => isSome (! holder))); asking := true; valOf (! holder) ())
        val () = if WORKERS < 3 then () else check ("anew", #2 (| scope (), user () |) = [55])
        val () = print "done\n"
        "#,
    ),
    (
        "many wait for one value",
        r#"
        fun try n =
          let
            val count = ref 0
            val cell = Lazy.delay (fn () => (count := ! count + 1; ignore (fib 14); [n]))
            val parts = PArray.tab (16, fn i => (Lazy.force cell, i))
            val sum = PArray.reduce (op +) 0 (PArray.map (fn ([m], i) => m * i) parts)
          in
            sum = 120 * n andalso ! count = 1
          end
        val all = List.tabulate (SIZE div 1000 + 5, fn n => n)
        val () = check ("one", List.all try all)
        (* Values that need each other. *)
        val n = SIZE div 100 + 1
        val counts = Array.array (n, 0)
        val cells = Array.array (n, Lazy.value 0)
        fun value i () =
          (Array.update (counts, i, Array.sub (counts, i) + 1);
           if i < 2 then i else (Lazy.force (Array.sub (cells, i - 1)) + Lazy.force (Array.sub (cells, i - 2))) mod 1000)
        val () = Array.modifyi (fn (i, _) => Lazy.delay (value i)) cells
        val values = PArray.tab (n, fn i => Lazy.force (Array.sub (cells, n - 1 - i)))
        fun right (a, b, i) = i = n orelse (subP (values, n - 1 - i) = a andalso right (b, (a + b) mod 1000, i + 1))
        val () = check ("chain", right (0, 1, 0) andalso Array.all (fn count => count = 1) counts)
        exception E
        val failed = Lazy.delay (fn () => (ignore (fib 12); raise E))
        val all = PArray.tab (16, fn _ => (Lazy.force failed : int; false) handle E => true)
        val () = check ("failed", PArray.all (fn ok => ok) all)
        val cell = ref (Lazy.value 0)
        val () = cell := Lazy.delay (fn () => Lazy.force (! cell) + 1)
        val () = check ("itself", (Lazy.force (! cell) = 0) handle Fail _ => true)
        val () = print "done\n"
        "#,
    ),
    (
        "choices",
        r#"
        datatype tree = Leaf of int | Node of tree * tree
        fun tree (0, n) = Leaf (n mod 97)
          | tree (d, n) = Node (tree (d - 1, 2 * n), tree (d - 1, 2 * n + 1))
        fun find (Leaf n, wanted) = if n = wanted then SOME [n] else NONE
          | find (Node (l, r), wanted) =
              pcase find (l, wanted) & find (r, wanted) of
                SOME found & ? => SOME found
              | ? & SOME found => SOME found
              | NONE & NONE => NONE
        val t = tree (if SIZE > 5000 then 12 else 7, 1)
        val () = check ("found", List.all (fn n => find (t, n) = SOME [n]) [31, 32, 33, 96, 0])
        val () = check ("none", not (isSome (find (t, 97))))
        fun pick (a, b, c) =
          pcase fib a & [b] & Int.toString c of
            0 & ? & ? => "zero"
          | n & [1] & ? => Int.toString n
          | ? & ? & "2" => "two"
          | otherwise => "other"
        val () = check ("three", map pick [(0, 1, 2), (10, 1, 2), (10, 2, 2), (10, 2, 3)] = ["zero", "55", "two", "other"])
        (* What has no end is given up. *)
        val count = ref 0
        val chosen =
          pcase elsewhere (fn () => ! count > 0) & endless count & [1] of
            true & ? & ? => "chosen"
          | otherwise => "never"
        val () = check ("chosen", chosen = "chosen" andalso stops count)
        exception E
        fun bad () : int = raise E
        val () = check ("unused", (pcase 1 & bad () of 1 & ? => true | ? & 2 => false) handle E => false)
        val () = check ("used", (pcase 2 & bad () of 1 & ? => false | ? & 2 => false) handle E => true)
        val () = check ("match", (pcase 2 & 3 of 1 & ? => false | ? & 2 => false) handle Match => true)
        val () = print "done\n"
        "#,
    ),
    (
        "conditions",
        r#"
        fun offers (a, b) =
          if (pcase a + 1 & b + 1 of 3 & ? => true | ? & 4 => false | otherwise => a > b) then a * 2 else b * 3
        val () = check ("pcase", map offers [(2, 5), (7, 3), (8, 1), (1, 8)] = [4, 9, 16, 24])
        fun value n = 1 + (if (let pval x = n + 1 in if n > 2 then x > 5 else n = 0 end) then n else n * 2)
        val () = check ("pval", map value [0, 1, 3, 7] = [1, 3, 7, 8])
        (* The branches are outside of the scope: the loop takes no stack. *)
        fun up (n, last) = if (let pval x = fn () => n + last in n >= last orelse n < 0 andalso x () < 0 end) then n else up (n + 1, last)
        val () = check ("loop", up (0, SIZE * 10) = SIZE * 10)
        (* What is not needed is dropped before the branch. *)
        val count = ref 0
        val n =
          1 + (if (let pval x = endless count in if elsewhere (fn () => ! count > 0) then ! count >= 0 else x = 0 end)
               then (check ("stops", stops count); 1)
               else 2)
        val () = check ("branch", n = 2)
        val () = print "done\n"
        "#,
    ),
    (
        "values under forks, and forks under values",
        r#"
        fun sum (lo, hi) =
          if hi - lo < 2 then lo
          else
            let
              val m = (lo + hi) div 2
              pval right = sum (m, hi)
              val (a, b) = (| sum (lo, (lo + m) div 2), sum ((lo + m) div 2, m) |)
            in
              if a < 0 then a else a + b + right
            end
          handle Overflow => 0
        fun three (lo, hi) = if hi - lo < 4 then foldl (op +) 0 (List.tabulate (hi - lo, fn i => lo + i)) else sum3 (lo, hi)
        and sum3 (lo, hi) =
          let
            val m = (lo + hi) div 2
            val cell = ref []
            pval left = (cell := [three (lo, m)]; cell)
            val right = three (m, hi)
          in
            hd (! left) + right
          end
        val n = SIZE
        val () = check ("three", three (0, n) = n * (n - 1) div 2)
        val array = PArray.tab (n div 10, fn i => let pval x = [i] in if i mod 3 = 0 then hd x else i end)
        val () = check ("array", sumP array = (n div 10) * (n div 10 - 1) div 2)
        val () = check ("sum", sum (1, 3) >= 0)
        val () = print "done\n"
        "#,
    ),
];

fn main() -> ExitCode {
    let programs: Vec<_> = PROGRAMS
        .iter()
        .map(|(name, text)| (*name, format!("{BEGIN}{text}")))
        .collect();
    modes::main(&programs, Some(16 << 20))
}
