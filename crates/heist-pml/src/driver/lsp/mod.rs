//! A language server over standard input and output: diagnostics, types, definitions and layout, for editors.
//!
//! One thread does everything except reading: it takes messages as they come, and analyses a changed document when no further messages
//! follow, or when it is asked about the document. So changes that queue up are analysed once, in their newest version.

mod analysis;
mod position;
mod transport;

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit,
    Notification as NotificationKind, PublishDiagnostics,
};
use lsp_types::request::{
    Formatting, GotoDefinition, HoverRequest, Initialize, Request as RequestKind, Shutdown,
};
use lsp_types::{
    GotoDefinitionResponse, InitializeParams, InitializeResult, Location, OneOf,
    PublishDiagnosticsParams, ServerCapabilities, ServerInfo, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};

use self::analysis::{Analyser, Analysis};
use self::transport::Incoming;
use super::compile::{on_large_stack, say};
use super::{ACCEPTED, Dialect, IMPOSSIBLE, REFUSED, Settings};

/// The time to wait for more changes before a document is analysed: too short to notice, but longer than the gap between
/// two messages that were sent together.
const QUIET: Duration = Duration::from_millis(20);

/// Answers an editor on standard input and output until it says `exit`. Returns the exit code.
#[must_use]
pub fn serve(settings: &Settings) -> i32 {
    on_large_stack(|| {
        let broken = |error: io::Error| {
            say(&format!(
                "heist: the messages of the protocol cannot be exchanged: {error}\n"
            ));
            IMPOSSIBLE
        };
        let incoming = match transport::read() {
            Ok(incoming) => incoming,
            Err(error) => return broken(error),
        };
        let mut server = Server {
            incoming,
            failure: None,
            dialect: settings.dialect,
            analyser: None,
            documents: BTreeMap::new(),
            shut_down: false,
        };
        let end = server.run();
        match end {
            End::Exit if server.shut_down => ACCEPTED,
            End::Exit => REFUSED,
            End::Silence => {
                say("heist: the input ended without the notification `exit`\n");
                REFUSED
            }
            End::Broken(error) => broken(error),
        }
    })
}

/// Reason why there are no more messages.
enum End {
    /// The client said so.
    Exit,
    /// The input ended.
    Silence,
    /// They cannot be read or written.
    Broken(io::Error),
}

struct Server {
    incoming: Receiver<Incoming>,
    /// The reason why something could not be written.
    failure: Option<io::Error>,
    dialect: Dialect,
    /// `None` before the client has introduced itself.
    analyser: Option<Analyser>,
    documents: BTreeMap<String, Document>,
    shut_down: bool,
}

/// An open document.
struct Document {
    uri: Uri,
    version: i32,
    text: String,
    /// `None` since the last change.
    analysis: Option<Analysis>,
}

/// Error of a request.
type Refusal = (ErrorCode, String);

