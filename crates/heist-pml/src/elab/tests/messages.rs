//! What messages say.

use super::{brief, elaborate};

fn says(text: &str, parts: &[&str]) {
    let (_, diagnostics) = elaborate(text);
    let said = brief(&diagnostics);
    for part in parts {
        assert!(said.contains(part), "{text}\n{said}\nlacks: {part}");
    }
    assert_eq!(diagnostics.items().len(), 1, "{said}");
}

#[test]
fn both_types_and_their_places() {
    says(
        "fun area (w : real, h) = w * h val a = area (3, 4)",
        &[
            "the argument of `area` has another type than the function takes",
            "this has the type `int * int`",
            "this has the type `real * real -> real`",
        ],
    );
    says(
        "fun f x y = x + y + 1 val a = f (1, 2)",
        &["the function takes its arguments one after the other"],
    );
    says(
        "fun f (x, y) = x + y + 1 val a = f 1 2",
        &["the function takes one tuple"],
    );
    says(
        "val x = if true then [(1, \"a\")] else [(1, size \"\")]",
        &[
            "have different types",
            "they differ in `int`, where `string` is expected",
        ],
    );
    says(
        "val a = foldl (fn (x, y) => x + y) 0 5",
        &["the third argument of `foldl`"],
    );
}

#[test]
fn names_that_were_meant() {
    says("val x = lenght [1]", &["did you mean `length`?"]);
    says(
        "structure Stack = struct end open Stakc",
        &["did you mean `Stack`?"],
    );
    says(
        "structure S = struct val foo = 1 end val x = S.fo",
        &["did you mean `foo`?"],
    );
    says("val x : strng = 1", &["did you mean `string`?"]);
    says("fun f (SOMR x) = x", &["did you mean `SOME`?"]);
}

#[test]
fn reasons() {
    says(
        "val x = 1.0 = 2.0",
        &["`real` does not admit equality", "Real.=="],
    );
    says("fun f (x : 'a) = x + 1", &["`'a` stands for any type"]);
    says(
        "val x = \"a\" + \"b\"",
        &["`+` is not defined for `string`"],
    );
    says(
        "fun f x = x x",
        &[
            "would contain itself",
            "`'_a` would be a part of `'_a -> '_b`",
        ],
    );
    says(
        "val x = let datatype t = A in A end",
        &["known only inside"],
    );
    says(
        "structure A = struct datatype t = T end structure B = struct datatype t = T end val x = [A.T, B.T]",
        &["`B.t`", "`A.t`"],
    );
    says(
        "datatype t = A val x = A datatype t = B val y = [x, B]",
        &["two different types of the name `t`"],
    );
    says(
        "structure S : sig val f : int -> int end = struct fun f x = x ^ x val op ^ = 1 end",
        &["unknown variable `^`"],
    );
    says(
        "signature S = sig val size : int end structure T : S = struct val sise = 1 end",
        &["the structure has no value `size`", "did you mean `sise`?"],
    );
    says("val x = 1 val x = x 2 3", &["not a function"]);
    says("fun f x = x + 1 val y = f 1 2", &["too many arguments"]);
    says("val x : intinf list = [1, 2, \"a\"]", &["`string`"]);
    says("val b = 300 : word8", &["`Word8.word`"]);
    says(
        "val b = 0w300 : word8",
        &["the literal 300 does not fit in `Word8.word`"],
    );
}
