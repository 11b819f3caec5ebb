//! A language server for editors, over standard input and output. The server offers errors, types, the places of names, completion and
//! formatting.
//!
//! One thread reads messages, and another thread, the handling thread, handles each message when it arrives. The handling thread analyses a
//! changed document when no message has arrived for [`QUIET`], or when a request is about the document. So after several changes in a row,
//! the server analyses only the newest version.

mod analyser;
mod analysis;
mod completion;
mod diagnostics;
mod lists;
mod marked;
mod names;
mod position;
mod rename;
mod requests;
mod signature;
mod symbols;
mod transport;
mod uri;
mod workspace;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{Exit, Notification as NotificationKind, PublishDiagnostics};
use lsp_types::request::{Initialize, Request as RequestKind, Shutdown};

use self::transport::Incoming;
use self::workspace::Workspace;
use super::compile::{on_large_stack, say};
use super::{ACCEPTED, Dialect, IMPOSSIBLE, REFUSED, Settings};

/// The time to wait for more changes before the server analyses a document. This time is too short for users to notice, but longer than the
/// time between two messages that an editor sends together.
const QUIET: Duration = Duration::from_millis(20);

/// Serves an editor over standard input and output, until the editor sends `exit` or the input ends. Returns the exit code.
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
            variables: settings.path_variables.clone(),
            workspace: None,
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

/// The reason why the session has ended.
enum End {
    /// The client has sent `exit`.
    Exit,
    /// The input has ended without `exit`.
    Silence,
    /// A message could not be read or written.
    Broken(io::Error),
}

struct Server {
    incoming: Receiver<Incoming>,
    /// The error of the first message that could not be written.
    failure: Option<io::Error>,
    dialect: Dialect,
    /// The path variables of lists of files.
    variables: Vec<(String, String)>,
    /// The open documents, or `None` before the request `initialize`.
    workspace: Option<Workspace>,
    shut_down: bool,
}

/// The error in a response to a request.
type Refusal = (ErrorCode, String);

impl Server {
    fn run(&mut self) -> End {
        loop {
            if let Some(error) = self.failure.take() {
                return End::Broken(error);
            }
            let waiting = self.workspace.as_ref().is_some_and(Workspace::is_waiting);
            let incoming = if waiting {
                match self.incoming.recv_timeout(QUIET) {
                    Ok(incoming) => incoming,
                    Err(RecvTimeoutError::Timeout) => {
                        if let Some(workspace) = &mut self.workspace {
                            workspace.look_at_one();
                        }
                        self.publish();
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
                // The server sends no requests, so it ignores responses.
                Message::Response(_) => {}
            }
        }
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let answer = self.answer(request);
        self.publish();
        self.send(match answer {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        });
    }

    fn answer(&mut self, request: Request) -> Result<serde_json::Value, Refusal> {
        let refuse = |code, message: &str| Err((code, message.to_owned()));
        if self.shut_down {
            return refuse(ErrorCode::InvalidRequest, "the server has been shut down");
        }
        if request.method == Initialize::METHOD {
            if self.workspace.is_some() {
                return refuse(
                    ErrorCode::InvalidRequest,
                    "the server has been initialized before",
                );
            }
            let (workspace, result) = requests::initialize(request, self.dialect, &self.variables)?;
            self.workspace = Some(workspace);
            return Ok(result);
        }
        let Some(workspace) = &mut self.workspace else {
            return refuse(
                ErrorCode::ServerNotInitialized,
                "the server is not initialized",
            );
        };
        if request.method == Shutdown::METHOD {
            self.shut_down = true;
            return Ok(serde_json::Value::Null);
        }
        workspace.answer(request)
    }

    fn notification(&mut self, notification: Notification) {
        // Notifications have no meaning before `initialize` and after `shutdown`. Notifications have no response, so
        // the server ignores those that it does not understand.
        if let Some(workspace) = &mut self.workspace
            && !self.shut_down
        {
            workspace.notice(notification);
            self.publish();
        }
    }

    /// Sends the errors and warnings that were found since the last call.
    fn publish(&mut self) {
        let workspace = self.workspace.as_mut();
        let found = workspace.map_or(Vec::new(), |it| std::mem::take(&mut it.found));
        for found in found {
            self.send(Notification::new(
                PublishDiagnostics::METHOD.to_owned(),
                found,
            ));
        }
    }

    /// Sends a message. If the message cannot be sent, the session ends.
    fn send(&mut self, message: impl Into<Message>) {
        if let Err(error) = transport::write(&message.into()) {
            self.failure.get_or_insert(error);
        }
    }
}
