//! Tests of programs of several files.

use std::path::Path;

use serde_json::{Value, json};

use crate::editor::{Editor, position};
use crate::rename::edited;

const STACK: &str = "structure Stack = struct\n  val empty = []\n  fun push (x, s) = x :: s\nend\n";
const MAIN: &str = "val s = (\"😀\", Stack.push (1, Stack.empty))\nval t = helper 1\n";
const HELPER: &str = "fun helper x = x + 1\n";

fn written(folder: &Path) {
    std::fs::create_dir(folder.join("lib")).unwrap();
    for (name, text) in [
        ("lib/stack.sml", STACK),
        (
            "lib/lib.mlb",
            "local helper.sml in stack.sml end\nhelper.sml\n",
        ),
        ("lib/helper.sml", HELPER),
        ("main.sml", MAIN),
        (
            "all.mlb",
            "$(SML_LIB)/basis/basis.mlb\nlib/lib.mlb\nmain.sml\n",
        ),
        ("alone.sml", "val x = helper 1\n"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// Starts an editor on a new folder. Also returns the folder, and a function that returns the URI of a file in the folder.
fn started(options: Value) -> (Editor, tempfile::TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let root = format!("file://{}", folder.path().canonicalize().unwrap().display());
    let editor = Editor::introduced_in(Some(&root), options);
    (editor, folder, move |name: &str| format!("{root}/{name}"))
}

fn at(uri: &str, text: &str, name: &str, number: usize) -> Value {
    json!({
        "textDocument": { "uri": uri }, "position": position(text, name, number),
        "context": { "includeDeclaration": true }
    })
}

#[test]
fn files_of_a_list_are_one_program() {
    let (mut editor, _folder, uri) = started(Value::Null);
    let (main, stack) = (uri("main.sml"), uri("lib/stack.sml"));
    assert_eq!(editor.open(&main, MAIN), json!([]));
    // A file that no list names is a program of its own.
    assert_eq!(
        editor.open(&uri("alone.sml"), "val x = helper 1\n")[0]["code"],
        "E0311"
    );
    let answer = editor.ask("textDocument/definition", at(&main, MAIN, "push", 0));
    assert_eq!(answer["result"]["uri"], stack, "{answer}");
    assert_eq!(
        answer["result"]["range"]["start"],
        json!({ "line": 2, "character": 6 })
    );
    let answer = editor.ask("textDocument/hover", at(&main, MAIN, "helper", 0));
    assert_eq!(
        answer["result"]["contents"]["value"],
        "```sml\nhelper : int -> int\n```"
    );
    let answer = editor.ask("textDocument/references", at(&main, MAIN, "Stack", 1));
    let found = answer["result"].as_array().unwrap();
    let places: Vec<(&Value, &Value)> = found
        .iter()
        .map(|it| (&it["uri"], &it["range"]["start"]["line"]))
        .collect();
    let (here, there) = (json!(main), json!(stack));
    let (zero, wanted) = (json!(0), 3);
    assert_eq!(places, [(&there, &zero), (&here, &zero), (&here, &zero)]);
    assert_eq!(found.len(), wanted);
    // The server also finds files that are not open.
    let answer = editor.ask("workspace/symbol", json!({ "query": "push" }));
    assert_eq!(answer["result"][0]["location"]["uri"], stack, "{answer}");
    // Completion also knows these files.
    let text = "val x = Stack.pu\n";
    let change = json!({ "textDocument": { "uri": main, "version": 2 }, "contentChanges": [{ "text": text }] });
    editor.tell("textDocument/didChange", change);
    let asked =
        json!({ "textDocument": { "uri": main }, "position": { "line": 0, "character": 16 } });
    let answer = editor.ask_through("textDocument/completion", asked);
    assert_eq!(answer["result"][0]["label"], "push", "{answer}");
    assert_eq!(
        answer["result"][0]["detail"], "'a * 'a list -> 'a list",
        "{answer}"
    );
    editor.shut();
}

/// A file that a list names follows MLton: the types of an `abstype` keep their equality. Any other file follows the Definition.
#[test]
fn types_of_an_abstype_keep_their_equality_in_lists() {
    let text = "abstype t = T with val t = T end\nval same = t = t\n";
    let (mut editor, _folder, uri) = started(Value::Null);
    assert_eq!(editor.open(&uri("main.sml"), text), json!([]));
    assert_eq!(editor.open(&uri("alone.sml"), text)[0]["code"], "E0308");
    editor.shut();
}

#[test]
fn renaming_changes_all_files() {
    let (mut editor, _folder, uri) = started(Value::Null);
    let (main, stack) = (uri("main.sml"), uri("lib/stack.sml"));
    editor.open(&main, MAIN);
    let mut params = at(&main, MAIN, "push", 0);
    params["newName"] = json!("add");
    let answer = editor.ask("textDocument/rename", params.clone());
    let changes = &answer["result"]["changes"];
    assert_eq!(edited(MAIN, &changes[&main]), MAIN.replace("push", "add"));
    assert_eq!(
        edited(STACK, &changes[&stack]),
        STACK.replace("push", "add")
    );
    assert_eq!(changes.as_object().unwrap().len(), 2, "{answer}");
    params["newName"] = json!("empty");
    let answer = editor.ask("textDocument/rename", params);
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    editor.leave();
}

#[test]
fn errors_go_to_the_files_that_have_them() {
    let (mut editor, _folder, uri) = started(json!({ "list": "all.mlb" }));
    let (main, stack) = (uri("main.sml"), uri("lib/stack.sml"));
    assert_eq!(editor.open(&main, MAIN), json!([]));
    // The server uses the editor's text of an open document.
    let wrong = STACK.replace("push", "pull");
    let document = json!({ "uri": stack, "languageId": "sml", "version": 1, "text": wrong });
    editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
    let mut found = [editor.receive(), editor.receive()];
    found.sort_by_key(|message| message["params"]["uri"] == json!(main));
    assert_eq!(found[0]["params"]["diagnostics"], json!([]), "{}", found[0]);
    assert_eq!(found[1]["params"]["uri"], json!(main), "{}", found[1]);
    let errors = &found[1]["params"]["diagnostics"];
    assert_eq!(errors[0]["code"], "E0311", "{errors}");
    assert_eq!(
        errors[0]["range"]["start"],
        json!({ "line": 0, "character": 15 }),
        "{errors}"
    );
    // When the document is closed, the server uses the file again.
    editor.tell(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": stack } }),
    );
    let closed = editor.receive();
    assert_eq!(closed["params"]["uri"], json!(stack), "{closed}");
    let again = editor.receive();
    assert_eq!(again["params"]["diagnostics"], json!([]), "{again}");
    editor.leave();
}

#[test]
fn a_list_that_cannot_be_used_is_told() {
    let (mut editor, folder, uri) = started(Value::Null);
    let main = uri("main.sml");
    std::fs::remove_file(folder.path().join("lib/helper.sml")).unwrap();
    let found = editor.open(&main, "val x = 1\n");
    let said = found[0]["message"].as_str().unwrap();
    assert!(
        said.starts_with("this file was looked at alone: cannot read"),
        "{said}"
    );
    assert_eq!(found[0]["severity"], 2);
    // When the file exists again, and the editor reports it, the error disappears.
    std::fs::write(folder.path().join("lib/helper.sml"), HELPER).unwrap();
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(editor.published(&main, 1), json!([]));
    editor.leave();
}
