//! Tests the core language.

use super::{accept, refuse, types};

#[test]
fn types_of_expressions() {
    types(&[
        ("val x = 1", "x", "int"),
        ("val x = 1.5", "x", "real"),
        ("val x = 0w1", "x", "word"),
        ("val x = (1, \"a\", #\"c\")", "x", "int * string * char"),
        ("val x = {b = 1, a = true}", "x", "{a: bool, b: int}"),
        ("val x = [1, 2]", "x", "int list"),
        ("val x = fn y => y", "x", "'a -> 'a"),
        ("fun f x y = x", "f", "'a -> 'b -> 'a"),
        ("fun f x = x + 1.0", "f", "real -> real"),
        ("fun f x = x + x", "f", "int -> int"),
        ("fun f (x, y) = x < y", "f", "int * int -> bool"),
        ("fun f (x : real, y) = x < y", "f", "real * real -> bool"),
        ("fun f x = x = x", "f", "''a -> bool"),
        ("fun f g x = g (g x)", "f", "('a -> 'a) -> 'a -> 'a"),
        ("val f = fn (x, _) => x", "f", "'a * 'b -> 'a"),
        (
            "val y = let val f = fn x => x in (f 1, f true) end",
            "y",
            "int * bool",
        ),
        ("val x = #2 (1, true)", "x", "bool"),
        ("val x = #name {name = \"a\", age = 1}", "x", "string"),
        (
            "fun f {a, b = (c, _)} = (a, c)",
            "f",
            "{a: 'a, b: 'b * 'c} -> 'a * 'b",
        ),
        ("val x = if true then 1 else 2", "x", "int"),
        ("val x = raise Fail \"a\"", "x", "unit"),
        ("val x = (raise Div) handle Fail s => s", "x", "string"),
        ("val x = ref 1", "x", "int ref"),
        ("val x = ref", "x", "'a -> 'a ref"),
        ("val x = while false do 1", "x", "unit"),
        ("1 + 2;", "it", "int"),
        ("val x = (| 1, true |)", "x", "int * bool"),
        (
            "val compose = op o",
            "compose",
            "('a -> 'b) * ('c -> 'a) -> 'c -> 'b",
        ),
    ]);
}

#[test]
fn value_restriction() {
    types(&[
        (
            "val f = (fn x => x) (fn x => x) val y = f 1",
            "f",
            "int -> int",
        ),
        ("val r = ref [] val () = r := [1]", "r", "int list ref"),
        ("val x = SOME (fn y => y)", "x", "('a -> 'a) option"),
        ("val x = [fn y => y]", "x", "('a -> 'a) list"),
        (
            "val x = (fn y => y, ref)",
            "x",
            "('a -> 'a) * ('b -> 'b ref)",
        ),
        (
            "val x = {a = [], b = NONE}",
            "x",
            "{a: 'a list, b: 'b option}",
        ),
        ("val x = (fn y => y) : 'a -> 'a", "x", "'a -> 'a"),
        (
            "val f = let val y = 1 in fn x => x end val z = f true",
            "f",
            "bool -> bool",
        ),
        (
            "exception E of int val x = (E, fn y => y)",
            "x",
            "(int -> exn) * ('a -> 'a)",
        ),
        ("val x = #a val y = x {a = 1, b = true}", "y", "int"),
        (
            "val (f, g) = (fn x => x, fn x => x) val y = (f 1, f true, g \"\")",
            "y",
            "int * bool * string",
        ),
        (
            "val h = map (fn x => x) val y = h [1]",
            "h",
            "int list -> int list",
        ),
        ("val x = nil and y = op ::", "y", "'a * 'a list -> 'a list"),
        (
            "fun f () = let val r = ref [] in r := [1]; !r end",
            "f",
            "unit -> int list",
        ),
        ("val x as y = fn z => z", "y", "'a -> 'a"),
    ]);
    refuse(&[
        (
            "val r = ref [] val () = r := [1] val () = r := [true]",
            "E0302",
        ),
        ("val r : 'a list ref = ref []", "E0309"),
        (
            "val f = map (fn x => x) val a = f [1] val b = f [true]",
            "E0302",
        ),
        ("val f = (fn x => x) (fn x => x)", "W0603"),
        ("val x = length", ""),
        (
            "fun f () = let val r = ref [] in (r := [1]; r := [true]) end",
            "E0302",
        ),
    ]);
}

