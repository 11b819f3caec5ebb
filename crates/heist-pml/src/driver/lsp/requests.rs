//! Handles the requests and notifications of the client.

use std::path::{Path, PathBuf};

use lsp_server::{ErrorCode, Notification, Request};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as NotificationKind,
};
use lsp_types::request::{
    Completion, DocumentHighlightRequest, DocumentSymbolRequest, Formatting, GotoDefinition,
    HoverRequest, Initialize, PrepareRenameRequest, References, Rename, Request as RequestKind,
    SignatureHelpRequest, WorkspaceSymbolRequest,
};
use lsp_types::{
    CompletionOptions, DocumentSymbolResponse, GotoDefinitionResponse, InitializeResult, OneOf,
    PrepareRenameResponse, RenameOptions, SaveOptions, ServerCapabilities, ServerInfo,
    SignatureHelpOptions, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
    WorkDoneProgressOptions, WorkspaceSymbolResponse,
};
use serde_json::{Value, json};

use super::super::Dialect;
use super::Refusal;
use super::analyser::Analyser;
use super::analysis::Analysis;
use super::lists::{Search, is_list};
use super::uri;
use super::workspace::Workspace;

/// The maximum number of declarations in the answer to a search.
const MOST: usize = 500;

/// Elaborates the Basis, and returns the capabilities of the server.
///
/// # Errors
///
/// Returns an error if the client sends options that the server does not understand.
pub(super) fn initialize(
    request: Request,
    dialect: Dialect,
    variables: &[(String, String)],
) -> Result<(Workspace, Value), Refusal> {
    let all = request.params.clone();
    params::<Initialize>(request)?;
    let options = &all["initializationOptions"];
    let dialect = chosen(&options["dialect"], dialect)?;
    let roots = roots(&all);
    let search = Search {
        lists: lists(&options["list"], &roots)?,
        roots,
        variables: variables.to_vec(),
    };
    let analyser = Analyser::new(dialect, variables.to_vec());
    let capable = value(InitializeResult {
        capabilities: capabilities(),
        server_info: Some(ServerInfo {
            name: "heist".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    })?;
    Ok((Workspace::new(analyser, search), capable))
}

fn capabilities() -> ServerCapabilities {
    let after = |signs: &[&str]| Some(signs.iter().map(|&sign| sign.to_owned()).collect());
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::FULL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: after(&[".", "#"]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: after(&[" ", "(", ","]),
            retrigger_characters: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

impl Workspace {
    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not understand the request, if the document has no such place, or if the server refuses a new
    /// name.
    pub(super) fn answer(&mut self, request: Request) -> Result<Value, Refusal> {
        match request.method.as_str() {
            HoverRequest::METHOD => {
                let asked = params::<HoverRequest>(request)?.text_document_position_params;
                self.at(&asked, Analysis::hover)
            }
            GotoDefinition::METHOD => {
                let asked = params::<GotoDefinition>(request)?.text_document_position_params;
                self.at(&asked, |analysis, file, byte| {
                    let found = analysis.definition(file, byte);
                    found.map(GotoDefinitionResponse::Scalar)
                })
            }
            References::METHOD => {
                let asked = params::<References>(request)?;
                let bindings = asked.context.include_declaration;
                self.at(&asked.text_document_position, |analysis, file, byte| {
                    analysis.references(file, byte, bindings)
                })
            }
            DocumentHighlightRequest::METHOD => {
                let asked = params::<DocumentHighlightRequest>(request)?;
                let asked = asked.text_document_position_params;
                self.at(&asked, |analysis, file, byte| {
                    analysis.highlights(file, byte)
                })
            }
            PrepareRenameRequest::METHOD => {
                let asked = params::<PrepareRenameRequest>(request)?;
                let Some((analysis, file)) = self.looked_at(&asked.text_document.uri) else {
                    return Ok(Value::Null);
                };
                let byte = analysis.byte(file, asked.position)?;
                let (name, range) = analysis.renamable(file, byte)?;
                value(PrepareRenameResponse::RangeWithPlaceholder {
                    range,
                    placeholder: analysis.text(&name).to_owned(),
                })
            }
            Rename::METHOD => {
                let asked = params::<Rename>(request)?;
                self.rename(&asked.text_document_position, &asked.new_name)
            }
            DocumentSymbolRequest::METHOD => {
                let uri = params::<DocumentSymbolRequest>(request)?.text_document.uri;
                let found = self.looked_at(&uri);
                value(
                    found.map(|(analysis, file)| {
                        DocumentSymbolResponse::Nested(analysis.symbols(file))
                    }),
                )
            }
            WorkspaceSymbolRequest::METHOD => {
                let wanted = params::<WorkspaceSymbolRequest>(request)?.query;
                let mut found = Vec::new();
                self.all()
                    .for_each(|analysis| analysis.search(&wanted, &mut found));
                found.truncate(MOST);
                value(WorkspaceSymbolResponse::Flat(found))
            }
            Completion::METHOD => {
                let asked = params::<Completion>(request)?.text_document_position;
                let uri = &asked.text_document.uri;
                let parallel = self.is_parallel(uri);
                let marked = self.marked(uri, asked.position, false)?;
                value(marked.map_or(Vec::new(), |marked| marked.completion(parallel)))
            }
            SignatureHelpRequest::METHOD => {
                let asked = params::<SignatureHelpRequest>(request)?.text_document_position_params;
                let marked = self.marked(&asked.text_document.uri, asked.position, true)?;
                value(marked.and_then(|marked| marked.help()))
            }
            Formatting::METHOD => {
                let uri = params::<Formatting>(request)?.text_document.uri;
                value(self.format(&uri))
            }
            method => Err((
                ErrorCode::MethodNotFound,
                format!("there is no method `{method}`"),
            )),
        }
    }

    /// Calls the function `answer` with the place that a request names, and returns the result of `answer`. If the document is not open,
    /// returns null.
    fn at<R: serde::Serialize>(
        &mut self,
        asked: &TextDocumentPositionParams,
        answer: impl FnOnce(&mut Analysis, usize, u32) -> R,
    ) -> Result<Value, Refusal> {
        let Some((analysis, file)) = self.looked_at(&asked.text_document.uri) else {
            return Ok(Value::Null);
        };
        let byte = analysis.byte(file, asked.position)?;
        value(answer(analysis, file, byte))
    }

    fn rename(&mut self, asked: &TextDocumentPositionParams, to: &str) -> Result<Value, Refusal> {
        let uri = &asked.text_document.uri;
        let Some((analysis, file)) = self.looked_at(uri) else {
            return Ok(Value::Null);
        };
        let byte = analysis.byte(file, asked.position)?;
        let renaming = analysis.renaming(file, byte, to)?;
        let texts = analysis.renamed(&renaming);
        let Some(after) = self.edited(uri, texts)? else {
            return Ok(Value::Null);
        };
        let Some((analysis, _)) = self.looked_at(uri) else {
            return Ok(Value::Null);
        };
        analysis.confirm(&renaming, &after)?;
        Ok(analysis.workspace_edit(&renaming))
    }

    /// Handles a notification.
    pub(super) fn notice(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(opened) = noted::<DidOpenTextDocument>(notification) {
                    let opened = opened.text_document;
                    self.open(opened.uri, opened.version, opened.text);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(changed) = noted::<DidChangeTextDocument>(notification)
                    // Each change contains the whole text, so the last change is enough.
                    && let Some(last) = changed.content_changes.into_iter().last()
                {
                    let document = changed.text_document;
                    self.change(&document.uri, document.version, last.text);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(closed) = noted::<DidCloseTextDocument>(notification) {
                    self.close(closed.text_document.uri);
                }
            }
            DidSaveTextDocument::METHOD => {
                // The server reads lists from their files, so it must notice when a list is saved. (The client sends the texts of other
                // documents.)
                if let Some(saved) = noted::<DidSaveTextDocument>(notification)
                    && is_list(&uri::path(&saved.text_document.uri))
                {
                    self.look_anew();
                }
            }
            DidChangeWatchedFiles::METHOD => self.look_anew(),
            _ => {}
        }
    }
}

/// Returns the parameters of a request.
fn params<R: RequestKind>(request: Request) -> Result<R::Params, Refusal> {
    serde_json::from_value(request.params)
        .map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// Returns the parameters of a notification, if they are well formed.
fn noted<N: NotificationKind>(notification: Notification) -> Option<N::Params> {
    serde_json::from_value(notification.params).ok()
}

fn value(result: impl serde::Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(result).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

/// Returns the dialect that the client requests, or the dialect of the command line if the client
/// requests none.
fn chosen(name: &Value, otherwise: Dialect) -> Result<Dialect, Refusal> {
    match name.as_str() {
        None if name.is_null() => Ok(otherwise),
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

/// Returns the folders that the client shows.
fn roots(params: &Value) -> Vec<PathBuf> {
    let path = |uri: &Value| Some(uri::path(&uri.as_str()?.parse::<Uri>().ok()?));
    let folders = params["workspaceFolders"].as_array();
    let folders = folders.map_or(&[][..], Vec::as_slice).iter();
    let mut roots: Vec<PathBuf> = folders.filter_map(|it| path(&it["uri"])).collect();
    if roots.is_empty() {
        roots.extend(path(&params["rootUri"]));
    }
    roots
}

/// Returns the lists that the client names. The paths of the lists are relative to the first folder.
fn lists(named: &Value, roots: &[PathBuf]) -> Result<Vec<PathBuf>, Refusal> {
    let names: Vec<&Value> = match named {
        Value::Null => Vec::new(),
        Value::Array(names) => names.iter().collect(),
        name => vec![name],
    };
    let root = roots.first().map_or(Path::new(""), PathBuf::as_path);
    let path = |name: &Value| match name.as_str() {
        Some(name) => Ok(root.join(name)),
        None => Err((
            ErrorCode::InvalidParams,
            format!(
                "`list` is {}: it can be a path, or an array of paths",
                json!(named)
            ),
        )),
    };
    names.into_iter().map(path).collect()
}
