//! Tests the outputs of programs.

use super::{lower_text, prints, run};

#[test]
fn arithmetic_and_conditions() {
    prints(
        "fun f n = if n > 3 andalso n < 10 orelse n = 42 then \"in\" else \"out\"
         val () = app (say o f) [1, 4, 9, 10, 42]
         fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
         val () = sayInt (fib 15)
         val () = sayBool (not (1 < 2) orelse 3 < 4 andalso not (5 = 6))",
        "out\nin\nin\nout\nin\n610\ntrue\n",
    );
}

#[test]
fn tuples_as_arguments_results_and_values() {
    prints(
        "fun swap (a, b) = (b, a)
         fun id x = x
         val p = id (1, 2)
         val (a, b) = swap p
         val () = sayInt (a * 10 + b)
         val l = [p, swap p, p]
         val () = sayInt (foldl (fn ((a, b), n) => n * 100 + a * 10 + b) 0 l)
         fun nine (a, b, c, d, e, f, g, h, i) = a + b + c + d + e + f + g + h + i
         val t = (1, 2, 3, 4, 5, 6, 7, 8, 9)
         val () = sayInt (nine t + nine (id t))
         val {x, y = (z, w)} = id {y = (3, 4), x = 5}
         val () = sayInt (x * 100 + z * 10 + w)
         val () = sayInt (#2 (id (1, 2)) + #x {x = 7, y = 1.5})",
        "21\n122112\n90\n534\n9\n",
    );
}

#[test]
fn unit_is_no_word() {
    prints(
        "val u = ()
         fun f () = u
         val l = [f (), (), u]
         val p = (u, 1, ())
         fun g (a, b, c) = (c, b, a)
         val (_, n, _) = g p
         val r = ref ()
         val () = r := !r
         datatype t = A of unit | B
         fun h (A ()) = 1 | h B = 2
         val () = sayInt (n + h (A ()) * 10 + h B * 100)
         val () = app (fn () => say \"unit\") l",
        "211\nunit\nunit\nunit\n",
    );
}

#[test]
fn datatypes_of_all_layouts() {
    prints(
        "datatype color = Red | Green | Blue
         datatype wrapped = W of int
         datatype pair = P of int * real
         datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
         datatype many = N0 | A of int | N1 | B of string * int | N2 | C of {x : int, y : real} | D of many
         fun color Red = 1 | color Green = 2 | color Blue = 3
         val () = sayInt (foldl (fn (c, n) => n * 10 + color c) 0 [Red, Green, Blue, Green])
         fun unwrap (W n) = n
         val () = sayInt (unwrap (W 5) + (case W 6 of W 6 => 1 | _ => 2))
         fun fst (P (n, _)) = n
         fun both (P p) = p
         val () = sayInt (fst (P (7, 1.5)) + #1 (both (P (8, 2.5))))
         fun insert (x, Leaf) = Node (Leaf, x, Leaf)
           | insert (x, t as Node (l, y, r)) =
               if x < y then Node (insert (x, l), y, r) else if x > y then Node (l, y, insert (x, r)) else t
         fun sum Leaf = 0 | sum (Node (l, x : int, r)) = sum l + x + sum r
         fun depth Leaf = 0
           | depth (Node (l, _, r)) = let val a = depth l val b = depth r in 1 + (if a > b then a else b) end
         val t = foldl insert Leaf [5, 2, 8, 1, 9, 3, 5]
         val () = sayInt (sum t * 10 + depth t)
         fun many N0 = 0 | many (A n) = n | many N1 = 1 | many (B (s, n)) = size s + n | many N2 = 2
           | many (C {x, ...}) = x | many (D m) = 100 + many m
         val () = sayInt (foldl (fn (m, n) => n + many m) 0 [N0, A 5, N1, B (\"abc\", 4), N2, C {y = 1.0, x = 9}, D (D N2)])
         val con = map A [1, 2, 3]
         val () = sayInt (foldl (fn (m, n) => n + many m) 0 con)
         val nodes = map Node [(Leaf, 3, Leaf), (Leaf, 4, Leaf)]
         val () = sayInt (foldl (fn (t, n) => n + sum t) 0 nodes)",
        "1232\n6\n15\n283\n226\n6\n7\n",
    );
}

#[test]
fn matches() {
    prints(
        "fun zip (x :: xs, y :: ys) = (x, y) :: zip (xs, ys) | zip _ = []
         val () = sayInt (foldl (fn ((a, b), n) => n + a * b) 0 (zip ([1, 2, 3], [4, 5, 6, 7])))
         fun f (0, _) = 1 | f (_, 0) = 2 | f (1, 1) = 3 | f (~1, n) = n | f (a, b) = a * b
         val () = app (sayInt o f) [(0, 0), (5, 0), (1, 1), (~1, 7), (3, 4)]
         fun g \"\" = 0 | g \"one\" = 1 | g \"two\" = 2 | g \"three\" = 3 | g \"four\" = 4 | g \"five\" = 5 | g s = size s
         val () = app (sayInt o g) [\"\", \"one\", \"two\", \"three\", \"four\", \"five\", \"eleven\"]
         fun h #\"a\" = 1 | h #\"b\" = 2 | h _ = 3
         val () = app (sayInt o h) [#\"a\", #\"b\", #\"c\"]
         fun deep (SOME (SOME (x :: (y, z) :: _))) = y + z | deep (SOME (SOME [_])) = 1 | deep (SOME NONE) = 2 | deep _ = 3
         val () = app (sayInt o deep) [SOME (SOME [(1, 2), (3, 4)]), SOME (SOME [(1, 2)]), SOME NONE, NONE, SOME (SOME [])]
         fun refs (ref 1, r as ref n) = (r := n + 1; !r) | refs (ref n, ref 5) = n | refs _ = 0
         val () = app (sayInt o refs) [(ref 1, ref 2), (ref 3, ref 5), (ref 3, ref 4)]
         fun inf (0 : intinf) = 1 | inf 123456789012345678901234567890 = 2 | inf 7 = 3 | inf _ = 4
         val () = app (sayInt o inf) [0, 123456789012345678901234567890, 7, 8]",
        "32\n1\n2\n3\n7\n12\n0\n1\n2\n3\n4\n5\n6\n1\n2\n3\n7\n1\n2\n3\n3\n3\n3\n0\n1\n2\n3\n4\n",
    );
}

#[test]
fn a_match_that_would_make_a_large_tree() {
    // Each row tests two places that no other row tests, so if every case had copies of all rows, there would be 3^n rows.
    let mut rules = Vec::new();
    let width = 14;
    for at in 0..width {
        for con in ["A", "B"] {
            let pattern: Vec<&str> = (0..width)
                .map(|place| {
                    if place == at || place == (at + 5) % width {
                        con
                    } else {
                        "_"
                    }
                })
                .collect();
            rules.push(format!("({}) => {}", pattern.join(", "), rules.len()));
        }
    }
    rules.push("_ => 999".to_string());
    let text = format!(
        "datatype t = A | B | C
         fun f x = case x of {}
         val () = sayInt (f ({}))
         val () = sayInt (f ({}))",
        rules.join(" | "),
        (0..width)
            .map(|at| if at == 12 || at == 3 { "B" } else { "C" })
            .collect::<Vec<_>>()
            .join(", "),
        vec!["C"; width].join(", "),
    );
    prints(&text, "25\n999\n");
    let (program, _) = lower_text(&text);
    assert!(program.labels < 3_000, "{} labels", program.labels);
}

#[test]
fn closures_and_currying() {
    prints(
        "fun add a b c = a * 100 + b * 10 + c
         val f = add 1
         val g = f 2
         val () = sayInt (g 3 + f 4 5)
         fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1)
         val () = sayBool (even 1000)
         fun counter () = let val r = ref 0 in fn () => (r := !r + 1; !r) end
         val c = counter ()
         val d = counter ()
         val () = sayInt (c () + c () * 10 + d () * 100)
         fun compose fs = foldl (fn (f, g) => f o g) (fn x => x) fs
         val () = sayInt (compose [fn x => x + 1, fn x => x * 2, fn x => x - 3] 10)
         val rec fact = fn 0 => 1 | n => n * fact (n - 1)
         val () = sayInt (fact 10)",
        "268\ntrue\n121\n19\n3628800\n",
    );
}

#[test]
fn polymorphism() {
    prints(
        "fun twice f x = f (f x)
         val () = sayInt (twice (fn n => n + 1) 5)
         val () = say (twice (fn s => s ^ s) \"ab\")
         fun swap (x, y) = (y, x)
         val (a, b) = swap (swap (1, \"x\")) handle Match => (0, \"\")
         val () = say (show a ^ b)
         fun outer x = let fun inner y = (x, y) val p = inner 1 val q = inner \"s\" in (#1 p, #2 p, #2 q) end
         val (x, y, z) = outer true
         val () = (sayBool x; sayInt y; say z)
         val empty = []
         val () = sayInt (foldl (op +) 0 (1 :: empty) + size (foldl (op ^) \"\" (\"abc\" :: empty)))
         val (f, g) = (fn x => x, fn x => x)
         val () = say (f \"f\" ^ g \"g\")
         fun last [x] = x | last (_ :: l) = last l | last [] = raise Fail \"last\"
         val () = (sayInt (last [1, 2]); say (last [\"a\", \"b\"]))",
        "7\nabababab\n1x\ntrue\n1\ns\n4\nfg\n2\nb\n",
    );
}

#[test]
fn exceptions() {
    prints(
        "exception A exception B of int exception C of int * string
         fun f 0 = raise A | f 1 = raise B 7 | f 2 = raise C (3, \"c\") | f 3 = raise Fail \"no\" | f 4 = 1 div 0
           | f 5 = hd [] | f n = n
         and hd (x :: _) = x
         fun g n = f n handle A => 100 | B n => n + 200 | C (n, s) => n + size s + 300 | Fail s => 400 + size s | Div => 500
         val () = app (sayInt o g) [0, 1, 2, 3, 4, 6]
         val () = sayInt (g 5 handle Match => 600)
         val () = say (exnName (B 1) ^ exnName Div ^ exnName (Fail \"x\"))
         fun gen n = let exception E of int in ((fn () => raise E n), (fn h => h () handle E m => m)) end
         val (r1, h1) = gen 1
         val (r2, h2) = gen 2
         val () = sayInt (h1 r1 + h2 r2 * 10)
         val () = sayInt ((h1 r2; 0) handle _ => 3)
         val e = B 3
         val () = sayInt ((raise e) handle B n => n | _ => 0)
         fun nested n = (g n handle Match => n) + (f n handle B m => (raise C (m, \"\")) handle C (k, _) => k * 2)
         val () = sayInt (nested 1)
         val make = map B [1, 2]
         val () = sayInt (foldl (fn (B n, m) => n + m | (_, m) => m) 0 make)
         val x = ref 0
         val () = (x := 1; raise A) handle A => x := !x + 1
         val () = sayInt (!x)",
        "100\n207\n304\n402\n500\n6\n600\nBDivFail\n21\n3\n3\n221\n3\n2\n",
    );
}

#[test]
fn uncaught_exceptions() {
    let outcome = run("val () = say \"before\" val _ = raise Fail \"x\" val () = say \"after\"");
    assert_eq!(outcome.output, "before\n");
    assert_eq!(outcome.exn.as_deref(), Some("Fail"));
    let outcome = run("val SOME x = if 1 < 2 then NONE else SOME 1 val () = sayInt x");
    assert_eq!(outcome.exn.as_deref(), Some("Bind"));
    let outcome = run("fun f 1 = 2 val () = sayInt (f 3)");
    assert_eq!(outcome.exn.as_deref(), Some("Match"));
}

#[test]
fn loops_and_references() {
    prints(
        "val i = ref 0 val s = ref 0
         val () = while !i < 10 do (s := !s + !i; i := !i + 1)
         val () = sayInt (!s)
         val j = ref 0
         val () = while (j := !j + 1; !j < 5) do ()
         val () = sayInt (!j)
         val a = array (10, 1)
         fun fill n = if n < 10 then (update (a, n, sub (a, n - 1) * 2); fill (n + 1)) else ()
         val () = (fill 1; sayInt (sub (a, 9)))
         val p = ref (1, 2)
         val () = (p := (#2 (!p), 3); sayInt (#1 (!p) * 10 + #2 (!p)))
         val b = array (2, (1, \"x\"))
         val () = (update (b, 1, (2, \"y\")); say (show (#1 (sub (b, 1))) ^ #2 (sub (b, 0))))
         fun loop (n, acc) = if n = 0 then acc else loop (n - 1, acc + n)
         val () = sayInt (loop (1000, 0))",
        "45\n5\n512\n23\n2x\n500500\n",
    );
}

#[test]
fn evaluation_order() {
    prints(
        "fun t s x = (print s; x)
         val _ = (t \"a\" 1, t \"b\" 2, t \"c\" 3)
         val _ = {z = t \"1\" 1, a = t \"2\" 2, m = t \"3\" 3}
         val _ = (t \"f\" (fn (x, y) => x)) (t \"x\" 1, t \"y\" 2)
         val _ = t \"p\" 1 + t \"q\" 2 * t \"r\" 3
         val _ = if t \"i\" true andalso t \"j\" false orelse t \"k\" true then t \"l\" 1 else t \"m\" 2
         val {b, a} = {b = t \"B\" 1, a = t \"A\" 2}
         val _ = t \"g\" (fn a => (print \"(\"; fn b => print \")\")) (t \"u\" 1) (t \"v\" 2)
         val () = say \"\"",
        "abc123fxypqrijklBAgu(v)\n",
    );
}

#[test]
fn equality() {
    prints(
        "datatype color = R | G
         datatype 'a t = L | K | N of 'a t * 'a | M of {a : int, b : 'a t, c : string} | O of real array
         datatype w = W of int * int
         datatype v = V of string
         datatype p = P of q * int | P0 and q = Q of p | Q0
         val () = app sayBool
           [1 = 1, \"ab\" = \"a\" ^ \"b\", R = G, R = R, [1, 2] = [1, 2], [1, 2] = [1, 3], [1] = [1, 2], (1, \"x\") = (1, \"x\"),
            (1, (2, \"x\")) = (1, (2, \"y\")), SOME 1 = NONE, SOME (1, 2) = SOME (1, 2), [] = [()], [(), ()] = [(), ()],
            W (1, 2) = W (1, 2), W (1, 2) = W (2, 2), V \"a\" = V \"a\", V \"a\" = V \"b\",
            P (Q (P (Q0, 1)), 2) = P (Q (P (Q0, 1)), 2), P (Q (P (Q0, 3)), 2) = P (Q (P (Q0, 1)), 2)]
         val m = M {a = 1, b = N (N (L, 1), 2), c = \"c\"}
         fun make c = M {a = 1, b = N (N (L, 1), 2), c = c}
         val () = app sayBool [m = make \"c\", m = make \"d\", m <> make \"d\", L = K, L = L, N (L, 1) = N (K, 1), m = L]
         val r = ref 1
         val () = app sayBool [r = r, r = ref 1, ref r = ref r]
         val v1 = vector (array (3, (1, \"a\"))) val v2 = vector (array (3, (1, \"a\"))) val v3 = vector (array (2, (1, \"a\")))
         val () = app sayBool [v1 = v2, v1 = v3, v1 <> v3]
         val big : intinf = 123456789012345678901234567890
         val () = app sayBool [big = big + 0, big = 1, big * 1 <> big, (5 : intinf) = 2 + 3]
         val x = if (1, 2) = (1, 2) andalso [1] <> [] then 1 else 2
         val () = sayInt x
         val l = [(1, [\"a\"]), (2, [\"b\", \"c\"])]
         val () = sayBool (l = map (fn x => x) l)",
        "true\ntrue\nfalse\ntrue\ntrue\nfalse\nfalse\ntrue\nfalse\nfalse\ntrue\nfalse\ntrue\ntrue\nfalse\ntrue\nfalse\ntrue\nfalse\n\
         true\nfalse\ntrue\nfalse\ntrue\nfalse\nfalse\ntrue\nfalse\nfalse\ntrue\nfalse\ntrue\ntrue\nfalse\nfalse\ntrue\n1\ntrue\n",
    );
}

#[test]
fn equality_at_ever_larger_types() {
    prints(
        "datatype 'a t = E | C of 'a * ('a * 'a) t
         val x = C (1, C ((2, 3), E)) val y = C (1, C ((2, 4), E))
         val () = app sayBool [x = x, x = y, x = E, x <> C (1, C ((2, 3), E))]
         fun strings s = C (\"a\", C ((\"b\", s), E))
         val () = app sayBool [strings \"c\" = strings \"c\", strings \"c\" = strings \"d\"]",
        "true\nfalse\nfalse\nfalse\ntrue\nfalse\n",
    );
}

#[test]
fn types_that_contain_themselves() {
    prints(
        "datatype 'a t = E | C of 'a * ('a * 'a) t
         fun depth E = 0 | depth (C (_, E)) = 1 | depth (C (_, C (_, _))) = 2
         val () = sayInt (depth (C (1, C ((2, 3), E))))
         datatype d = D of d -> int
         fun f (D g) = g (D g)
         val () = sayInt (f (D (fn _ => 3)))
         datatype e = X of e box | Y of unit and 'a box = B of 'a
         val () = sayInt (case X (B (Y ())) of X (B (Y ())) => 4 | _ => 5)
         datatype n = N of n option
         fun count (N NONE) = 0 | count (N (SOME n)) = 1 + count n
         val () = sayInt (count (N (SOME (N (SOME (N NONE))))))",
        "2\n3\n4\n2\n",
    );
}

#[test]
fn values_of_branches() {
    prints(
        "fun pick b = let val (x, y) = if b then (1, 2) else (3, 4) in x * 10 + y end
         val () = sayInt (pick true + pick false)
         val p = (5, 6) val q = (7, 8)
         fun choose b = let val r = if b then p else q in [r, r] end
         val () = sayInt (foldl (fn ((a, b), n) => n + a * b) 0 (choose true @ choose false))
         val x = case [1, 2] of [] => 0 | x :: _ => (case x of 1 => 11 | _ => 12)
         val () = sayInt x
         val y = (case (1, SOME 2) of (a, SOME b) => (b, a) | (a, NONE) => (a, a)) handle Div => (0, 0)
         val () = sayInt (#1 y * 10 + #2 y)
         val z = let val t = if x > 5 then 1 else 2 in t + 1 end
         val () = sayInt z
         val w = (if x = 11 then raise Fail \"w\" else 1) handle Fail _ => 9
         val () = sayInt w
         val b = x = 11 andalso y = (2, 1)
         val () = sayBool b
         val f = if b then fn n => n + 1 else fn n => n - 1
         val () = sayInt (f 1)",
        "46\n172\n11\n21\n2\n9\ntrue\n2\n",
    );
}

#[test]
fn records_are_boxed_once_on_a_path() {
    prints(
        "fun f (p : int * int) = let fun loop (0, acc) = acc | loop (n, acc) = loop (n - 1, p :: acc) in loop (3, []) end
         val () = sayInt (foldl (fn ((a, b), n) => n + a * b) 0 (f (2, 3)))
         fun g p = let val a = [p] val b = p :: a in fn () => p :: b end
         val () = sayInt (foldl (fn ((a, b : int), n : int) => n + a) 0 (g (4, 5) ()))
         fun h (a, b) = let val p = ((a, b), a) fun k () = p in k () end
         val ((a, b), c) = h (1, 2)
         val () = sayInt (a + b + c)",
        "18\n12\n4\n",
    );
}

#[test]
fn parallel_tuples() {
    prints(
        "val (a, b) = (| 1 + 2, \"x\" |) val () = say (show a ^ b)",
        "3x\n",
    );
}
