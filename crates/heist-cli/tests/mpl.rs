//! Programs in the style of MPL's users, and lists of files: outputs on one worker and on several.

use std::fs;
use std::path::Path;

mod common;

use common::heist;

/// The path of a program in `tests/mpl`.
fn path(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpl");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Runs a program with 1, 2 and 8 workers.
fn prints(name: &str, options: &[&str], expected: &str) {
    for workers in ["1", "2", "8"] {
        let mut arguments = vec!["run", "--workers", workers];
        arguments.extend(options);
        let path = path(name);
        arguments.push(&path);
        let output = heist(&arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}, {workers} workers: {said}");
        assert_eq!(text, expected, "{name}, {workers} workers: {said}");
    }
}

/// The message of `heist check` about a list that it refuses.
fn refusal(list: &str) -> String {
    let output = heist(&["check", list]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "accepted: {said}");
    said
}

#[test]
fn forks_above_a_grain() {
    prints("fib.sml", &[], "6765 17711\n");
}

#[test]
fn loops_with_grains_and_a_cell_that_is_swapped() {
    prints("primes.sml", &[], "2262 21171191\n");
}

#[test]
fn arrays_that_are_filled_after_they_were_allocated() {
    prints("sort.sml", &[], "true 1012 498501\n");
}

#[test]
fn atomic_operations_on_numbers_and_objects() {
    let expected = "449985000 30000 true 449985000 30000 1.5 2.5 Subscript true 71\n";
    prints("atomics.sml", &[], expected);
}

#[test]
fn values_that_are_the_same() {
    let expected = "20000 40000 0 100000\nsame other same other same other same other same\n";
    prints("same.sml", &[], expected);
    prints("same.sml", &["--sequential"], expected);
}

#[test]
fn lists_hide_and_rename_and_elaborate_once() {
    let expected = "once\n401 42 free 2\n";
    prints("uses.mlb", &["--mlb-path-var", "PART=lib"], expected);
    let output = heist(&["check", "--mlb-path-var", "PART=lib", &path("uses.mlb")]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("sillyAnnotation").count(), 1, "{said}");
    assert!(!said.contains("allowFFI"), "{said}");
}

/// Infix directives come and go with the names of a file.
#[test]
fn lists_declare_infix_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, text) in [
        ("ops.sml", "infix 6 |> fun x |> f = f x"),
        ("a.sml", "val a = 1 |> Int.toString"),
        ("b.sml", "val b = 2 |> Int.toString"),
        ("c.sml", "infix add fun a add b : int = a + b"),
        ("lib.mlb", "lib.sml"),
        ("lib.sml", "fun add (a, b) = a * b val six = add (2, 3)"),
        ("op.sml", "fun |> (a, b) = a - b : int"),
        (
            "e.sml",
            "val () = print (a ^ b ^ Int.toString (six + |> (3, 1) + c) ^ \"\\n\")",
        ),
        ("d.sml", "val c = 10 |> (fn n => n + 4)"),
        (
            "main.mlb",
            "local ops.sml in a.sml end local ops.sml in b.sml end c.sml lib.mlb \
             basis B = bas ops.sml end local open B in d.sml end op.sml e.sml",
        ),
    ] {
        fs::write(at(name), text).unwrap();
    }
    let output = heist(&["run", &at("main.mlb")]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1222\n", "{said}");
}

#[test]
fn lists_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("a.sml"), "structure A = struct val x = 1 end").unwrap();
    fs::write(at("b.sml"), "val y = A.x").unwrap();
    for (text, why) in [
        ("local a.sml in end b.sml", "A"),
        ("a.sml structure B = C", "unknown structure `C`"),
        ("a.sml open X", "unknown basis `X`"),
        ("$(PART)/a.sml", "the path variable `PART` has no value"),
        ("main.mlb", "this list includes itself"),
    ] {
        fs::write(at("main.mlb"), text).unwrap();
        let said = refusal(&at("main.mlb"));
        assert!(said.contains(why), "{text}: {said}");
    }
    // A list does not see what is around it.
    fs::write(at("inner.mlb"), "b.sml").unwrap();
    fs::write(at("main.mlb"), "a.sml inner.mlb").unwrap();
    let said = refusal(&at("main.mlb"));
    assert!(said.contains("`A`"), "{said}");
}
