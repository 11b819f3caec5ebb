//! The open documents of the client, and facts about the programs of these documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_server::ErrorCode;
use lsp_types::{
    Diagnostic, DiagnosticSeverity, Position, PublishDiagnosticsParams, Range, TextEdit, Uri,
};

use super::super::checker::Examined;
use super::super::files::{Unusable, identity};
use super::super::program::Texts;
use super::Refusal;
use super::analyser::{Analyser, Program};
use super::analysis::{Analysis, checked};
use super::lists::{Search, is_list};
use super::marked::Marked;
use super::position::Lines;
use super::uri;
use crate::elab::Visible;

/// An open document.
#[derive(Debug)]
struct Document {
    uri: Uri,
    /// The path that identifies the document.
    path: PathBuf,
    version: i32,
    text: String,
    program: Program,
    /// The reason why the list of the document's program cannot be used, if there is one.
    list_error: Option<String>,
    /// The number of the top level that the last analysis of the document's program used.
    level: usize,
    /// Whether the server has published the errors and warnings of the document after its last change.
    published: bool,
}

/// All open documents of a client, and the facts about their programs.
#[derive(Debug)]
pub(super) struct Workspace {
    analyser: Analyser,
    search: Search,
    documents: BTreeMap<String, Document>,
    /// The facts about the programs that have not changed since their analysis.
    analyses: BTreeMap<Program, Analysis>,
    /// The errors and warnings that the server has not yet sent.
    pub(super) found: Vec<PublishDiagnosticsParams>,
}

impl Workspace {
    pub(super) fn new(analyser: Analyser, search: Search) -> Workspace {
        Workspace {
            analyser,
            search,
            documents: BTreeMap::new(),
            analyses: BTreeMap::new(),
            found: Vec::new(),
        }
    }

