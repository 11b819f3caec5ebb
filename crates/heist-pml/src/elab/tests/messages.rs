//! Tests the texts of messages.

use super::{Session, brief, elaborate};

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
fn labels_that_are_missing() {
    says(
        "val pick = #key val a = pick {key = 1, other = true} val b = pick {key = 2}",
        &["the record has no field `other`"],
    );
    says(
        "fun f {a : int} = a val x = f {a = 1, b = 2}",
        &["the function takes a record without the field `b`"],
    );
    says(
        "val pick = #key",
        &[
            "the fields of this record are not all known: {key: '_a, ...}",
            "write the type of the record, or use this with a whole record in the same file",
        ],
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
    says(
        "val x = let val spawn = 1 in spawn end val y = spawn 2",
        &["`spawn` begins a form of Parallel ML only in files named `.pml`"],
    );
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
    says(
        "val a = [| 1, true |]",
        &["the elements of this array have different types"],
    );
    says(
        "val a = [| 1 to true |]",
        &["the bounds and the step of a range are integers", "`bool`"],
    );
    says(
        "val a = [| x | (x, y) in [| 1, 2 |] |]",
        &["this pattern cannot match the elements of the array"],
    );
    says("fun f x = x + 1 val y = f 1 2", &["too many arguments"]);
    says("val x : intinf list = [1, 2, \"a\"]", &["`string`"]);
    says("val b = 300 : word8", &["`Word8.word`"]);
    says(
        "val b = 0w300 : word8",
        &["the literal 300 does not fit in `Word8.word`"],
    );
}

/// Returns the code and the notes of a program's first error.
fn first(text: &str) -> String {
    let mut session = Session::new();
    let diagnostics = session.declare(text, false, false);
    let item = &diagnostics.items()[0];
    format!("{} {}", item.code, item.notes.join("; "))
}

#[test]
fn habits_of_other_languages_have_hints() {
    for (text, expected) in [
        (
            "val x = -5",
            "E0207 a number is negated by `~`: `~5`, `~ x`",
        ),
        (
            "val x = 3 - -5",
            "E0207 a number is negated by `~`: `~5`, `~ x`",
        ),
        (
            "val f = - ",
            "E0207 as a function by itself it is written `op -`",
        ),
        (
            "val c = 'a'",
            "E0201 a character is written `#\"a\"`, `'a'` is the name of a type variable",
        ),
        ("val s = 'text'", "E0201 a string is written `\"text\"`"),
        ("val b = 1 == 2", "E0311 equality is written `=`"),
        ("val b = not (1 != 2)", "E0311 inequality is written `<>`"),
        (
            "fun f x = x && true",
            "E0311 the conjunction of two conditions is written `andalso`",
        ),
        (
            "val r = {name = 1} val n = r.name",
            "E0401 `r` is a value, not a structure; the field `f` of a record `r` is `#f r`",
        ),
    ] {
        assert_eq!(first(text), expected, "{text}");
    }
}

#[test]
fn one_error_says_that_there_is_no_such_operator() {
    let mut session = Session::new();
    for text in [
        "val b = if 1 == 2 then 3 else 4",
        "fun f (x, y) = x + 1 != y",
    ] {
        let diagnostics = session.declare(text, false, false);
        assert_eq!(diagnostics.errors(), 1, "{text}\n{}", brief(&diagnostics));
    }
    // The program may declare such an operator itself.
    let diagnostics = session.declare("infix 4 == fun a == b = a - b val n = 3 == 4", false, true);
    assert!(diagnostics.is_empty(), "{}", brief(&diagnostics));
}

#[test]
fn names_that_are_declared_later_are_shown() {
    let later = "E0311 a name is known after its declaration; functions that call each other are declared together, by `fun ... and ...`";
    for text in [
        "fun f x = g x fun g y = y",
        "structure S = struct fun f x = g x val g = 1 end",
        "val x = let fun f x = g x fun g y = y in f 1 end",
        "local fun f x = g x fun g y = y in end",
    ] {
        assert_eq!(first(text), later, "{text}");
    }
    // The note must name neither a declaration of another scope nor an earlier declaration that is hidden.
    for text in [
        "fun f x = g x structure S = struct fun g y = y end",
        "val x = let fun g y = y in 1 end val y = g x",
    ] {
        assert!(!first(text).contains("declared together"), "{text}");
    }
}

/// Checks that the elaborator quickly refuses numbers and types that are too large.
#[test]
fn literals_and_types_that_are_too_large() {
    let digits = "9".repeat(300_000);
    says(
        &format!("val x = 0w{digits}"),
        &["this literal does not fit in `word`"],
    );
    let squared =
        "fun f x = (x, x) fun g x = f (f x) fun h x = g (g x) fun i x = h (h x) fun j x = i (i x)";
    let (_, diagnostics) = elaborate(squared);
    assert_eq!(brief(&diagnostics), "");
    let (_, diagnostics) = elaborate(&format!("{squared} fun k x = j (j x) val y = k 1"));
    let said = brief(&diagnostics);
    assert!(said.contains("a type of more than 1000000 parts"), "{said}");
    assert!(said.len() < 1000, "{said}");
}
