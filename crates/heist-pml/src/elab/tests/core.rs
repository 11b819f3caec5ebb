//! The core language.

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
fn datatypes() {
    types(&[
        (
            "datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree val x = Node (Leaf, 1, Leaf)",
            "x",
            "int tree",
        ),
        (
            "datatype t = A of u withtype u = t list val x = A [A []]",
            "x",
            "t",
        ),
        (
            "datatype t = A of u and u = B of t | C val x = A (B (A C))",
            "x",
            "t",
        ),
        ("datatype t = datatype bool val x = true", "x", "bool"),
        ("datatype t = A datatype u = datatype t val x = A", "x", "t"),
        (
            "datatype ('a, 'b) e = L of 'a | R of 'b fun f (L x) = x | f (R y) = y",
            "f",
            "('a, 'a) e -> 'a",
        ),
        (
            "datatype t = op + of int * int val x = op + (1, 2)",
            "x",
            "t",
        ),
        (
            "infix 5 ++ datatype t = op ++ of int * t | E fun f (a ++ _) = a | f E = 0",
            "f",
            "t -> int",
        ),
        (
            "abstype t = A of int with fun mk x = A x fun un (A x) = x end val y = un (mk 1)",
            "y",
            "int",
        ),
        (
            "type 'a pair = 'a * 'a fun f ((x, y) : 'a pair) = x",
            "f",
            "'a * 'a -> 'a",
        ),
        (
            "type t = int and u = bool val x : t * u = (1, true)",
            "x",
            "int * bool",
        ),
        (
            "datatype t = A of {x : int, y : bool} fun f (A {x, ...}) = x",
            "f",
            "t -> int",
        ),
        (
            "val f = fn x => case x of SOME y => y | NONE => 0",
            "f",
            "int option -> int",
        ),
        (
            "datatype t = A | B fun f A = B | f B = A val x = f A",
            "x",
            "t",
        ),
        (
            "fun f x = let datatype t = A of int | B in case A x of A y => y | B => 0 end",
            "f",
            "int -> int",
        ),
        (
            "datatype t = A local datatype t = B in val x = 1 end val y = A",
            "y",
            "t",
        ),
    ]);
    refuse(&[
        ("datatype t = A | A", "E0326"),
        ("datatype t = A and u = A", "E0326"),
        ("datatype t = A and t = B", "E0325"),
        ("datatype ('a, 'a) t = A", "E0328"),
        ("datatype t = true | maybe", "E0332"),
        ("datatype t = it", "E0332"),
        ("type t = u", "E0313"),
        ("val x : int list list list = [1]", "E0304"),
        ("val x : list = []", "E0316"),
        ("val x : int int = 1", "E0316"),
        ("type t = (int, bool) list", "E0316"),
        ("val x = let datatype t = A in A end", "E0310"),
        ("fun f x = let datatype t = A fun g A = x in g end", "E0310"),
        ("fun f g = let datatype t = A in g A; 1 end", "E0310"),
        (
            "datatype t = A datatype t = A val f = fn A => 1 val x = f A",
            "",
        ),
        (
            "datatype t = A val a = A datatype t = B val x = [a, B]",
            "E0301",
        ),
        ("fun f (A x) = x", "E0312"),
        ("fun f (SOME) = 1", "E0317"),
        ("fun f (NONE x) = 1", "E0317"),
        ("val x = 1 fun f (x y) = 1", "E0318"),
        ("abstype t = A with val a = A end val x = A", "E0312"),
        ("type t = int type t = bool val x : t = 1", "E0304"),
        ("val SOME = 3", "E0317"),
    ]);
}