    /// Handles the opening of a document.
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let path = identity(&uri::path(&uri));
        let program = self.search.program(&path);
        let document = Document {
            path,
            version,
            text,
            program,
            list_error: None,
            level: 0,
            published: false,
            uri,
        };
        let (key, program) = (document.uri.as_str().to_owned(), document.program.clone());
        self.documents.insert(key, document);
        self.forget(&program);
    }

    /// Handles a change of a document's text.
    pub(super) fn change(&mut self, uri: &Uri, version: i32, text: String) {
        if let Some(document) = self.documents.get_mut(uri.as_str()) {
            document.version = version;
            document.text = text;
            let program = document.program.clone();
            self.forget(&program);
        }
    }

    /// Handles the closing of a document. After this call, the document's program uses the text of the file on disk.
    pub(super) fn close(&mut self, uri: Uri) {
        if let Some(document) = self.documents.remove(uri.as_str()) {
            self.forget(&document.program);
            self.found
                .push(PublishDiagnosticsParams::new(uri, Vec::new(), None));
        }
    }

    /// Handles a change of files on disk. The change may move a document to another program, or add files to a program or remove them.
    pub(super) fn look_anew(&mut self) {
        let mut changed = Vec::new();
        for document in self.documents.values_mut() {
            let program = self.search.program(&document.path);
            if program != document.program || matches!(program, Program::List(_)) {
                changed.push(program.clone());
                document.program = program;
                document.list_error = None;
            }
        }
        for program in changed {
            self.forget(&program);
        }
        let documents = &self.documents;
        self.analyses
            .retain(|program, _| documents.values().any(|it| it.program == *program));
    }

    /// Drops the facts about a program.
    fn forget(&mut self, program: &Program) {
        self.analyses.remove(program);
        for document in self.documents.values_mut() {
            if document.program == *program {
                document.published = false;
            }
        }
    }

    /// Returns true if a document has changed since its last analysis.
    pub(super) fn is_waiting(&self) -> bool {
        self.documents.values().any(|document| !document.published)
    }

    /// Analyses the first document that has changed.
    pub(super) fn look_at_one(&mut self) {
        let changed = self.documents.iter().find(|entry| !entry.1.published);
        if let Some(key) = changed.map(|entry| entry.0.clone()) {
            self.look_at(&key);
        }
    }

    /// Analyses the program of a document, and finds the errors and warnings of all documents that belong to this program.
    fn look_at(&mut self, key: &str) {
        let Some(document) = self.documents.get_mut(key) else {
            return;
        };
        // Even if the analysis fails, the document is not analysed again before it changes.
        document.published = true;
        if is_list(&document.path) {
            return;
        }
        let mut program = document.program.clone();
        if !self.analyses.contains_key(&program) {
            let analysis = match self.analyse(&program, &self.texts()) {
                Ok(analysis) => analysis,
                Err(Unusable(why)) => {
                    let path = self.documents[key].path.clone();
                    program = Program::Alone(path);
                    if let Some(document) = self.documents.get_mut(key) {
                        document.list_error = Some(why);
                        document.program = program.clone();
                    }
                    match self.analyse(&program, &self.texts()) {
                        Ok(analysis) => analysis,
                        // The program of a single open document reads no file, so its analysis cannot fail.
                        Err(_) => return,
                    }
                }
            };
            self.analyses.insert(program.clone(), analysis);
        }
        let Some(analysis) = self.analyses.get(&program) else {
            return;
        };
        for document in self.documents.values_mut() {
            let asked = document.uri.as_str() == key;
            if document.program != program || (document.published && !asked) {
                continue;
            }
            document.published = true;
            document.level = analysis.level;
            let mut found: Vec<Diagnostic> = analysis
                .file(&document.path)
                .map_or(Vec::new(), |file| analysis.diagnostics(file));
            if let Some(why) = &document.list_error {
                found.push(Diagnostic {
                    range: Range::default(),
                    severity: Some(DiagnosticSeverity::WARNING),
                    source: Some("heist".to_owned()),
                    message: format!("this file was looked at alone: {why}"),
                    ..Diagnostic::default()
                });
            }
            self.found.push(PublishDiagnosticsParams::new(
                document.uri.clone(),
                found,
                Some(document.version),
            ));
        }
    }

    /// Returns the texts of all documents.
    fn texts(&self) -> Texts {
        let documents = self.documents.values();
        documents
            .map(|document| (document.path.clone(), document.text.clone().into_bytes()))
            .collect()
    }

    fn analyse(&mut self, program: &Program, texts: &Texts) -> Result<Analysis, Unusable> {
        let (examined, level) = self.analyser.analyse(program, texts)?;
        let documents = &self.documents;
        let name = |path: &Path| {
            let open = documents.values().find(|document| document.path == *path);
            let own = open.map(|document| document.uri.clone());
            own.or_else(|| uri::uri(path)).unwrap_or_else(no_uri)
        };
        Ok(Analysis::of(examined, level, &name))
    }

    /// Returns the facts about the newest version of a document's program, and the index of the document among the program's files. Returns
    /// `None` if the document is not open.
    pub(super) fn looked_at(&mut self, uri: &Uri) -> Option<(&mut Analysis, usize)> {
        let key = uri.as_str();
        if !self.documents.get(key)?.published {
            self.look_at(key);
        }
        let document = self.documents.get(key)?;
        let analysis = self.analyses.get_mut(&document.program)?;
        let file = analysis.file(&document.path)?;
        Some((analysis, file))
    }

    /// Returns the facts about all programs of open documents, in their newest versions.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Analysis> {
        while self.is_waiting() {
            self.look_at_one();
        }
        self.analyses.values_mut()
    }

    /// Returns the facts about a document's program with the texts `edit` in place of the texts of some files.
    ///
    /// # Errors
    ///
    /// Returns an error if the list of the program cannot be used after the edit.
    pub(super) fn edited(&mut self, uri: &Uri, edit: Texts) -> Result<Option<Analysis>, Refusal> {
        let Some(document) = self.documents.get(uri.as_str()) else {
            return Ok(None);
        };
        let program = document.program.clone();
        let mut texts = self.texts();
        texts.extend(edit);
        match self.analyse(&program, &texts) {
            Ok(analysis) => Ok(Some(analysis)),
            Err(Unusable(why)) => Err((ErrorCode::RequestFailed, why)),
        }
    }

    /// Returns the names that are visible at a position of a document. Returns `None` if the document is not open, or
    /// if the position is in a comment.
    ///
    /// # Errors
    ///
    /// Returns an error if the document does not have the line.
    pub(super) fn marked(
        &self,
        uri: &Uri,
        position: Position,
        literals: bool,
    ) -> Result<Option<Marked>, Refusal> {
        let Some(document) = self.documents.get(uri.as_str()) else {
            return Ok(None);
        };
        let lines = Lines::of(&document.text);
        let cursor = checked(&lines, &document.text, position)?;
        let Some((word, text)) = Marked::mark(&document.text, cursor, literals) else {
            return Ok(None);
        };
        let cut = Marked::cut(&text, word);
        let mut marked = self.elaborated(document, text);
        if marked.as_ref().is_some_and(|it| it.1.is_none()) {
            // The elaborator has not reached the marker, because the parser has skipped it.
            marked = self.elaborated(document, cut);
        }
        Ok(marked.map(|(examined, visible)| {
            let range = lines.range_exact(&document.text, word.start, cursor);
            Marked::of(word, range, &document.text, examined, visible)
        }))
    }

    /// Elaborates the program of a document with a marker in its text. Returns the facts, and the names that are
    /// visible at the marker.
    fn elaborated(&self, document: &Document, text: String) -> Option<(Examined, Option<Visible>)> {
        let mut texts = self.texts();
        texts.insert(document.path.clone(), text.into_bytes());
        let examined = self
            .analyser
            .mark(&document.program, &texts, document.level, Marked::NAME);
        let mut examined = examined.ok()?;
        let visible = examined.elaborator.take_visible();
        Some((examined, visible))
    }

    /// Returns true if a document has parallel forms.
    pub(super) fn is_parallel(&self, uri: &Uri) -> bool {
        let document = self.documents.get(uri.as_str());
        document.is_some_and(|document| self.analyser.is_parallel(&document.path))
    }

    /// Returns the edits that put a document into the uniform layout, or `None` if the document has errors.
    pub(super) fn format(&self, uri: &Uri) -> Option<Vec<TextEdit>> {
        let document = self.documents.get(uri.as_str())?;
        self.analyser.format(&document.path, &document.text)
    }
}

/// Returns the URI that stands for a file if no URI can express the path of the file.
fn no_uri() -> Uri {
    "file:///".parse().expect("a name of a folder")
}
