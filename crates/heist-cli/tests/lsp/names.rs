//! Tests of types, bindings and uses of names.

use serde_json::{Value, json};

use crate::editor::{Editor, URI, position, range};

/// Returns the answer to a request about an occurrence of a name.
pub(crate) fn about(
    editor: &mut Editor,
    method: &str,
    text: &str,
    name: &str,
    number: usize,
) -> Value {
    let params = json!({
        "textDocument": { "uri": URI }, "position": position(text, name, number),
        "context": { "includeDeclaration": true }
    });
    editor.ask(&format!("textDocument/{method}"), params)["result"].clone()
}

/// Returns the lines and characters at which the locations of an answer begin.
fn starts(answer: &Value) -> Vec<(u64, u64)> {
    let all = answer.as_array().unwrap_or_else(|| panic!("{answer}"));
    all.iter()
        .map(|it| {
            let start = &it["range"]["start"];
            let number = |key: &str| start[key].as_u64().unwrap();
            (number("line"), number("character"))
        })
        .collect()
}

const SHAPES: &str = "\
signature SHAPE = sig type t val make : int -> t end
structure Square :> SHAPE = struct
  type t = int
  fun make 0 = 1
    | make side = side
end
functor Twice (Shape : SHAPE) = struct val both = (Shape.make 1, Shape.make 2) end
structure Both = Twice (Square)
val it : Square.t = #1 Both.both
datatype colour = Red | Green
fun next Red = Green
  | next Green = Red
val s = (\"😀\", next Red) val make = next
";

#[test]
fn names_of_all_kinds_are_explained() {
    let mut editor = Editor::introduced(Value::Null);
    assert_eq!(editor.open(URI, SHAPES), json!([]));
    for (name, number, text) in [
        ("colour", 0, "datatype colour = Red | Green"),
        ("Green", 1, "Green : colour"),
        ("next", 2, "next : colour -> colour"),
        ("Twice", 1, "functor Twice"),
        (
            "SHAPE",
            2,
            "signature SHAPE = sig\n  type t\n  val make : int -> t\nend",
        ),
        (
            "Both",
            1,
            "structure Both : sig\n  val both : Square.t * Square.t\nend",
        ),
    ] {
        let found = about(&mut editor, "hover", SHAPES, name, number);
        let text = format!("```sml\n{text}\n```");
        assert_eq!(found["contents"]["value"], text, "{name}");
    }
    // The hover shows only a part of a structure of the Basis.
    let text = "val x = Real.floor 1.5\n";
    editor.change(2, text);
    editor.published(URI, 2);
    let found = about(&mut editor, "hover", text, "Real", 0);
    let shown = found["contents"]["value"].as_str().unwrap();
    assert!(
        shown.contains("structure Real : sig\n") && shown.contains("\n  ..."),
        "{shown}"
    );
    editor.leave();
}

#[test]
fn definitions_of_all_kinds_are_found() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, SHAPES);
    for (name, number, place) in [
        ("SHAPE", 1, range(0, 10, 15)),
        ("SHAPE", 2, range(0, 10, 15)),
        ("Square", 1, range(1, 10, 16)),
        ("Twice", 1, range(6, 8, 13)),
        ("Shape.", 1, range(6, 15, 20)),
        ("Red", 1, range(9, 18, 21)),
        // The name in the second clause of a function.
        ("next", 1, range(10, 4, 8)),
        ("next", 2, range(10, 4, 8)),
    ] {
        let found = about(&mut editor, "definition", SHAPES, name, number);
        assert_eq!(
            found,
            json!({ "uri": URI, "range": place }),
            "{name} {number}"
        );
    }
    editor.leave();
}

#[test]
fn all_uses_are_found() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, SHAPES);
    // The answer has the specification, the clauses of the function, and uses through the functor's
    // parameter, but not the last value.
    let wanted = [(0, 33), (3, 6), (4, 6), (6, 57), (6, 71)];
    for number in 0..5 {
        let found = about(&mut editor, "references", SHAPES, "make", number);
        assert_eq!(starts(&found), wanted, "{number}");
    }
    let found = about(&mut editor, "references", SHAPES, "make", 5);
    assert_eq!(starts(&found), [(12, 29)]);
    let found = about(&mut editor, "references", SHAPES, "Red", 3);
    assert_eq!(starts(&found), [(9, 18), (10, 9), (11, 17), (12, 20)]);
    // The request excludes the bindings.
    let params = json!({
        "textDocument": { "uri": URI }, "position": position(SHAPES, "Red", 0),
        "context": { "includeDeclaration": false }
    });
    let found = editor.ask("textDocument/references", params)["result"].clone();
    assert_eq!(starts(&found), [(10, 9), (11, 17), (12, 20)]);
    // The answer has the type in the signature, in the structure and in the annotation.
    let found = about(&mut editor, "references", SHAPES, "t val", 0);
    assert_eq!(starts(&found), [(0, 27), (0, 47), (2, 7), (8, 16)]);
    let found = about(&mut editor, "documentHighlight", SHAPES, "next", 2);
    let kinds: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["kind"])
        .collect();
    assert_eq!(starts(&found), [(10, 4), (11, 4), (12, 15), (12, 36)]);
    assert_eq!(kinds, [3, 2, 2, 2]);
    editor.leave();
}

#[test]
fn names_that_are_bound_anew_are_other_names() {
    let mut editor = Editor::introduced(Value::Null);
    let text = "val x = 1\nfun f x = let val x = x + 1 in x end\nval y = x + f x\n";
    editor.open(URI, text);
    for (number, wanted) in [
        (0, vec![(0, 4), (2, 8), (2, 14)]),
        (1, vec![(1, 6), (1, 22)]),
        (2, vec![(1, 18), (1, 31)]),
    ] {
        let found = about(&mut editor, "references", text, "x", number);
        assert_eq!(starts(&found), wanted, "{number}");
    }
    // For a name of the Basis, the answer has the uses.
    let found = about(&mut editor, "references", text, "+", 0);
    assert_eq!(starts(&found), [(1, 24), (2, 10)]);
    editor.leave();
}