#[test]
fn exceptions() {
    types(&[
        ("exception E val x = E", "x", "exn"),
        ("exception E of int val x = E", "x", "int -> exn"),
        (
            "exception E of int exception F = E val x = (raise F 1) handle E n => n",
            "x",
            "int",
        ),
        ("fun f x = raise Fail x", "f", "string -> 'a"),
        ("val x = 1 handle Fail s => 2 | _ => 3", "x", "int"),
        (
            "fun f x = let exception E of 'a in (raise E x) handle E (y : 'a) => y end",
            "f",
            "'a -> 'a",
        ),
        ("exception E and F of int val x = [E, F 1]", "x", "exn list"),
        (
            "val e = Fail \"a\" val x = (raise e) handle Fail s => size s",
            "x",
            "int",
        ),
    ]);
    refuse(&[
        ("val x = raise 1", "E0330"),
        ("val x = 1 handle 2 => 3", "E0331"),
        ("val x = 1 handle Fail s => s", "E0303"),
        ("exception E = F", "E0315"),
        ("val f = 1 exception E = f", "E0335"),
        ("exception E and E", "E0325"),
        ("exception true", "E0332"),
        ("exception E of t", "E0313"),
        ("exception E of int val x = 1 handle E => 2", "E0317"),
        ("exception E val x = 1 handle E n => 2", "E0317"),
    ]);
}

#[test]
fn functions() {
    types(&[
        ("fun f 0 = 1 | f n = n * f (n - 1)", "f", "int -> int"),
        (
            "fun f [] ys = ys | f (x :: xs) ys = x :: f xs ys",
            "f",
            "'a list -> 'a list -> 'a list",
        ),
        (
            "fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1)",
            "odd",
            "int -> bool",
        ),
        ("val rec f = fn 0 => 1 | n => f (n - 1)", "f", "int -> int"),
        (
            "val rec f = fn x => g x and g = fn x => f x",
            "g",
            "'a -> 'b",
        ),
        ("val rec f : int -> int = fn x => f x", "f", "int -> int"),
        ("infix ++ fun x ++ y = x + y val z = 1 ++ 2", "z", "int"),
        (
            "infix ++ fun (x ++ y) z = x + y + z val z = (1 ++ 2) 3",
            "z",
            "int",
        ),
        ("fun f x : int = x", "f", "int -> int"),
        (
            "fun f (SOME x) y = x + y | f NONE y = y",
            "f",
            "int option -> int -> int",
        ),
        (
            "fun curry f x y = f (x, y)",
            "curry",
            "('a * 'b -> 'c) -> 'a -> 'b -> 'c",
        ),
        (
            "fun fix f x = f (fix f) x",
            "fix",
            "(('a -> 'b) -> 'a -> 'b) -> 'a -> 'b",
        ),
        ("val x = 1 val x = \"a\"", "x", "string"),
        ("val x = 1 and y = 2 val z = x + y", "z", "int"),
        ("fun SOME2 x = x fun f x = SOME2 x", "f", "'a -> 'a"),
        ("fun id x = x val y = (id id) 3", "y", "int"),
        ("fun f x = f x", "f", "'a -> 'b"),
    ]);
    refuse(&[
        ("val x = y", "E0311"),
        ("fun f x = foo x", "E0311"),
        ("val x = 1 2", "E0306"),
        ("fun f x = x x", "E0307"),
        ("fun f x = f", "E0307"),
        ("fun f (x, x) = x", "E0324"),
        ("fun f x x = x", "E0324"),
        ("val x = 1 and x = 2", "E0325"),
        ("fun f x = 1 and f y = 2", "E0325"),
        ("fun f 1 = true | f 2 = 3", "E0303"),
        ("fun f 1 = true | f \"a\" = false", "E0305"),
        ("fun f x : int = \"a\"", "E0304"),
        ("val x = if 1 then 2 else 3", "E0336"),
        ("val x = if true then 2 else \"a\"", "E0303"),
        ("val x = 1 andalso true", "E0336"),
        ("val x = while 1 do ()", "E0336"),
        ("val x = [1, true]", "E0301"),
        ("val x = case 1 of 1 => true | 2 => \"a\"", "E0303"),
        ("val x = case 1 of true => 1", "E0305"),
        ("val x = (fn x => x + 1) true", "E0302"),
        ("fun f (1.0) = 1", "E0319"),
        ("val (x, y) = 1", "E0305"),
        ("val x : int = \"a\"", "E0304"),
        ("val true = 1", "E0305"),
        ("fun ref x = x", "E0332"),
        ("val rec true = fn x => x", "E0332"),
        ("val rec (a, b) = fn x => x", "E0333"),
        ("val x = lenght [1]", "E0311"),
        ("fun f x = g x and g (x : int) = h x", "E0311"),
        ("val x = length [1] 2", "E0306"),
        ("val x = op o (1, 2)", "E0302"),
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