#[test]
fn scopes_of_type_variables() {
    types(&[
        (
            "fun f (x : 'a) = let fun g (y : 'a) = (x, y) in g x end",
            "f",
            "'a -> 'a * 'a",
        ),
        (
            "fun f x = let fun g (y : 'a) = y in (g 1, g x) end",
            "f",
            "'a -> int * 'a",
        ),
        ("val 'a f = fn (x : 'a) => x", "f", "'a -> 'a"),
        (
            "fun 'a f (x : 'a) = let val g = fn (y : 'a) => y in g x end",
            "f",
            "'a -> 'a",
        ),
        (
            "fun ('a, 'b) f (x : 'a) (y : 'b) = (y, x)",
            "f",
            "'a -> 'b -> 'b * 'a",
        ),
        ("fun f (x : ''a) = x = x", "f", "''a -> bool"),
        ("val f : 'a -> 'a = fn x => x", "f", "'a -> 'a"),
        ("val f = fn x : 'b => [x]", "f", "'b -> 'b list"),
        ("fun f x = (x : int)", "f", "int -> int"),
        ("fun f (x : 'a) = x and g (y : 'a) = f y", "g", "'a -> 'a"),
        ("val x = (fn y : 'a list => 3) []", "x", "int"),
        (
            "val f = let val id : 'a -> 'a = fn z => z in (id 1, id true) end",
            "f",
            "int * bool",
        ),
        (
            "fun f x = let exception E of 'a fun g (y : 'a) = raise E y in x end",
            "f",
            "'b -> 'b",
        ),
    ]);
    refuse(&[
        ("fun f (x : 'a) = x + 1", "E0309"),
        ("fun f (x : 'a, y : 'b) = [x, y]", "E0309"),
        (
            "fun f (x : 'a) = let fun g (y : 'a) = y in (g x, g 1) end",
            "E0309",
        ),
        ("fun f (x : 'a) = x = x", "E0308"),
        (
            "fun 'a f (x : 'a) = let fun 'a g (y : 'a) = y in g x end",
            "E0329",
        ),
        ("fun ('a, 'a) f (x : 'a) = x", "E0328"),
        (
            "fun 'a f x = let val g = fn (y : 'a) => x = y in g end",
            "E0308",
        ),
        ("val f = fn x => let val y : 'a = x in y end", "E0309"),
        ("type t = 'a list", "E0314"),
        ("datatype t = A of 'a", "E0314"),
        (
            "fun f (x : 'a) = let datatype t = A of 'a in 1 end",
            "E0314",
        ),
        ("exception E of 'a", "E0334"),
        (
            "fun f x = let val g : 'a -> 'a = fn y => if true then x else y in g end",
            "E0309",
        ),
    ]);
}

#[test]
fn equality() {
    types(&[
        ("datatype t = A | B of int val x = A = B 1", "x", "bool"),
        (
            "datatype 'a t = L | N of 'a t * 'a fun f (x : int t) = x = L",
            "f",
            "int t -> bool",
        ),
        (
            "fun mem (x, []) = false | mem (x, y :: ys) = x = y orelse mem (x, ys)",
            "mem",
            "''a * ''a list -> bool",
        ),
        ("val x = ref (fn y => y + 1) val y = x = x", "y", "bool"),
        (
            "val x = {a = 1, b = [\"x\"]} = {b = [], a = 2}",
            "x",
            "bool",
        ),
        (
            "datatype t = A of u and u = B of t | C val x = C = C",
            "x",
            "bool",
        ),
        ("fun f x y = x <> y", "f", "''a -> ''a -> bool"),
        ("fun f (x : 'a ref) = x = x", "f", "'a ref -> bool"),
        (
            "val x = (1, 0w1, #\"a\", true, ()) = (1, 0w1, #\"b\", false, ())",
            "x",
            "bool",
        ),
        (
            "fun f a = let val (b, c) = a in b = c end",
            "f",
            "''a * ''a -> bool",
        ),
    ]);
    refuse(&[
        ("val x = 1.0 = 2.0", "E0308"),
        ("val x = (fn y => y) = (fn y => y)", "E0308"),
        ("datatype t = A of int -> int val x = A = A", "E0308"),
        ("datatype t = A of real | B val x = B = B", "E0308"),
        (
            "datatype t = A of u | C and u = B of real val x = C = C",
            "E0308",
        ),
        ("datatype 'a t = A of 'a val x = A 1.0 = A 2.0", "E0308"),
        ("val x = Div = Div", "E0308"),
        ("abstype t = A with val a = A end val x = a = a", "E0308"),
        ("fun f x = x = x val y = f (fn z => z)", "E0308"),
        ("fun f (x, y) = (x = y, x 1)", "E0308"),
        ("fun f x = (x = x, x + 1.0)", "E0302"),
        ("val x = [1.0] = []", "E0308"),
        ("fun f (x : ''a) = x val y = f 1.0", "E0308"),
    ]);
}