impl Server {
    fn run(&mut self) -> End {
        loop {
            if let Some(error) = self.failure.take() {
                return End::Broken(error);
            }
            let waiting = self.documents.values().any(|d| d.analysis.is_none());
            let incoming = if waiting {
                match self.incoming.recv_timeout(QUIET) {
                    Ok(incoming) => incoming,
                    Err(RecvTimeoutError::Timeout) => {
                        self.look_at_one();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return End::Silence,
                }
            } else {
                match self.incoming.recv() {
                    Ok(incoming) => incoming,
                    Err(_) => return End::Silence,
                }
            };
            let message = match incoming {
                Incoming::Message(message) => message,
                Incoming::Malformed(answer) => {
                    self.failure = transport::write_value(&answer).err();
                    continue;
                }
                Incoming::Broken(error) => return End::Broken(error),
            };
            match message {
                Message::Request(request) => self.request(request),
                Message::Notification(notification) if notification.method == Exit::METHOD => {
                    return End::Exit;
                }
                Message::Notification(notification) => self.notification(notification),
                // Nothing was asked.
                Message::Response(_) => {}
            }
        }
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let response = match self.answer(request) {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.send(response);
    }

    fn answer(&mut self, request: Request) -> Result<serde_json::Value, Refusal> {
        let refuse = |code, message: &str| Err((code, message.to_owned()));
        if self.shut_down {
            return refuse(ErrorCode::InvalidRequest, "the server has been shut down");
        }
        if request.method == Initialize::METHOD {
            if self.analyser.is_some() {
                return refuse(
                    ErrorCode::InvalidRequest,
                    "the server has been initialized before",
                );
            }
            return self.initialize(request);
        }
        if self.analyser.is_none() {
            return refuse(
                ErrorCode::ServerNotInitialized,
                "the server is not initialized",
            );
        }
        match request.method.as_str() {
            Shutdown::METHOD => {
                self.shut_down = true;
                Ok(serde_json::Value::Null)
            }
            HoverRequest::METHOD => {
                let asked = params::<HoverRequest>(request)?.text_document_position_params;
                let hover = self
                    .looked_at(&asked)
                    .and_then(|(text, analysis)| analysis.hover(text, asked.position));
                value(hover)
            }
            GotoDefinition::METHOD => {
                let asked = params::<GotoDefinition>(request)?.text_document_position_params;
                let range = self
                    .looked_at(&asked)
                    .and_then(|(text, analysis)| analysis.definition(text, asked.position));
                let uri = asked.text_document.uri;
                value(range.map(|range| GotoDefinitionResponse::Scalar(Location { uri, range })))
            }
            Formatting::METHOD => {
                let uri = params::<Formatting>(request)?.text_document.uri;
                let (document, analyser) = (self.documents.get(uri.as_str()), &self.analyser);
                let edits = document
                    .zip(analyser.as_ref())
                    .and_then(|(document, analyser)| {
                        analyser.format(&analysis::path(&uri), &document.text)
                    });
                value(edits)
            }
            method => Err((
                ErrorCode::MethodNotFound,
                format!("there is no method `{method}`"),
            )),
        }
    }

    fn initialize(&mut self, request: Request) -> Result<serde_json::Value, Refusal> {
        let asked = params::<Initialize>(request)?;
        self.dialect = dialect(&asked, self.dialect)?;
        self.analyser = Some(Analyser::new(self.dialect));
        value(InitializeResult {
            capabilities: ServerCapabilities {
                text_document_sync: Some(TextDocumentSyncCapability::Kind(
                    TextDocumentSyncKind::FULL,
                )),
                hover_provider: Some(true.into()),
                definition_provider: Some(OneOf::Left(true)),
                document_formatting_provider: Some(OneOf::Left(true)),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "heist".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }

    fn notification(&mut self, notification: Notification) {
        // Before `initialize` and after `shutdown` they mean nothing, and one that is not understood cannot be answered.
        if self.analyser.is_none() || self.shut_down {
            return;
        }
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(opened) = noted::<DidOpenTextDocument>(notification) {
                    let opened = opened.text_document;
                    let document = Document {
                        uri: opened.uri,
                        version: opened.version,
                        text: opened.text,
                        analysis: None,
                    };
                    let key = document.uri.as_str().to_owned();
                    self.documents.insert(key, document);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(changed) = noted::<DidChangeTextDocument>(notification)
                    && let Some(document) = self.documents.get_mut(changed.text_document.uri.as_str())
                    // Each has the whole text.
                    && let Some(last) = changed.content_changes.into_iter().last()
                {
                    document.version = changed.text_document.version;
                    document.text = last.text;
                    document.analysis = None;
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(closed) = noted::<DidCloseTextDocument>(notification) {
                    let uri = closed.text_document.uri;
                    if self.documents.remove(uri.as_str()).is_some() {
                        self.publish(PublishDiagnosticsParams::new(uri, Vec::new(), None));
                    }
                }
            }
            _ => {}
        }
    }

    /// A document that has been analysed in its newest version.
    fn looked_at(&mut self, at: &TextDocumentPositionParams) -> Option<(&str, &mut Analysis)> {
        let key = at.text_document.uri.as_str();
        if self.documents.get(key)?.analysis.is_none() {
            self.look_at(key);
        }
        let document = self.documents.get_mut(key)?;
        Some((&document.text, document.analysis.as_mut()?))
    }

    /// Looks at the first document that has changed.
    fn look_at_one(&mut self) {
        let changed = self
            .documents
            .iter()
            .find(|entry| entry.1.analysis.is_none());
        if let Some(key) = changed.map(|entry| entry.0.clone()) {
            self.look_at(&key);
        }
    }

    /// Analyses a document, and sends its errors and warnings.
    fn look_at(&mut self, key: &str) {
        let (Some(document), Some(analyser)) = (self.documents.get_mut(key), &mut self.analyser)
        else {
            return;
        };
        let Document { uri, text, .. } = &*document;
        let analysis = analyser.analyse(&analysis::path(uri), text);
        let found = analysis.diagnostics(uri, text);
        let (uri, version) = (uri.clone(), document.version);
        document.analysis = Some(analysis);
        self.publish(PublishDiagnosticsParams::new(uri, found, Some(version)));
    }

    fn publish(&mut self, found: PublishDiagnosticsParams) {
        self.send(Notification::new(
            PublishDiagnostics::METHOD.to_owned(),
            found,
        ));
    }

    /// Sends a message. If that fails, the session ends.
    fn send(&mut self, message: impl Into<Message>) {
        if let Err(error) = transport::write(&message.into()) {
            self.failure.get_or_insert(error);
        }
    }
}

/// Parameters of a request.
fn params<R: RequestKind>(request: Request) -> Result<R::Params, Refusal> {
    serde_json::from_value(request.params)
        .map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// Parameters of a notification, if they can be understood.
fn noted<N: NotificationKind>(notification: Notification) -> Option<N::Params> {
    serde_json::from_value(notification.params).ok()
}

fn value(result: impl serde::Serialize) -> Result<serde_json::Value, Refusal> {
    serde_json::to_value(result).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

/// The dialect that the client asks for, or else the one of the command line.
fn dialect(asked: &InitializeParams, otherwise: Dialect) -> Result<Dialect, Refusal> {
    let options = asked.initialization_options.as_ref();
    let Some(name) = options.and_then(|options| options.get("dialect")) else {
        return Ok(otherwise);
    };
    match name.as_str() {
        Some("auto") => Ok(Dialect::Auto),
        Some("sml") => Ok(Dialect::Sml),
        Some("pml") => Ok(Dialect::Pml),
        Some("manticore") => Ok(Dialect::Manticore),
        _ => Err((
            ErrorCode::InvalidParams,
            format!("`dialect` is {name}: it can be \"auto\", \"sml\", \"pml\" or \"manticore\""),
        )),
    }
}
