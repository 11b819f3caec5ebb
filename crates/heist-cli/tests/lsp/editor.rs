//! The editor's side of a session with the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::common::piped;

/// The editor's side.
pub(crate) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: i64,
}

pub(crate) const URI: &str = "file:///nowhere/a%20b.sml";

impl Editor {
    pub(crate) fn start(words: &[&str]) -> Editor {
        let mut child = piped(&[&["lsp"], words].concat());
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Editor {
            child,
            input,
            output,
            requests: 0,
        }
    }

    /// Returns an editor that has already initialised the session.
    pub(crate) fn introduced(options: Value) -> Editor {
        Editor::introduced_in(None, options)
    }

    /// Returns an editor that shows a folder and has initialised the session.
    pub(crate) fn introduced_in(folder: Option<&str>, options: Value) -> Editor {
        let mut editor = Editor::start(&["--stdio"]);
        let answer = editor.ask(
            "initialize",
            json!({ "capabilities": {}, "rootUri": folder, "initializationOptions": options }),
        );
        let capabilities = &answer["result"]["capabilities"];
        for able in [
            "hoverProvider",
            "definitionProvider",
            "referencesProvider",
            "documentHighlightProvider",
            "documentSymbolProvider",
            "workspaceSymbolProvider",
            "documentFormattingProvider",
        ] {
            assert_eq!(capabilities[able], true, "{answer}");
        }
        assert_eq!(capabilities["textDocumentSync"]["change"], 1, "{answer}");
        assert_eq!(capabilities["renameProvider"]["prepareProvider"], true);
        for able in ["completionProvider", "signatureHelpProvider"] {
            assert!(
                capabilities[able]["triggerCharacters"].is_array(),
                "{answer}"
            );
        }
        editor.tell("initialized", json!({}));
        editor
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.send_bytes(framed.as_bytes());
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "the server ended"
            );
            if line == "\r\n" {
                break;
            }
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = number.trim().parse().unwrap();
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// Sends a request, and returns the answer. The answer must be the server's next message.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Sends a request, and returns the answer. The server may send diagnostics before the answer.
    pub(crate) fn ask_through(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            assert_eq!(message["method"], "textDocument/publishDiagnostics");
        }
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) -> Value {
        let document = json!({ "uri": uri, "languageId": "sml", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.published(uri, 1)
    }

    pub(crate) fn change(&mut self, version: i64, text: &str) {
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [{ "text": text }] }),
        );
    }

    /// Returns the diagnostics of the server's next message. The message must be for the given version of the document.
    pub(crate) fn published(&mut self, uri: &str, version: i64) -> Value {
        let message = self.receive();
        assert_eq!(
            message["method"], "textDocument/publishDiagnostics",
            "{message}"
        );
        assert_eq!(message["params"]["uri"], uri, "{message}");
        assert_eq!(message["params"]["version"], version, "{message}");
        message["params"]["diagnostics"].clone()
    }

    pub(crate) fn at(line: u32, character: u32) -> Value {
        json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
    }

    pub(crate) fn format(&mut self) -> Value {
        let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
        self.ask("textDocument/formatting", params)["result"].clone()
    }

    /// Ends the session. Returns the exit code, and the text on standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"", "{}", String::from_utf8_lossy(&rest));
        let output = self.child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// Ends the session like [`Editor::leave`], but allows diagnostics from the server before its answer.
    pub(crate) fn shut(mut self) {
        let answer = self.ask_through("shutdown", Value::Null);
        assert!(answer.get("error").is_none(), "{answer}");
        self.tell("exit", Value::Null);
        drop(self.input.take());
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    pub(crate) fn leave(mut self) {
        let answer = self.ask("shutdown", Value::Null);
        assert_eq!(answer["result"], Value::Null, "{answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        self.tell("exit", Value::Null);
        assert_eq!(self.end(), (Some(0), String::new()));
    }
}

pub(crate) fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

/// Returns the position of an occurrence of `part` in a text, counted from 0, in units of UTF-16.
pub(crate) fn position(text: &str, part: &str, number: usize) -> Value {
    let (byte, _) = text
        .match_indices(part)
        .nth(number)
        .unwrap_or_else(|| panic!("no {part} {number}"));
    after(text, byte)
}

/// Returns the position of the byte at a given offset.
fn after(text: &str, byte: usize) -> Value {
    let line = text[..byte].matches('\n').count();
    let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": text[start..byte].encode_utf16().count() })
}

/// Returns the text without the mark `¦`, and the position of the mark.
pub(crate) fn cursor(text: &str) -> (String, Value) {
    let byte = text.find('¦').expect("a cursor");
    (text.replacen('¦', "", 1), after(text, byte))
}
