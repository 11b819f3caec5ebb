//! Tests of completion, and of help with arguments.

use serde_json::{Value, json};

use crate::editor::{Editor, URI, cursor, position, range};

/// Returns the completions at the `¦` of a text, as pairs of a name and its detail.
fn offered(editor: &mut Editor, version: i64, text: &str) -> Vec<(String, String)> {
    let (text, at) = cursor(text);
    editor.change(version, &text);
    let answer = complete(editor, &at);
    let items = answer.as_array().unwrap_or_else(|| panic!("{answer}"));
    items
        .iter()
        .map(|item| {
            let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
            (text("label"), text("detail"))
        })
        .collect()
}

/// Returns the answer to a completion request, and skips diagnostics before it.
fn complete(editor: &mut Editor, at: &Value) -> Value {
    let params = json!({ "textDocument": { "uri": URI }, "position": at });
    editor.ask_through("textDocument/completion", params)["result"].clone()
}

fn has(found: &[(String, String)], name: &str, detail: &str) -> bool {
    found.contains(&(name.to_owned(), detail.to_owned()))
}

fn names(found: &[(String, String)]) -> Vec<&str> {
    found.iter().map(|item| item.0.as_str()).collect()
}

#[test]
fn names_in_scope_are_offered_with_their_types() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    let found = offered(
        &mut editor,
        2,
        "fun fourth (a, b, c, d) = d + 1\nval forty = 40\nval x = fo¦\nval forest = 3\n",
    );
    assert_eq!(
        found[..2],
        [
            ("forty".to_owned(), "int".to_owned()),
            ("fourth".to_owned(), "'a * 'b * 'c * int -> int".to_owned())
        ],
        "{found:?}"
    );
    // Names of the Basis come after the program's names, and names that are declared after the
    // cursor are not offered.
    assert!(
        has(&found, "foldl", "('a * 'b -> 'b) -> 'b -> 'a list -> 'b"),
        "{found:?}"
    );
    assert!(!names(&found).contains(&"forest"), "{found:?}");
    assert!(!names(&found).contains(&"map"), "{found:?}");
    // Local names are offered, with types that are inferred from the rest of the text.
    let found = offered(
        &mut editor,
        3,
        "fun f value = let val vector = [value, 1] in va¦ end\n",
    );
    assert!(has(&found, "value", "int"), "{found:?}");
    let found = offered(
        &mut editor,
        4,
        "fun f xs = let val vary = hd xs ^ \"\" in (va¦; xs) end\n",
    );
    assert!(has(&found, "vary", "string"), "{found:?}");
    editor.shut();
}

#[test]
fn members_of_structures_are_offered() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    let found = offered(&mut editor, 2, "val x = List.¦\nval y = 2\n");
    assert!(has(&found, "nth", "'a list * int -> 'a"), "{found:?}");
    assert!(!names(&found).contains(&"val"), "{found:?}");
    assert!(!names(&found).contains(&"implode"), "{found:?}");
    let own = "structure A = struct structure B = struct datatype t = Red | Green of int val green = 1 end end\n";
    let found = offered(&mut editor, 3, &format!("{own}val x = A.¦"));
    assert_eq!(names(&found), ["B"]);
    let found = offered(&mut editor, 4, &format!("{own}val x = A.B.gr¦"));
    assert_eq!(names(&found), ["Green", "green"]);
    assert!(has(&found, "Green", "int -> A.B.t"), "{found:?}");
    let found = offered(&mut editor, 5, &format!("{own}type u = A.B.¦"));
    assert!(
        has(&found, "t", "datatype t = Red | Green of int"),
        "{found:?}"
    );
    assert_eq!(found.len(), 1, "{found:?}");
    // In patterns, only constructors are offered.
    let found = offered(&mut editor, 6, &format!("{own}open A.B\nfun f gr¦ = 1\n"));
    assert!(names(&found).contains(&"Green"), "{found:?}");
    assert!(!names(&found).contains(&"green"), "{found:?}");
    editor.shut();
}

#[test]
fn labels_and_reserved_words_are_offered() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    let point = "val p = {width = 1, height = \"a\"}\n";
    let found = offered(&mut editor, 2, &format!("{point}val x = #¦ p\n"));
    let wanted = [("height", "string"), ("width", "int")];
    let wanted = wanted.map(|it| (it.0.to_owned(), it.1.to_owned()));
    assert_eq!(found, wanted);
    let found = offered(
        &mut editor,
        3,
        &format!("{point}val {{width, he¦, ...}} = p\n"),
    );
    assert_eq!(names(&found), ["height"]);
    // If the type of the record is unknown, the labels in the file are offered.
    let found = offered(&mut editor, 4, &format!("{point}val x = #wi¦"));
    assert_eq!(names(&found), ["width"]);
    let found = offered(&mut editor, 5, "val x = dat¦");
    assert!(names(&found).contains(&"datatype"), "{found:?}");
    assert!(!names(&found).contains(&"pval"), "{found:?}");
    editor.shut();
}

#[test]
fn completion_works_while_the_text_does_not_parse() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    for (text, ty) in [
        ("fun f count = let val counter = count + 1 in cou¦", "int"),
        ("fun f count = case count of\n    0 => cou¦\n  | ", "int"),
        ("fun f count = if cou¦ then\nval y = 1\n", "'a"),
        ("fun f count = (1 + count, cou¦\nval y = 1\n", "int"),
        ("fun f count =\n  cou¦\nfun g (x = y\n", "'a"),
        (
            "structure A = struct fun f count = (fn \"a\" => count | b => cou¦",
            "'a",
        ),
        (
            "fun f count = let fun g 0 = count ^ \"\" | g n = cou¦\nval z = [",
            "string",
        ),
    ] {
        let found = offered(&mut editor, 2, text);
        assert!(has(&found, "count", ty), "{text}: {found:?}");
    }
    // In comments and strings, no names are offered.
    for text in ["(* cou¦ *)", "val s = \"cou¦\"", "val n = 12¦"] {
        assert_eq!(offered(&mut editor, 3, text), [], "{text}");
    }
    editor.shut();
}

