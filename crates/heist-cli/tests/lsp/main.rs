//! Tests of `heist lsp`, in sessions with an editor over pipes.

#[path = "../common/mod.rs"]
mod common;
mod completion;
mod editor;
mod lists;
mod names;
mod rename;
mod symbols;

use serde_json::{Value, json};

use editor::{Editor, URI, range};

#[test]
fn a_session() {
    let mut editor = Editor::introduced(Value::Null);
    // The emoji is one character of two units.
    let wrong = "fun double x = x + x\nval s = (\"😀\", double \"1\")\n";
    let found = editor.open(URI, wrong);
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["code"], "E0302", "{found}");
    assert_eq!(found[0]["severity"], 1, "{found}");
    assert_eq!(found[0]["source"], "heist", "{found}");
    assert_eq!(found[0]["range"]["start"]["line"], 1, "{found}");
    let start = found[0]["range"]["start"]["character"].as_u64().unwrap();
    assert!((15..=22).contains(&start), "{found}");

    let right = "fun  double x = x + x\nval s = (\"😀\", double 1)\nfun id z = z\n";
    editor.change(2, right);
    assert_eq!(editor.published(URI, 2), json!([]));

    let hover = editor.ask("textDocument/hover", Editor::at(1, 16));
    let hover = &hover["result"];
    assert_eq!(
        hover["contents"]["value"],
        "```sml\ndouble : int -> int\n```"
    );
    assert_eq!(hover["range"], range(1, 15, 21));
    let hover = editor.ask("textDocument/hover", Editor::at(2, 5));
    assert_eq!(
        hover["result"]["contents"]["value"],
        "```sml\nid : 'a -> 'a\n```"
    );
    let nothing = editor.ask("textDocument/hover", Editor::at(1, 1));
    assert_eq!(nothing["result"], Value::Null);

    let definition = editor.ask("textDocument/definition", Editor::at(1, 16));
    assert_eq!(
        definition["result"],
        json!({ "uri": URI, "range": range(0, 5, 11) })
    );
    // `+` belongs to the Basis, so it has no definition in the document.
    let definition = editor.ask("textDocument/definition", Editor::at(0, 18));
    assert_eq!(definition["result"], Value::Null);

    let edits = editor.format();
    assert_eq!(
        edits[0]["newText"],
        right.replace("fun  double", "fun double")
    );
    assert_eq!(
        edits[0]["range"],
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 3, "character": 0 } })
    );
    editor.leave();
}

#[test]
fn the_newest_of_queued_changes_is_looked_at() {
    let mut editor = Editor::introduced(Value::Null);
    assert_eq!(editor.open(URI, "val x = 1"), json!([]));
    for version in 2..10 {
        editor.change(version, "val x = y");
    }
    // The server answers a request about the newest text, which it checks first.
    editor.change(10, "val longer = true");
    editor.send(&json!({
        "jsonrpc": "2.0", "id": 77, "method": "textDocument/hover", "params": Editor::at(0, 5)
    }));
    let mut last = Value::Null;
    let answer = loop {
        let message = editor.receive();
        if message["id"] == 77 {
            break message;
        }
        last = message;
    };
    assert_eq!(last["params"]["version"], 10, "{last}");
    assert_eq!(last["params"]["diagnostics"], json!([]));
    assert_eq!(
        answer["result"]["contents"]["value"],
        "```sml\nlonger : bool\n```"
    );
    editor.leave();
}

#[test]
fn errors_leave_the_layout_and_closing_leaves_no_errors() {
    let mut editor = Editor::introduced(Value::Null);
    let found = editor.open(URI, "val x = (1,\n");
    assert_eq!(found[0]["severity"], 1, "{found}");
    assert_eq!(editor.format(), Value::Null);
    editor.change(2, "val x = 1\nfun f 0 = x\n");
    let found = editor.published(URI, 2);
    assert_eq!(found[0]["code"], "W0601", "{found}");
    assert_eq!(found[0]["severity"], 2, "{found}");
    assert_eq!(editor.format(), json!([]));
    editor.tell(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    let message = editor.receive();
    assert_eq!(message["params"]["diagnostics"], json!([]), "{message}");
    let nothing = editor.ask("textDocument/hover", Editor::at(0, 5));
    assert_eq!(nothing["result"], Value::Null);
    editor.leave();
}

#[test]
fn dialects_go_by_names_and_options() {
    let text = "val x = [| i | i in [| 1, 2 |] |] ! 1\n";
    let mut editor = Editor::introduced(Value::Null);
    assert_eq!(editor.open("file:///nowhere/x.pml", text), json!([]));
    assert_ne!(editor.open("file:///nowhere/x.sml", text), json!([]));
    editor.leave();

    let mut editor = Editor::introduced(json!({ "dialect": "manticore" }));
    let older =
        "val _ = Print.print (itos 1)\nval s = PArray.reduce (fn (a, b) => a + b, 0, [| 1 |])\n";
    assert_eq!(editor.open(URI, older), json!([]));
    let hover = editor.ask("textDocument/hover", Editor::at(1, 4));
    assert_eq!(hover["result"]["contents"]["value"], "```sml\ns : int\n```");
    editor.leave();

    let mut editor = Editor::start(&[]);
    let answer = editor.ask(
        "initialize",
        json!({ "capabilities": {}, "initializationOptions": { "dialect": "haskell" } }),
    );
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end().0, Some(1));
}

#[test]
fn what_is_out_of_order_is_refused() {
    let mut editor = Editor::start(&[]);
    let early = editor.ask("textDocument/hover", Editor::at(0, 0));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    drop(editor);

    let mut editor = Editor::introduced(Value::Null);
    let again = editor.ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(again["error"]["code"], -32600, "{again}");
    let unknown = editor.ask("textDocument/dance", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let wrong = editor.ask("textDocument/hover", json!({ "position": 3 }));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    // The editor sends `exit` without `shutdown` before it.
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end().0, Some(1));
}

#[test]
fn what_is_no_message_is_answered() {
    let mut editor = Editor::introduced(Value::Null);
    editor.send_bytes(b"Content-Length: 5\r\n\r\n{no}}");
    let answer = editor.receive();
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    assert_eq!(answer["id"], Value::Null, "{answer}");
    editor.send(&json!({ "jsonrpc": "2.0", "id": "a", "method": 3 }));
    let answer = editor.receive();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(answer["id"], "a", "{answer}");
    editor.leave();
}

#[test]
fn what_has_no_length_ends_the_session() {
    for bytes in [
        &b"Content-Length: many\r\n\r\n{}"[..],
        b"Content-Length: 99999999999999\r\n\r\n{}",
        b"Content-Type: json\r\n\r\n{}",
    ] {
        let mut editor = Editor::introduced(Value::Null);
        editor.send_bytes(bytes);
        let (code, said) = editor.end();
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.starts_with("heist: the messages of the protocol"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }

    let (code, said) = Editor::introduced(Value::Null).end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("without the notification `exit`"), "{said}");
}