#[test]
fn overloading() {
    types(&[
        ("val x = 1 + 2", "x", "int"),
        ("val x = 1.0 + 2.0", "x", "real"),
        ("val x = 0w1 + 0w2", "x", "word"),
        ("fun f (x, y) = x * y + 1.0", "f", "real * real -> real"),
        ("fun f x = x / 2.0", "f", "real -> real"),
        ("val x : intinf = 1 + 2", "x", "IntInf.int"),
        ("val x : word8 = 0w255", "x", "Word8.word"),
        (
            "val x = let fun double x = x + x in double 2.0 end",
            "x",
            "real",
        ),
        ("fun double x = x + x val y = double 2.0", "y", "real"),
        (
            "structure S : sig val f : real -> real end = struct fun f x = x + x end val y = S.f",
            "y",
            "real -> real",
        ),
        ("fun f x = ~x", "f", "int -> int"),
        ("fun f x = ~x : real", "f", "real -> real"),
        ("val x = #\"a\" < #\"b\"", "x", "bool"),
        (
            "fun f (x, y) = if x < y then x else y",
            "f",
            "int * int -> int",
        ),
        ("val f = op +", "f", "int * int -> int"),
        ("val x = foldl (op +) 0 [1, 2]", "x", "int"),
        ("val x = foldl (op +) 0.0 [1.0]", "x", "real"),
        (
            "fun f x = case x of 0 => 1 | n => n : intinf",
            "f",
            "IntInf.int -> IntInf.int",
        ),
        (
            "val x = 9223372036854775807 val y = ~9223372036854775808",
            "y",
            "int",
        ),
        (
            "val x : intinf = 123456789012345678901234567890",
            "x",
            "IntInf.int",
        ),
    ]);
    refuse(&[
        ("val x = \"a\" + \"b\"", "E0323"),
        ("val x = true < false", "E0323"),
        ("val x = 1 + 1.0", "E0302"),
        ("val x = 1 + \"a\"", "E0302"),
        ("val x = 9223372036854775808", "E0320"),
        ("val x : word8 = 0w256", "E0320"),
        ("val x = 0wx10000000000000000", "E0320"),
        ("fun f x = x + x val a = f 1 val b = f 1.0", "E0302"),
        ("val x : string = 1", "E0304"),
        ("fun f 99999999999999999999 = 1 | f _ = 2", "E0320"),
        ("val x = ~\"a\"", "E0323"),
        ("val x = ~ 1 div 2.0", "E0302"),
    ]);
}