#[test]
fn completion_replaces_the_word_behind_a_character_of_two_units() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    let (text, at) = cursor("val forty = 1 val s = (\"😀\", for¦)\n");
    editor.change(2, &text);
    let found = complete(&mut editor, &at);
    let item = &found.as_array().unwrap()[0];
    assert_eq!(item["textEdit"]["newText"], "forty", "{item}");
    assert_eq!(item["textEdit"]["range"], range(0, 29, 32), "{item}");
    editor.shut();
}

/// Returns the labels of the signatures, and the text of the first signature's active parameter.
fn help(editor: &mut Editor, version: i64, text: &str) -> (Vec<String>, String) {
    let (text, at) = cursor(text);
    editor.change(version, &text);
    let params = json!({ "textDocument": { "uri": URI }, "position": at });
    let answer = editor.ask_through("textDocument/signatureHelp", params)["result"].clone();
    let Some(signatures) = answer["signatures"].as_array() else {
        return (Vec::new(), String::new());
    };
    let labels: Vec<String> = signatures
        .iter()
        .map(|it| it["label"].as_str().unwrap().to_owned())
        .collect();
    let active = answer["activeParameter"].as_u64().unwrap() as usize;
    let ends = &signatures[0]["parameters"][active]["label"];
    let units: Vec<u16> = labels[0].encode_utf16().collect();
    let end = |at: usize| ends[at].as_u64().unwrap() as usize;
    let parameter = String::from_utf16(&units[end(0)..end(1)]).unwrap();
    (labels, parameter)
}

#[test]
fn arguments_are_explained() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "");
    let own = "fun area (width, height) scale = width * height * scale\n";
    let label = "area (width, height) scale : int * int -> int -> int";
    for (call, parameter) in [
        ("area (¦", "width"),
        ("area (1, ¦", "height"),
        ("area (1, 2¦)", "height"),
        ("area (1, 2) ¦", "scale"),
        ("area (1, 2) (1 + ¦)", "scale"),
        ("area ¦", "width"),
        ("area (Int.maxI¦nt, 2)", "width"),
        ("area (In¦t.maxInt, 2)", "width"),
        ("area (1, \"a b¦\")", "height"),
    ] {
        let found = help(&mut editor, 2, &format!("{own}val x = {call}\nval y = 1\n"));
        assert_eq!(
            found,
            (vec![label.to_owned()], parameter.to_owned()),
            "{call}"
        );
    }
    // For a function of the Basis, the help is its type at this use.
    let found = help(&mut editor, 3, "val x = List.map Int.toString ¦\n");
    assert_eq!(
        found.0,
        ["map : (int -> string) -> int list -> string list"]
    );
    assert_eq!(found.1, "int list");
    let found = help(&mut editor, 4, "val x = String.substring (\"😀\", ¦)\n");
    assert_eq!(found.0, ["substring : string * int * int -> string"]);
    assert_eq!(found.1, "int");
    // The help has one signature for each clause.
    let own = "fun len [] = 0\n  | len (x :: xs) = 1 + len xs\n";
    let found = help(&mut editor, 5, &format!("{own}val x = len ¦"));
    assert_eq!(
        found.0,
        [
            "len [] : '_a list -> int",
            "len (x :: xs) : '_a list -> int"
        ]
    );
    // The help is for the innermost call.
    let found = help(&mut editor, 6, "val x = Int.max (1, Int.abs ¦)");
    assert_eq!(found.0, ["abs : int -> int"]);
    // There is no help outside of a call, or after the last argument.
    for text in ["val x = ¦", "val x = not true ¦", "(* not ¦ *)"] {
        assert_eq!(help(&mut editor, 7, text).0.len(), 0, "{text}");
    }
    editor.shut();
}

#[test]
fn places_that_do_not_exist_are_refused() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, "val x = 1\n");
    for method in [
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "prepareRename",
        "rename",
        "completion",
        "signatureHelp",
    ] {
        let method = format!("textDocument/{method}");
        let mut params = json!({
            "textDocument": { "uri": URI }, "position": { "line": 2, "character": 0 },
            "context": { "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false }, "newName": "y"
        });
        let answer = editor.ask(&method, params.clone());
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        for wrong in [
            json!({ "line": -1, "character": 0 }),
            json!({ "line": 0, "character": 4_294_967_296_u64 }),
            json!({ "line": 0.5, "character": 0 }),
            json!([]),
            Value::Null,
        ] {
            params["position"] = wrong;
            let answer = editor.ask(&method, params.clone());
            assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        }
        // According to the protocol, a position after the end of a line means its end. A position
        // in the middle of a character means its beginning.
        params["position"] = json!({ "line": 0, "character": 99 });
        let answer = editor.ask(&method, params.clone());
        assert_ne!(answer["error"]["code"], -32602, "{method}: {answer}");
    }
    // A document that is not open has no answers.
    let elsewhere = json!({ "textDocument": { "uri": "file:///nowhere/c.sml" }, "position": position("x", "x", 0) });
    let answer = editor.ask("textDocument/completion", elsewhere);
    assert_eq!(answer["result"], json!([]), "{answer}");
    editor.leave();
}
