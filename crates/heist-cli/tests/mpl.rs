//! Tests of programs in the style of MPL's users, and of lists of files, on one worker and on several workers.

use std::fs;
use std::path::Path;

mod common;
#[path = "mpl/mlton.rs"]
mod mlton;
#[path = "mpl/posix.rs"]
mod posix;

use common::heist;

/// Returns the path of a program in `tests/mpl`.
fn path(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpl");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Runs a program with 1, 2 and 8 workers, and checks its output.
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

/// Returns the message of `heist check` for a list that it refuses.
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
fn elements_that_are_moved_before_they_are_written() {
    let expected = "808600 one two three 4.0 42\n";
    prints("unwritten.sml", &[], expected);
    prints("unwritten.sml", &["--sequential"], expected);
}

/// Compiled code and the runtime share a list of places in old objects that refer to young objects. The last entry that fits into the list
/// may come from compiled code or from the runtime.
#[test]
fn swaps_and_stores_of_young_objects_in_old_arrays() {
    prints("stores.sml", &[], "40000 1600000000\n");
    prints("stores.sml", &["--memory", "eager"], "40000 1600000000\n");
}

#[test]
fn files_by_descriptors_and_in_memory() {
    let expected = "true false true true\ntrue 14666676\ntrue 100000 zabc zzz\n\
        Subscript Subscript Subscript WrongFilePermission fine Closed Closed noent isdir badf\n\
        5,6,7 18 through 7 true 2 true 7.000\n\
        true false Linux true true inval fine noent\ninstead\n";
    prints("files.sml", &[], expected);
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

/// An infix directive of a file is visible where the names of the file are visible.
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
fn a_faulty_list_is_refused_with_the_reason() {
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
    // A list does not see the files of the list that names it.
    fs::write(at("inner.mlb"), "b.sml").unwrap();
    fs::write(at("main.mlb"), "a.sml inner.mlb").unwrap();
    let said = refusal(&at("main.mlb"));
    assert!(said.contains("`A`"), "{said}");
}

/// Runs a list of these files, and returns its output and its messages.
fn run_list(files: &[(&str, &str)]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = heist(&["run", folder.path().join("main.mlb").to_str().unwrap()]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (
        printed,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// The compiler elaborates a file at each place that names it, with the bindings at that place. However, it elaborates a list only once.
#[test]
fn a_file_named_twice_sees_the_bindings_at_each_place() {
    let (printed, said) = run_list(&[
        ("one.sml", "structure D = struct val x = 1 end"),
        ("two.sml", "structure D = struct val x = 2 end"),
        (
            "c.sml",
            "structure C = struct val x = 10 * D.x val () = print \"c\" end",
        ),
        ("list.mlb", "$(SML_LIB)/basis/basis.mlb l.sml"),
        ("l.sml", "val () = print \"l\" val l = 100"),
        (
            "e.sml",
            "val () = print (Int.toString (E.x + F.x + l) ^ \"\\n\")",
        ),
        (
            "main.mlb",
            "local one.sml c.sml list.mlb in structure E = C end local two.sml c.sml in structure F = C end list.mlb e.sml",
        ),
    ]);
    assert_eq!(printed, "clc130\n", "{said}");
}

#[test]
fn names_are_given_at_once() {
    let (printed, said) = run_list(&[
        (
            "a.sml",
            "structure A = struct val x = 1 end structure B = struct val x = 2 end",
        ),
        (
            "b.sml",
            "val () = print (Int.toString A.x ^ Int.toString B.x ^ \"\\n\")",
        ),
        ("main.mlb", "a.sml structure A = B and B = A b.sml"),
    ]);
    assert_eq!(printed, "21\n", "{said}");
}

#[test]
fn annotations_choose_messages() {
    let text = "fun f (SOME x) = x val v = #[1, 2] val x = 1 val {x, ...} = {x, y = 2}\n\
        val () = print (Int.toString (f (SOME (Vector.sub (v, x)))) ^ \"\\n\")";
    let run = |list: &str| run_list(&[("a.sml", text), ("b.sml", "a.sml"), ("main.mlb", list)]);
    let (printed, said) =
        run("ann \"nonexhaustiveMatch ignore\" \"allowVectorExps true\" in a.sml end");
    assert_eq!((printed.as_str(), said.as_str()), ("2\n", ""));
    let (printed, said) = run("ann \"allowFFI true, nonexhaustiveMatch error\" in a.sml end");
    assert_eq!(printed, "", "{said}");
    assert!(said.starts_with("error[W0601]"), "{said}");
    let (printed, said) =
        run("ann \"nonexhaustiveMatch ignore\" in ann \"warnMatch true\" in a.sml end end");
    assert_eq!(printed, "2\n", "{said}");
    assert!(said.starts_with("warning[W0601]"), "{said}");
    let (_, said) =
        run("ann \"nonexhaustiveMatch maybe\" \"allowOrPats true\" \"noSuch\" in a.sml end");
    for wanted in [
        "takes `ignore`, `warn` or `error`, not `maybe`",
        "`noSuch` is not known",
    ] {
        assert!(said.contains(wanted), "{said}");
    }
    assert!(!said.contains("allowOrPats"), "{said}");
}

#[test]
fn forms_that_annotations_allow() {
    let text = "(*) up to the end of the line\n\
        fun f (1 | 2) = (print \"small \";) | f _ = let in print \"other \"; end (*) :-)\n\
        do f 1; do f 3\n";
    let run = |list: &str| run_list(&[("a.sml", text), ("main.mlb", list)]);
    let (printed, said) =
        run("ann \"allowLineComments true, allowOptSemicolon true\" in a.sml end");
    assert_eq!((printed.as_str(), said.as_str()), ("small other ", ""));
    let (printed, said) = run("ann \"allowSuccessorML true\" in a.sml end");
    assert_eq!((printed.as_str(), said.as_str()), ("small other ", ""));
    let (_, said) = run("ann \"allowLineComments true\" in a.sml end");
    assert!(said.contains("expected an expression"), "{said}");
    let (_, said) =
        run("ann \"allowSuccessorML true\" in ann \"allowLineComments false\" in a.sml end end");
    assert!(
        said.contains("the comment that starts here does not end"),
        "{said}"
    );
}

#[test]
fn foreign_code_and_libraries_that_are_not_there() {
    let (_, said) = run_list(&[
        ("a.sml", "val f = _import \"sin\" : real -> real;"),
        (
            "main.mlb",
            "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/smlnj-lib/Util/smlnj-lib.mlb $(SML_LIB)/ckit/ckit.mlb a.sml",
        ),
    ]);
    assert!(
        said.contains("`_import` is for code in C, which cannot be called here"),
        "{said}"
    );
    assert!(
        said.contains("there is no library `ckit/ckit.mlb`"),
        "{said}"
    );
    assert!(
        said.contains("of the library `smlnj-lib/Util/smlnj-lib.mlb`"),
        "{said}"
    );
    assert!(!said.contains("basis/basis.mlb"), "{said}");
}

/// Programs written for MPL have a structure `Seq` of their own. So a list must name the file of a
/// library, whereas a program without a list uses a library when it mentions the library's
/// structure.
#[test]
fn libraries_of_the_compiler() {
    let program = "val () = print (Seq.toString Int.toString \" \" (Seq.sort Int.compare (Seq.fromList [2, 1])) ^ \"\\n\")";
    let (printed, said) = run_list(&[
        ("a.sml", program),
        (
            "main.mlb",
            "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/heist/seq.sml a.sml",
        ),
    ]);
    assert_eq!((printed.as_str(), said.as_str()), ("1 2\n", ""));
    // Two lists that name a library share one copy of it. A library does not export the structures
    // that it needs itself.
    let (printed, said) = run_list(&[
        (
            "a.sml",
            "structure A = struct fun hull ps = Geometry.hull (Seq.fromList ps) end",
        ),
        (
            "a.mlb",
            "$(SML_LIB)/heist/geometry.sml local $(SML_LIB)/heist/seq.sml in a.sml end",
        ),
        (
            "b.sml",
            "val () = print (Int.toString (PArray.length (A.hull [(0.0, 0.0)])) ^ \"\\n\") structure B = Seq",
        ),
        ("main.mlb", "$(SML_LIB)/heist/geometry.sml a.mlb b.sml"),
    ]);
    assert_eq!(printed, "", "{said}");
    assert!(said.contains("`Seq`"), "{said}");
    let own = "structure Seq = struct val sort = \"own\" end val () = print (Seq.sort ^ \"\\n\")";
    let (printed, said) = run_list(&[("a.sml", own), ("main.mlb", "a.sml")]);
    assert_eq!((printed.as_str(), said.as_str()), ("own\n", ""));
    let folder = tempfile::tempdir().expect("a folder");
    for (text, expected) in [(program, "1 2\n"), (own, "own\n")] {
        let file = folder.path().join("program.sml");
        fs::write(&file, text).expect("written");
        let output = heist(&["run", file.to_str().unwrap()]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}
