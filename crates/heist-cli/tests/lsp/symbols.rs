//! Tests of the symbols of documents and of the workspace.

use serde_json::{Value, json};

use crate::editor::{Editor, URI, range};

/// Appends a tree of symbols to `into`, as lines.
fn tree(symbols: &Value, depth: usize, into: &mut Vec<String>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let text = |key: &str| symbol[key].as_str().unwrap_or_default();
        let line = format!("{}{} {}", "  ".repeat(depth), symbol["kind"], text("name"));
        let detail = text("detail");
        into.push(if detail.is_empty() {
            line
        } else {
            format!("{line} : {detail}")
        });
        tree(&symbol["children"], depth + 1, into);
    }
}

const TEXT: &str = "\
(* 😀 *) val (one, SOME two) = (1, SOME \"b\")
fun f 0 = 1
  | f n = n and g x = x
datatype t = A of int | B and u = C type v = t
exception Bad of string
signature S = sig type w val x : int -> int structure Inner : sig val y : int end end
structure M : S = struct type w = int fun x n = n structure Inner = struct val y = 1 end end
functor F (A : S) = struct local val hidden = 1 in val shown = fn z => A.x z end end
val _ = one
";

#[test]
fn declarations_form_a_tree() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, TEXT);
    let params = json!({ "textDocument": { "uri": URI } });
    let answer = editor.ask("textDocument/documentSymbol", params.clone());
    let mut lines = Vec::new();
    tree(&answer["result"], 0, &mut lines);
    assert_eq!(
        lines,
        [
            "13 one : int",
            "13 two : string",
            "12 f : int -> int",
            "12 g : 'a -> 'a",
            "10 t",
            "  22 A : int -> t",
            "  22 B : t",
            "10 u",
            "  22 C : u",
            "5 v",
            "24 Bad : string -> exn",
            "11 S",
            "  5 w",
            "  12 x : int -> int",
            "  2 Inner",
            "    13 y : int",
            "2 M",
            "  5 w",
            "  12 x : 'a -> 'a",
            "  2 Inner",
            "    13 y : int",
            "2 F",
            "  13 hidden : int",
            "  12 shown : int -> int",
        ]
    );
    let symbols = &answer["result"];
    assert_eq!(symbols[0]["selectionRange"], range(0, 14, 17));
    assert_eq!(
        symbols[2]["range"],
        json!({ "start": { "line": 1, "character": 4 }, "end": { "line": 2, "character": 11 } })
    );
    // While the text does not parse as a whole, the symbols of the parts that parse are returned.
    editor.change(2, "fun before x = x\nval y = (1,\nfun after x = x\n");
    editor.published(URI, 2);
    let answer = editor.ask("textDocument/documentSymbol", params);
    let mut lines = Vec::new();
    tree(&answer["result"], 0, &mut lines);
    assert!(
        lines.contains(&"12 before : 'a -> 'a".to_owned()),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"12 after : 'a -> 'a".to_owned()),
        "{lines:?}"
    );
    editor.leave();
}

#[test]
fn symbols_of_all_documents_are_searched() {
    let mut editor = Editor::introduced(Value::Null);
    editor.open(URI, TEXT);
    let other = "file:///nowhere/other.sml";
    editor.open(
        other,
        "structure Tree = struct fun insert x = x end\nval insertAll = 1\n",
    );
    let mut search = |query: &str| {
        let answer = editor.ask("workspace/symbol", json!({ "query": query }));
        let found = answer["result"].as_array().unwrap().clone();
        found
            .iter()
            .map(|it| {
                let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
                let line = it["location"]["range"]["start"]["line"].as_u64().unwrap();
                let place = text(&it["location"]["uri"]);
                (text(&it["name"]), text(&it["containerName"]), place, line)
            })
            .collect::<Vec<_>>()
    };
    let entry = |name: &str, container: &str, uri: &str, line| {
        (name.to_owned(), container.to_owned(), uri.to_owned(), line)
    };
    assert_eq!(
        search("INSERT"),
        [
            entry("insert", "Tree", other, 0),
            entry("insertAll", "", other, 1)
        ]
    );
    assert_eq!(search("hidden"), [entry("hidden", "F", URI, 7)]);
    assert_eq!(search("nothing like it"), []);
    assert_eq!(search("").len(), 27);
    editor.leave();
}
