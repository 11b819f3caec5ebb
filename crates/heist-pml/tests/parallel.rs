//! Tests programs that fork, on several workers and in many modes (`modes/mod.rs`). The expected values come from sequential execution.

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "arrays",
        r#"
        val n = SIZE
        val squares = PArray.tab (n, fn i => i * i)
        val even = PArray.filter (fn x => x mod 2 = 0) squares
        val sums = scanP (op +) 0 squares
        val pairs = [| (x, y) | x in squares, y in sums where x mod 2 = 1 |]
        val rows = PArray.tab (20, fn i => PArray.tab (i, fn j => Int.toString (i * j)))
        val flat = PArray.flatten rows
        val (left, right) = PArray.unzip pairs
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val () = check ("tab", sumP squares = (n - 1) * n * (2 * n - 1) div 6)
        val () = check ("filter", lengthP even = n div 2 andalso PArray.all (fn x => x mod 2 = 0) even)
        val () = check ("scan", subP (sums, n - 1) + (n - 1) * (n - 1) = sumP squares)
        val () = check ("where", lengthP left = n div 2 andalso subP (right, 1) = 0 + 1 + 4)
        val () = check ("flatten", lengthP flat = 190 andalso subP (flat, 189) = Int.toString (19 * 18))
        val () = check ("strings", PArray.foldl (fn (s, k) => k + String.size s) 0 flat
                                   = List.foldl (fn (r, k) => k + PArray.foldl (fn (s, k) => k + String.size s) 0 r)
                                       0 (PArray.toList rows))
        val () = check ("rev", PArray.toList (PArray.rev (PArray.rev squares)) = PArray.toList squares)
        val () = check ("concat", lengthP (PArray.concat [squares, even, squares]) = 2 * n + n div 2)
        val () = print "done\n"
        "#,
    ),
    (
        "records of each size in shared arrays",
        r#"
        (* All modes. *)
        val n = SIZE
        datatype part =
            None
          | One of int
          | Mixed of int * real * string
          | Eight of int * int * int * int * int * int * int * int
          | Nine of int * int * int * int * int * int * int * int * int
          | Large of IntInf.int * int
          | Inner of part * int
          | Function of int -> int
        fun make (i, old) =
          case i mod 8 of
              0 => None
            | 1 => One i
            | 2 => Mixed (i, real i, "fixed")
            | 3 => Eight (i, 1, 2, 3, 4, 5, 6, 7)
            | 4 => Nine (i, 1, 2, 3, 4, 5, 6, 7, 8)
            | 5 => if i mod 3 = 0 then Large (IntInf.pow (2, 60 + i mod 9), i) else Mixed (i, 0.0, Int.toString i)
            | 6 => if i mod 3 = 0 then Inner (old, i) else Inner (One (i - 1), i)
            | _ => Function (fn k => i + k)
        fun value None = 0
          | value (One i) = i
          | value (Mixed (i, x, s)) = i + Real.trunc x + String.size s
          | value (Eight (a, b, c, d, e, f, g, h)) = a + b + c + d + e + f + g + h
          | value (Nine (a, b, c, d, e, f, g, h, i)) = a + b + c + d + e + f + g + h + i
          | value (Large (x, i)) = IntInf.toInt (x mod 1000003) + i
          | value (Inner (p, i)) = value p + i
          | value (Function f) = f 3
        val first = Array.array (n, None) and second = Array.array (n, None) and latest = ref None
        fun fill (from, to) =
          if to - from > 1 then
            let
              val middle = from + (to - from) div 2
              val ((), ()) = (| fill (from, middle), fill (middle, to) |)
            in
              ()
            end
          else
            let
              (* The record refers to an old object, to a young one, or to none, and is stored several times. *)
              val p = make (from, One 7)
              val again = Array.sub (second, from)
            in
              Array.update (first, from, p); latest := p;
              Array.update (second, from, Inner (p, from));
              Array.update (first, from, case again of None => Array.sub (first, from) | _ => None)
            end
        fun wrong i = i < n andalso
          (let val v = value (make (i, One 7))
           in value (Array.sub (first, i)) <> v orelse value (Array.sub (second, i)) <> v + i end
           orelse wrong (i + 1))
        val () = fill (0, n)
        val () = if wrong 0 then print "wrong " else if value (! latest) < 0 then print "negative " else ()
        val () = print "done\n"
        "#,
    ),
    (
        "calls that end left sides, with results of each kind",
        r#"
        (* All modes. *)
        exception E of int
        val n = if SIZE >= 5000 then 17 else 8
        datatype tree = Leaf | Node of tree * int * tree
        fun make (0, _) = Leaf
          | make (d, k) = let val (l, r) = (| make (d - 1, 2 * k), make (d - 1, 2 * k + 1) |) in Node (l, k, r) end
        fun sum Leaf = 0
          | sum (Node (l, k, r)) = let val (a, b) = (| sum l, sum r |) in a + k + b end
        fun reals (0, x) = x + 0.5
          | reals (d, x) = let val (a, b) = (| reals (d - 1, x), reals (d - 1, x + 1.0) |) in a + b end
        val count = ref 0
        fun units 0 = ignore (Concurrency.faa count 1)
          | units d = let val ((), ()) = (| units (d - 1), units (d - 1) |) in () end
        fun through f 0 = f 1
          | through f d = let val (a, b) = (| f d, through f (d - 1) |) in a + b end
        fun pairs 0 = (1, 2.0)
          | pairs d = let val ((a, x), (b, y)) = (| pairs (d - 1), pairs (d - 1) |) in (a + b, x + y) end
        fun many (0, a, b, c, d, e, f, g) = a + b + c + d + e + f + g
          | many (k, a, b, c, d, e, f, g) =
              let val (x, y) = (| many (k - 1, b, c, d, e, f, g, a), many (k - 1, a, b, c, d, e, f, g + 1) |) in x + y end
        (* A raise that passes joins of both kinds, and a handler within a left side. *)
        fun raises (0, k) = if k mod 3 = 0 then raise E k else k
          | raises (d, k) = let val (a, b) = (| raises (d - 1, 2 * k), raises (d - 1, 2 * k + 1) |) in a + b end
        fun caught (0, k) = k
          | caught (d, k) =
              let
                val (a, b) = (| caught (d - 1, 2 * k), (raises (d - 1, 2 * k + 1) handle E _ => 1) |)
              in
                a + b
              end
        (* Many forks are under way at once, and most of them are published together. *)
        fun deep 0 = 0
          | deep k = let val (a, b) = (| deep (k - 1), k mod 7 |) in a + b end
        fun deeper 0 = 0
          | deeper k = let val (a, b) = (| deeper (k - 1), sum (make (2, k)) |) in a + b end
        fun power 0 = 1 | power k = 2 * power (k - 1)
        fun expected 0 = 0 | expected k = k mod 7 + expected (k - 1)
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val () = check ("pointers", sum (make (n, 1)) = (power n - 1) * power n div 2)
        val () = check ("reals", Real.abs (reals (n, 0.0) - (real n / 2.0 + 0.5) * real (power n)) < 0.001)
        val () = check ("units", (units n; ! count = power n))
        val () = check ("closures", through (fn d => if d < 8 then sum (make (d, 1)) else d) n >= n)
        val () = check ("pairs", let val (a, x) = pairs n in a = power n andalso Real.abs (x - 2.0 * real a) < 0.001 end)
        val () = check ("many", many (8, 1, 2, 3, 4, 5, 6, 7) > 28 * 256)
        val () = check ("raises", (raises (n, 1); false) handle E k => k mod 3 = 0)
        val () = check ("caught", caught (8, 1) > 0)
        val k = if SIZE >= 5000 then 50000 else 200
        val () = check ("deep", deep k = expected k)
        val () = check ("deeper", deeper 300 = 300 * 301 div 2 + 2 * 300 * 301 + 300)
        val () = print "done\n"
        "#,
    ),
    (
        "cells that all workers see",
        r#"
        val n = SIZE
        val cells = PArray.tab (n, fn i => ref [i])
        (* Each cell grows where it is: its list is young, the cell is not. *)
        val () = ignore (PArray.map (fn cell => cell := 1 :: 2 :: ! cell) cells)
        val () = PArray.app (fn cell => cell := 3 :: ! cell) cells
        val total = PArray.reduce (op +) 0 (PArray.map (fn cell => List.foldl (op +) 0 (! cell)) cells)
        (* What is declared from here on is seen by workers that run already. *)
        val names = List.tabulate (n, fn i => Int.toString i)
        val table = Vector.fromList names
        val again = PArray.tab (n, fn i => valOf (Int.fromString (Vector.sub (table, i))))
        (* Cells that are young when others come to see them, and are written afterwards. *)
        val doors = PArray.tab (n, fn _ => ref (ref 0))
        fun open' i = let val c = ref i in subP (doors, i) := c; c := ! c + 1 end
        val () = ignore (PArray.map open' [| 0 to n - 1 |])
        val opened = PArray.reduce (op +) 0 (PArray.map (fn door => ! (! door)) doors)
        val half = n * (n - 1) div 2
        val () = print (if total = 6 * n + half andalso sumP again = half andalso opened = half + n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "forks let others run in a program that makes no thread",
        r#"
        (* All modes. *)
        val lock = ref false
        val count = ref 0
        fun locked f =
          let fun take () = if Scheduler.atomicTestAndSet lock then (CML.yield (); take ()) else ()
          in
            take ();
            f ();
            lock := false
          end
        fun work 0 = ()
          | work n = (locked (fn () => count := ! count + 1); work (n - 1))
        val n = SIZE div 10
        val _ = (| work n, work n, work n |)
        val () = print (if ! count = 3 * n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a cancelled part leaves forks whose frames have handlers",
        r#"
        (* All modes. *)
        (* Without clones. *)
        fun tree (0, m, act) = act m
          | tree (d, m, act) =
              (case (| tree (d - 1, 2 * m, act), tree (d - 1, 2 * m + 1, act) |) of (x, y) => x + y)
              handle Fail _ => ~1
        (* Each leaf cancels the part in which it is; and another part cancels it from beside. *)
        fun inside leaf =
          let val c = Cancel.makeCancelable ()
          in
            (Cancel.wrap (c, fn () => tree (4, 1, fn m => if m = leaf then (Cancel.cancel c; 0) else 1)) (); false)
            handle Cancel.Cancelled => true
          end
        fun beside () =
          let val c = Cancel.makeCancelable ()
          in
            (case (| Cancel.wrap (c, fn () => tree (6, 1, fn _ => 1)) (), Cancel.cancel c |) of (n, ()) => n = 64)
            handle Cancel.Cancelled => true
          end
        val ok = List.all inside (List.tabulate (16, fn i => 16 + i)) andalso List.all beside (List.tabulate (4, fn _ => ()))
        val () = print (if ok then "done\n" else "wrong\n")
        "#,
    ),
    (
        "the left side is a call with arguments on the stack",
        r#"
        val stop = ref (WORKERS = 1)
        exception Stop of int
        (* Ends when another worker has taken the right side. *)
        fun wait (a, b, c, d, e, f, g, h, i) =
          (if ! stop then raise Stop (a + b + c + d + e + f + g + h + i) else 1 + wait (a, b, c, d, e, f, g, h, i))
          handle Stop n => n
        fun left n = wait (n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8)
        val (a, b) = (| left (SIZE mod 2), (stop := true; 1) |)
        val () = print (if a >= 36 andalso b = 1 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "arrays that others read as soon as they are filled",
        r#"
        (* Large where nothing else makes an array old while it is filled. *)
        val (n, rounds, garbage) = if SIZE >= 5000 then (5000, 2, 200000) else (10, SIZE div 50, 20)
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        fun wait (flag, k) = WORKERS < 2 orelse ! flag orelse k = 0 orelse (ignore (fib 10); wait (flag, k - 1))
        fun churn (0, xs) = xs
          | churn (k, xs) = churn (k - 1, k :: xs)
        (* Not young: else publication would move all that is. *)
        val (begun, over) = (ref false, ref false)
        (* One side keeps the elements while the other has its young objects collected. *)
        fun read (a, kept) =
          let
            val () = (begun := false; over := false)
            fun right (i, (x, [y]) :: rest) = x = kept i andalso y = x andalso right (i + 1, rest)
              | right (i, rest) = i = lengthP a andalso null rest
            fun write () =
              (ignore (wait (begun, 20000)); ignore (churn (garbage div 2, [])); ignore (churn (garbage, [])); over := true)
            fun look () =
              let val held = PArray.toList a
              in begun := true; ignore (wait (over, 1000000)); right (0, held)
              end
            val (_, ok) = (| write (), look () |)
          in
            ok
          end
        fun pair i = (i, [i])
        fun round k =
          let
            val filled = PArray.tab (n, fn i => pair (i + k))
            val pairs = read (filled, fn i => i + k)
            val even = [| p | p in filled where #1 p mod 2 = k mod 2 |]
            val sums = scanP (fn ((a, _), (b, _)) => pair (a + b)) (pair 0) filled
          in
            pairs
            andalso read (PArray.fromVector (Vector.tabulate (n, fn i => pair (i - k))), fn i => i - k)
            andalso read (PArray.fromList (List.tabulate (n, fn i => pair (i + k))), fn i => i + k)
            andalso read (even, fn i => 2 * i + k)
            andalso read (sums, fn i => i * (i - 1) div 2 + i * k)
          end
        fun all k = k = rounds orelse (round k andalso all (k + 1))
        val () = print (if all 0 then "done\n" else "wrong\n")
        "#,
    ),
    (
        "filters of any length, and searches that the leftmost element decides",
        r#"
        exception Stop of int
        val n = SIZE
        val numbers = [| 0 to n - 1 |]
        fun check (name, ok) = if ok then () else print (name ^ " ")
        (* Arrays of what was found are full at 16, 48, 112, ...; from 4080 on, two of the largest follow one another. *)
        fun kept k = PArray.toList (PArray.filter (fn s => String.size s > 0) (PArray.tab (n, fn i => if i < k then Int.toString i else "")))
        fun right (k, i) = if i = k then [] else Int.toString i :: right (k, i + 1)
        fun filters [] = ()
          | filters (k :: rest) =
              (check ("filter " ^ Int.toString k, k > n orelse kept k = right (k, 0)); filters rest)
        val () = filters [0, 1, 15, 16, 17, 47, 48, 49, 112, 113, 4079, 4080, 4081, 6128, 6129, n]
        fun search (f, a) = (if PArray.exists f a then ~1 else ~2) handle Stop i => i
        val () = check ("found", search (fn i => i = n - 1, numbers) = ~1)
        val () = check ("not found", search (fn i => i = n, numbers) = ~2)
        val () = check ("before", search (fn i => i = n div 3 orelse i > n div 3 andalso (raise Stop i), numbers) = ~1)
        val () = check ("behind", search (fn i => i = n div 3 andalso (raise Stop i) orelse i > n div 3, numbers) = n div 3)
        val () = check ("two", search (fn i => i = n div 2 andalso (raise Stop i) orelse i = n - 1 andalso (raise Stop i), numbers) = n div 2)
        val () = check ("all", PArray.all (fn i => i < n) numbers andalso not (PArray.all (fn i => i < n - 1) numbers))
        val () = check ("empty", not (PArray.exists (fn _ => true) (PArray.tab (0, fn i => i))) andalso PArray.all (fn _ => false) (PArray.tab (0, fn i => i)))
        val () = print "done\n"
        "#,
    ),
    (
        "searches by por, in trees",
        r#"
        (* The dialect of Manticore. *)
        exception Stop of int
        val n = SIZE
        fun check (name, ok) = if ok then () else print (name ^ " ")
        (* One in [i, k) that `ok` likes. *)
        fun find (i, k, ok) =
          if k - i = 1 then (if ok i then SOME i else NONE)
          else
            let val m = i + (k - i) div 2
            in por (fn () => find (i, m, ok), fn () => find (m, k, ok))
            end
        fun never (i : int) = never (i + 1) : bool
        val () = check ("none", find (0, n, fn i => i = n) = NONE)
        val () = check ("one", find (0, n, fn i => i = n - 1) = SOME (n - 1))
        val () = check ("any", case find (0, n, fn i => i mod 7 = 6 orelse i = n - 1) of SOME i => i mod 7 = 6 orelse i = n - 1 | NONE => false)
        (* What is right of the one found is cancelled, though it may have been begun: it does not end by itself. *)
        val () = check ("cancelled", find (0, n, fn i => i = n div 2 orelse i > n div 2 andalso never i) = SOME (n div 2))
        val () = check ("before", (find (0, n, fn i => i = n div 3 orelse i > n div 3 andalso (raise Stop i)) handle Stop i => SOME ~1) = SOME (n div 3))
        val () = check ("raised", (find (0, n, fn i => i >= n div 3 andalso (raise Stop i)) handle Stop i => SOME (~ i)) = SOME (~ (n div 3)))
        val () = print "done\n"
        "#,
    ),
    (
        "globals that workers see while they run",
        r#"
        val n = SIZE
        val numbers = [| 0 to n - 1 |]
        val () = ignore (sumP numbers)
        (* Young, and read by forks that are given nothing young. *)
        val key = Int.toString (n * 1000)
        val length = String.size (if n > 0 then Int.toString (n * 1000) else "")
        fun sized (i, text) = if i = 0 then String.size (key ^ text) else sized (i div 10, text ^ "x")
        fun count i = if i = 0 then 0 else 1 + count (i div 10)
        val sizes = PArray.map (fn i => sized (i, "") - count i) numbers
        val same = PArray.reduce (fn (a, b) => a andalso b) true (PArray.map (fn size => size = length) sizes)
                   andalso key = Int.toString (n * 1000)
        val () = print (if same then "done\n" else "wrong\n")
        "#,
    ),
    (
        "the leftmost exception",
        r#"
        exception At of int
        fun part (i, n, bad) =
          if n - i = 1 then (if bad i then raise At i else [i])
          else
            let val m = (i + n) div 2
                val (l, r) = (| part (i, m, bad), part (m, n, bad) |)
            in l @ r
            end
        val n = SIZE
        fun try bad = (length (part (0, n, bad))) handle At i => ~ i
        val all = try (fn _ => false)
        val one = try (fn i => i = n - 1)
        val many = try (fn i => i mod 10 = 7)
        val array = sumP [| if i > n div 2 then raise At i else i | i in [| 0 to n |] |] handle At i => ~ i
        val () = print (if all = n andalso one = 1 - n andalso many = ~ 7 andalso array = ~ (n div 2 + 1)
                        then "done\n" else "wrong\n")
        "#,
    ),
    (
        "exceptions that leave forks of many frames, and forks after them",
        r#"
        exception At of int
        fun fib n = if n < 2 then n else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end
        (* `n` frames with a fork or two under way each, and raises in the last one. *)
        fun dive n =
          if n = 0 then raise At 1
          else
            let val (a, (b, c)) = (| dive (n - 1), (| fib 3, n |) |)
            in a + b + c
            end
        (* The forks around the handler stay; those of its region are left, by a raise in this function, in another, or of the runtime. *)
        fun leave (n, k) =
          let
            val (a, b) =
              (| (let
                   val (x, y) =
                     (| (if k = 0 then fib 5 div (k * n) else if k = 1 then (ignore (fib 4); raise At 7) else dive n), fib 4 |)
                 in
                   x + y
                 end handle At i => i | Div => 3),
                 fib 6 |)
          in
            10 * a + b
          end
        fun within (n, k) = let val (a, b) = (| leave (n, k), (| fib 5, leave (n div 2, k) |) |) in a + #1 b + #2 b end
        val n = SIZE div 10
        fun all (0, sum) = sum
          | all (r, sum) = all (r - 1, sum + within (n mod 100 + r, 0) + within (n mod 100 + r, 1) + within (n + r, 2))
        val () = print (if all (10, 0) = 10 * (2 * (30 + 70 + 10) + 6 * 8 + 3 * 5) then "done\n" else "wrong\n")
        "#,
    ),
    (
        "as many forks under way as frames",
        r#"
        (* Each has something young at its right side, and collections come in between. *)
        fun deep (n, kept) =
          if n = 0 then 0
          else
            let
              val cell = [n, n + 1]
              val (below, here) = (| deep (n - 1, n :: kept), hd cell + length (tl cell) + hd kept |)
            in
              (below + here) mod 1000003
            end
        fun plain (n, sum) = if n = 0 then sum else plain (n - 1, (sum + (n + 1 + (n + 1))) mod 1000003)
        val n = SIZE
        val whole = deep (n, [n + 1])
        (* Again from the beginning: what has grown is there, or has shrunk. *)
        val half = deep (n div 2, [n div 2 + 1])
        val () = print (if whole = plain (n, 0) andalso half = plain (n div 2, 0) then "done\n" else "wrong\n")
        "#,
    ),
    (
        "loops beside forks",
        r#"
        (* The left side is a loop around a loop, and the outer one's last turn polls nowhere: what was published in the turns before
           is joined all the same. *)
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        fun both k =
          let
            val times = ref 0
            val m = k mod 7 + 30
            fun outer (i, sum) =
              let fun inner (j, sum) = if j = 0 then outer (i + 1, sum) else inner (j - 1, sum + i)
              in if i = 40 then sum else inner (m, sum)
              end
            val (a, b) = (| outer (0, 0), (times := ! times + 1; fib (k mod 5 + 6)) |)
          in
            a - 780 * m + b - fib (k mod 5 + 6) + ! times
          end
        fun all (k, sum) = if k = 0 then sum else all (k - 1, sum + both k)
        (* The same with a loop of the Basis, which polls by itself. *)
        fun array k =
          let
            val times = ref 0
            val (a, b) = (| sumP [| i mod 3 | i in [| 1 to 30 |] |], (times := ! times + 1; fib (k mod 5 + 6)) |)
          in
            a + b - fib (k mod 5 + 6) + ! times
          end
        fun arrays (k, sum) = if k = 0 then sum else arrays (k - 1, sum + array k)
        val n = SIZE div 100
        val () = print (if all (n, 0) = n andalso arrays (n, 0) = 31 * n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "trees and reals",
        r#"
        datatype tree = Leaf of real | Node of tree * real * tree
        fun build (0, x) = Leaf x
          | build (d, x) =
              let val (l, r) = (| build (d - 1, x / 2.0), build (d - 1, x / 2.0) |)
              in Node (l, x, r)
              end
        fun total (Leaf x) = x
          | total (Node (l, x, r)) =
              let val (a, b) = (| total l, total r |)
              in a + b + x
              end
        val depth = if SIZE >= 5000 then 14 else 8
        val tree = build (depth, 1024.0)
        val [a, b, c] = parN [fn () => total tree, fn () => total tree, fn () => real (SIZE)]
        val () = print (if Real.== (a, real (depth + 1) * 1024.0) andalso Real.== (a, b) andalso Real.== (c, real (SIZE))
                        then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a compare-and-swap of long lists of equal elements is short",
        r#"
        val n = SIZE
        val stack : int list ref = ref (List.tabulate (n, fn _ => 1))
        val old = tl (! stack)
        (* Quadratic in a comparison of the whole lists. *)
        fun fail 0 = true
          | fail k = not (MLton.eq (Concurrency.cas stack (old, []), old)) andalso fail (k - 1)
        val failed = fail (n div 10)
        fun push (k : int) =
          if k = 0 then () else
            let val old = ! stack
            in push (if MLton.eq (Concurrency.cas stack (old, 1 :: old), old) then k - 1 else k) end
        val _ = (| push (n div 10), push (n div 10) |)
        val () = print (if failed andalso length (! stack) = n + 2 * (n div 10) then "done\n" else "wrong\n")
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
