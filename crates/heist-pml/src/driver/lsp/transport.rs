//! Reads and writes messages on standard input and output. A message is a header with the length, an empty line, and
//! JSON.
//!
//! A separate thread reads the input. So the server can wait for a message with a timeout. If the data after a correct header is not a
//! message, the server answers with an error and continues. A header without a length ends the session, because the start of the next
//! message is unknown.

use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// The maximum size in bytes of a message.
const LARGEST: u64 = 256 << 20;

/// The maximum length in bytes of a line of a header.
const LINE: u64 = 8 << 10;

/// A message that the reading thread has read, or the error with which it has ended.
pub(super) enum Incoming {
    /// A message.
    Message(Message),
    /// The input had data that is not a message. The server answers with this error.
    Malformed(Value),
    /// The error that ends the input.
    Broken(io::Error),
}

/// Starts the thread that reads. The thread closes the returned channel at the end of the input.
pub(super) fn read() -> io::Result<Receiver<Incoming>> {
    let (sender, receiver) = sync_channel(16);
    thread::Builder::new()
        .name("lsp-reader".to_owned())
        .spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let incoming = match next(&mut input) {
                    Ok(None) => return,
                    Ok(Some(incoming)) => incoming,
                    Err(error) => Incoming::Broken(error),
                };
                let last = matches!(incoming, Incoming::Broken(_));
                if sender.send(incoming).is_err() || last {
                    return;
                }
            }
        })?;
    Ok(receiver)
}

/// Writes a message.
pub(super) fn write(message: &Message) -> io::Result<()> {
    message.write(&mut io::stdout().lock())
}

/// Writes a value as a response to data that is not a message. The crate `lsp_server` has no type for such a response.
pub(super) fn write_value(value: &Value) -> io::Result<()> {
    let text = value.to_string();
    let mut out = io::stdout().lock();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

/// Returns the next message, or `None` at the end of the input.
fn next(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = header(input)? else {
        return Ok(None);
    };
    if length > LARGEST {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        if skipped < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let why = format!("a message of {length} bytes is too large");
        return Ok(Some(malformed(
            ErrorCode::InvalidRequest,
            &Value::Null,
            &why,
        )));
    }
    // The buffer grows as bytes arrive, so a wrong length does not allocate memory.
    let mut text = Vec::new();
    input.take(length).read_to_end(&mut text)?;
    if (text.len() as u64) < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(parse(&text)))
}

/// Reads a header. Returns the length of the message, or `None` at the end of the input.
fn header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let bad = |why: &str| io::Error::new(ErrorKind::InvalidData, why.to_owned());
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        input.take(LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && first {
            return Ok(None);
        }
        first = false;
        if line.last() != Some(&b'\n') {
            return Err(match line.len() as u64 {
                LINE.. => bad("a line of a header is too long"),
                _ => ErrorKind::UnexpectedEof.into(),
            });
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => Err(bad("a header has no `Content-Length`")),
            };
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(bad("a line of a header has no colon"));
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value = value.trim().parse();
            length = Some(value.map_err(|_| bad("the `Content-Length` is not a number of bytes"))?);
        }
    }
}

fn parse(text: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(error) => {
            let why = format!("this is not JSON: {error}");
            return malformed(ErrorCode::ParseError, &Value::Null, &why);
        }
    };
    let id = match value.get("id") {
        Some(id @ (Value::Number(_) | Value::String(_))) => id.clone(),
        _ => Value::Null,
    };
    match serde_json::from_value(value) {
        Ok(message) => Incoming::Message(message),
        Err(_) => malformed(
            ErrorCode::InvalidRequest,
            &id,
            "this is not a message of the protocol",
        ),
    }
}

fn malformed(code: ErrorCode, id: &Value, why: &str) -> Incoming {
    Incoming::Malformed(json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code as i32, "message": why },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut text: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            found.push(match next(&mut text) {
                Ok(None) => return found,
                Ok(Some(Incoming::Message(Message::Notification(note)))) => note.method,
                Ok(Some(Incoming::Message(_))) => "another message".to_owned(),
                Ok(Some(Incoming::Malformed(answer))) => {
                    format!("{} {}", answer["id"], answer["error"]["code"])
                }
                Ok(Some(Incoming::Broken(_))) => unreachable!("only the thread says so"),
                Err(error) => {
                    found.push(error.to_string());
                    return found;
                }
            });
        }
    }

    fn framed(text: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
    }

    #[test]
    fn malformed_messages_are_answered_and_skipped() {
        let good = framed(r#"{"jsonrpc":"2.0","method":"m"}"#);
        let deep = "[".repeat(100_000);
        for (text, answer) in [
            ("{\"a\":", "null -32700"),
            ("", "null -32700"),
            ("[]", "null -32600"),
            (r#"{"id": 7, "method": 3}"#, "7 -32600"),
            (&deep, "null -32700"),
        ] {
            let input = [framed(text), good.clone()].concat();
            assert_eq!(all(&input), [answer, "m"], "{text:.20}");
        }
        let not_text = [&b"Content-Length: 2\r\n\r\n\xff\xfe"[..], &good].concat();
        assert_eq!(all(&not_text), ["null -32700", "m"]);
    }

    #[test]
    fn lengths_take_no_memory() {
        let large = LARGEST as usize + 1;
        let header = format!("Content-Length: {large}\r\n\r\n");
        let good = framed(r#"{"jsonrpc":"2.0","method":"m"}"#);
        let body = io::repeat(b' ').take(large as u64);
        let mut input = io::BufReader::new(header.as_bytes().chain(body).chain(&good[..]));
        let Ok(Some(Incoming::Malformed(answer))) = next(&mut input) else {
            panic!("accepted")
        };
        assert_eq!(answer["error"]["code"], -32600);
        let Ok(Some(Incoming::Message(_))) = next(&mut input) else {
            panic!("the message behind it is lost")
        };
        for length in ["99999999999999", "18446744073709551615", "100000000"] {
            let text = format!("Content-Length: {length}\r\n\r\n{{}}");
            assert_eq!(all(text.as_bytes()), ["unexpected end of file"], "{length}");
        }
        for length in ["18446744073709551616", "-1", "x", ""] {
            let text = format!("Content-Length: {length}\r\n\r\n{{}}");
            let found = all(text.as_bytes());
            assert_eq!(found, ["the `Content-Length` is not a number of bytes"]);
        }
        assert_eq!(all(b"X: 1\r\n\r\n"), ["a header has no `Content-Length`"]);
        assert_eq!(all(b"X\r\n\r\n"), ["a line of a header has no colon"]);
        assert_eq!(all(&[b'x'; 9000]), ["a line of a header is too long"]);
        assert_eq!(all(b"X: 1\r\n"), ["unexpected end of file"]);
    }
}
