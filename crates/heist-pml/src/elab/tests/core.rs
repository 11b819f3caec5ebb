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
