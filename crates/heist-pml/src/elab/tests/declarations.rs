//! Tests declarations of datatypes, exceptions and functions.

use super::{refuse, types};

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