#[test]
fn records() {
    types(&[
        ("fun f {a, ...} = a val x = f {a = 1, b = 2}", "x", "int"),
        (
            "fun f (r : {a : int, b : bool}) = #b r",
            "f",
            "{a: int, b: bool} -> bool",
        ),
        (
            "fun f {a = x, b, ...} : int = x + b val y = f {a = 1, b = 2, c = 3}",
            "y",
            "int",
        ),
        (
            "val {a, b = {c, ...}} = {a = 1, b = {c = true, d = 3}}",
            "c",
            "bool",
        ),
        ("val x = map #1 [(1, true)]", "x", "int list"),
        (
            "val f = fn {x, y} => x + y : int",
            "f",
            "{x: int, y: int} -> int",
        ),
        ("val {1 = x, 2 = y} = (1, \"a\")", "y", "string"),
        ("val x = {2 = 1, 1 = true}", "x", "bool * int"),
        (
            "fun f (r as {a, ...}) = (a, r) val x = f {a = 1, z = ()}",
            "x",
            "int * {a: int, z: unit}",
        ),
        (
            "fun f {a : int, b as c} = (a, b, c)",
            "f",
            "{a: int, b: 'a} -> int * 'a * 'a",
        ),
        ("val x = {} = ()", "x", "bool"),
        (
            "val f = fn ({a, ...} : {a : 'a, b : 'b}) => a",
            "f",
            "{a: 'a, b: 'b} -> 'a",
        ),
        ("val x = {a = 1} val y = #a x", "y", "int"),
    ]);
    refuse(&[
        ("fun f {a, ...} = a", "E0321"),
        ("val f = fn r => #a r", "E0321"),
        ("val x = #c {a = 1}", "E0322"),
        ("val x = {a = 1, a = 2}", "E0327"),
        ("fun f {a, a} = 1", "E0327 E0324"),
        ("type t = {a : int, a : bool}", "E0327"),
        ("val {a} = {b = 1}", "E0305"),
        ("val {a, ...} = {b = 1}", "E0322"),
        ("val x : {a : int} = {a = 1, b = 2}", "E0304"),
        ("val x = #1 5", "E0302"),
        ("fun f r = (#a r, #b r) val x = f {a = 1}", "E0322"),
    ]);
}

#[test]
fn one_error_does_not_cause_another() {
    refuse(&[
        (
            "val x = y + 1 val z = x + 1.0 val w = x :: 3",
            "E0311 E0302",
        ),
        ("fun f x = undefined x val y = f 1 + f true", "E0311"),
        ("val x = [undefined, 1, 2]", "E0311"),
        ("val x = undefined 1 2 3", "E0311"),
        ("fun f (Undefined x) = x + 1 | f _ = 2", "E0312"),
        ("val x : undefined = 1 val y = x + 1", "E0313"),
        ("open Undefined val x = something 1", "E0401"),
        ("structure S = Undefined val x = S.y + 1", "E0401"),
        ("val a = foo val b = bar", "E0311 E0311"),
        ("val x = 1 + true val y = 2 + false", "E0302 E0302"),
    ]);
}

#[test]
fn programs_of_all_sorts() {
    accept(&[
        "local val x = 1 in val y = x end val z = y",
        "local fun f x = x in fun g x = f (f x) end val z = (g 1, g true)",
        "val f = fn x => let val y = x in let val z = y in (y, z) end end",
        "fun f x = let val y = fn z => (x, z) in (y 1, y true) end",
        "fun f (x :: y :: _) = x + y | f [x] = x | f [] = 0",
        "val ref x = ref 1 fun f (ref y) = y",
        "val (a as (b, c), d) = ((1, 2), 3)",
        "fun f (x as SOME (y : int)) = (x, y) | f (x as NONE) = (x, 0)",
        "val _ = 1 val () = () val (_, _) = (1, 2)",
        "val x = let val it = 3 in it end; x; it + 1;",
        "fun f n = let val i = ref 0 in while !i < n do (i := !i + 1; ()); !i end",
        "val x = (1; true; \"a\") handle _ => \"c\"",
        "fun f 0 _ = [] | f n g = g n :: f (n - 1) g val x = f 3 (fn i => i * i)",
        "datatype t = T of t -> int fun app (T f) = f (T f)",
        "datatype 'a seq = Nil | Cons of 'a * (unit -> 'a seq) fun from n = Cons (n, fn () => from (n + 1))",
        "val x = #\"a\" fun f #\"b\" = 1 | f _ = 2",
        "fun f \"a\" = 1 | f _ = 2",
        "fun f (0w1, ~1, \"\", #\"a\") = 1 | f _ = 2",
        "val rec f = fn x => x val y = f 1",
        "val (x, y) : int * bool = (1, true)",
        "fun f x = case x of (y, z) => y + z",
        "nonfix + val x = + (1, 2) infix 6 +",
        "val [a, b] = [1, 2] val SOME c = SOME 3",
    ]);
}
