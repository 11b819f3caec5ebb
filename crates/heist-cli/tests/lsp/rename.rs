//! Tests of renaming.

use serde_json::{Value, json};

use crate::editor::{Editor, URI, position};

fn asked(editor: &mut Editor, text: &str, name: &str, number: usize, to: &str) -> Value {
    let params = json!({ "textDocument": { "uri": URI }, "position": position(text, name, number), "newName": to });
    editor.ask("textDocument/rename", params)
}

/// Returns the byte offset of a position.
fn byte(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = position["character"].as_u64().unwrap() as usize;
    let mut byte = start;
    for c in text[start..].chars() {
        if units == 0 {
            break;
        }
        units -= c.len_utf16();
        byte += c.len_utf8();
    }
    byte
}

/// Returns a text after the edits of an answer.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let edits = edits.as_array().unwrap_or_else(|| panic!("{edits}"));
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let text_of = edit["newText"].as_str().unwrap();
            (
                byte(text, &range["start"]),
                byte(text, &range["end"]),
                text_of,
            )
        })
        .collect();
    edits.sort();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

#[test]
fn all_places_get_the_new_name() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    for (version, (text, name, number, to, wanted)) in [
        (
            "val x = 1 val s = (\"😀\", x, \"x\") (* x *)\n",
            "x",
            1,
            "count",
            "val count = 1 val s = (\"😀\", count, \"x\") (* x *)\n",
        ),
        (
            "fun f 0 = 1 | f n = n * f (n - 1)\n",
            "f",
            2,
            "fact",
            "fun fact 0 = 1 | fact n = n * fact (n - 1)\n",
        ),
        // A variable of alternatives is in each of them.
        (
            "datatype s = C of int | Q of int fun side (C size | Q size) = size\n",
            "size",
            2,
            "length",
            "datatype s = C of int | Q of int fun side (C length | Q length) = length\n",
        ),
        // A label is not a variable.
        (
            "fun area {w, h} = w * h val r = area {w = 1, h = 2} val w = 3 val q = {w, h = 1}\n",
            "w",
            0,
            "wide",
            "fun area {w = wide, h} = wide * h val r = area {w = 1, h = 2} val w = 3 val q = {w, h = 1}\n",
        ),
        (
            "val w = 3 val q = {w, h = w}\n",
            "w",
            0,
            "wide",
            "val wide = 3 val q = {w = wide, h = wide}\n",
        ),
        // An infix operator keeps its directive.
        (
            "infix 6 ++ fun a ++ b = a + b : int val c = op ++ (1, 2) ++ 3\n",
            "++",
            1,
            "plus",
            "infix 6 plus fun a plus b = a + b : int val c = op plus (1, 2) plus 3\n",
        ),
        // A specification and the structure that matches it are renamed together.
        (
            "signature S = sig type t val v : t end structure M : S = struct type t = int val v = 1 end val z = M.v\n",
            "v :",
            0,
            "value",
            "signature S = sig type t val value : t end structure M : S = struct type t = int val value = 1 end val z = M.value\n",
        ),
        (
            "datatype t = A | B of t fun f A = B A | f (B x) = x type u = t\n",
            "A",
            2,
            "Leaf",
            "datatype t = Leaf | B of t fun f Leaf = B Leaf | f (B x) = x type u = t\n",
        ),
        (
            "structure A = struct val a = 1 end structure B = A open B val b = A.a\n",
            "A",
            0,
            "First",
            "structure First = struct val a = 1 end structure B = First open B val b = First.a\n",
        ),
        (
            "exception E of int exception F = E fun f x = (raise E x) handle F y => y\n",
            "E",
            0,
            "Bad",
            "exception Bad of int exception F = Bad fun f x = (raise Bad x) handle F y => y\n",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let version = version as i64 + 2;
        editor.change(version, text);
        let found = editor.published(URI, version);
        assert_eq!(found, json!([]), "{text}");
        let answer = asked(&mut editor, text, name, number, to);
        let edits = &answer["result"]["changes"][URI];
        assert!(edits.is_array(), "{text}: {answer}");
        assert_eq!(edited(text, edits), wanted);
    }
    editor.leave();
}

#[test]
fn names_that_would_change_the_meaning_are_refused() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    for (version, (text, name, number, to, why)) in [
        // Names of the Basis, and names that must equal a name of the Basis, are refused.
        ("val x = map not []\n", "map", 0, "each", "of the Basis"),
        ("val x = 1 = 2\n", "= 2", 0, "eq", "of the Basis"),
        (
            "structure T : MONO_ARRAY = CharArray val x = T.length\n",
            "length",
            0,
            "size",
            "of the Basis",
        ),
        // An inner binding would capture the new name.
        (
            "val x = 1 fun f y = x + y\n",
            "x",
            0,
            "y",
            "another meaning",
        ),
        // The new name would capture an outer name.
        (
            "val x = 1 fun f y = x + y\n",
            "y",
            0,
            "x",
            "another meaning",
        ),
        (
            "val x = 1 fun f y = 2 val z = x\n",
            "f y",
            0,
            "x",
            "another meaning",
        ),
        // The new name would hide a name of the Basis that is used later.
        (
            "val x = 1 val y = hd [x]\n",
            "x",
            0,
            "hd",
            "another meaning",
        ),
        // A pattern would match a constructor.
        (
            "datatype t = A | B fun f x = x\n",
            "x",
            0,
            "A",
            "another meaning",
        ),
        // Two functions of one declaration would have one name.
        (
            "fun f x = x and g y = f y\n",
            "g",
            0,
            "f",
            "another meaning",
        ),
        // The new text is not a name, or not a name of this kind.
        ("val x = 1\n", "x", 0, "val", "cannot be the name"),
        ("val x = 1\n", "x", 0, "A.b", "cannot be the name"),
        ("val x = 1\n", "x", 0, "a b", "cannot be the name"),
        ("val x = 1\n", "x", 0, "", "cannot be the name"),
        ("val x = 1\n", "x", 0, "(* *)", "cannot be the name"),
        (
            "structure A = struct end\n",
            "A",
            0,
            "++",
            "cannot be the name",
        ),
        // The position has no name that can be renamed.
        ("val x = 1\n", "=", 0, "y", "no name here"),
    ]
    .into_iter()
    .enumerate()
    {
        let version = version as i64 + 2;
        editor.change(version, text);
        editor.published(URI, version);
        let answer = asked(&mut editor, text, name, number, to);
        assert_eq!(answer["error"]["code"], -32803, "{text}: {answer}");
        let said = answer["error"]["message"].as_str().unwrap();
        assert!(said.contains(why), "{text}: {said}");
    }
    editor.leave();
}

#[test]
fn an_editor_learns_first_what_can_be_renamed() {
    let mut editor = Editor::introduced(Value::Null);
    let text = "val long = rev []\n";
    editor.open(URI, text);
    let params =
        |name| json!({ "textDocument": { "uri": URI }, "position": position(text, name, 0) });
    let answer = editor.ask("textDocument/prepareRename", params("long"));
    assert_eq!(answer["result"]["placeholder"], "long", "{answer}");
    assert_eq!(answer["result"]["range"]["end"]["character"], 8);
    let answer = editor.ask("textDocument/prepareRename", params("rev"));
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    editor.leave();
}
