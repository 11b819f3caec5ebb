//! Facts about one version of a program: its files, and the names in its files.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lsp_server::ErrorCode;
use lsp_types::{Location, Position, Range, Uri};
use rustc_hash::FxHashMap;

use super::super::checker::Examined;
use super::super::files::identity;
use super::Refusal;
use super::position::Lines;
use crate::elab::{Fact, NameKind};
use crate::source::{FileId, Span};
use crate::syntax::ast;

/// A file of a program.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// The URI by which the client knows the file.
    pub(super) uri: Uri,
    /// The path that identifies the file.
    pub(super) path: PathBuf,
    /// The file's text. If the file is not in UTF-8, each byte of the file is one character of the text.
    pub(super) text: String,
    /// The starts of the file's lines.
    pub(super) lines: Lines,
    /// The index of the file's syntax tree.
    tree: usize,
}

/// A name in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// The index of the file.
    pub(super) file: usize,
    /// The index of the first byte of the name.
    pub(super) start: u32,
    /// The index after the last byte of the name.
    pub(super) end: u32,
    /// The number of the class of the name. All names of a class mean the same variable, type or module.
    pub(super) class: u32,
    /// Whether this place binds the name; otherwise this place uses the name.
    pub(super) binding: bool,
    /// The index of the name's fact among the facts of the elaborator.
    fact: usize,
}

/// Facts about a program.
#[derive(Debug)]
pub(super) struct Analysis {
    pub(super) files: Vec<SourceFile>,
    pub(super) examined: Examined,
    /// The number of the top level that accepts the program.
    pub(super) level: usize,
    /// The names in all files, ordered by place. A longer name comes before the names inside it, such as `A` in `A.x`.
    pub(super) names: Vec<Name>,
    numbers: FxHashMap<FileId, usize>,
    classes: Classes,
}

impl Analysis {
    /// Collects the facts that the elaborator has found. `uri` returns the URI of a file.
    pub(super) fn of(examined: Examined, level: usize, uri: &dyn Fn(&Path) -> Uri) -> Analysis {
        let mut files: Vec<SourceFile> = Vec::new();
        let mut numbers = FxHashMap::default();
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        for (tree, (id, _)) in examined.trees.iter().enumerate() {
            let Some(source) = examined.sources.file(*id) else {
                continue;
            };
            let path = identity(&source.path);
            let number = *known.entry(path.clone()).or_insert_with(|| {
                let text = characters(&source.text);
                files.push(SourceFile {
                    uri: uri(&path),
                    path,
                    lines: Lines::of(&text),
                    text,
                    tree,
                });
                files.len() - 1
            });
            numbers.insert(*id, number);
        }
        let mut analysis = Analysis {
            files,
            examined,
            level,
            names: Vec::new(),
            numbers,
            classes: Classes::default(),
        };
        analysis.find_names();
        analysis
    }

    fn find_names(&mut self) {
        let mut classes = Classes::default();
        let mut names = Vec::new();
        let facts = self.examined.elaborator.facts();
        for (number, fact) in facts.names.iter().enumerate() {
            let Some(&file) = self.numbers.get(&fact.span.file) else {
                continue;
            };
            let (at, bound) = (self.place(fact.span), self.place(fact.bound));
            let class = classes.number(at);
            let bound_class = match bound {
                Place::Nowhere(..) => {
                    let text = text_at(&self.files[file], fact.span);
                    classes.number(Place::Nowhere(fact.kind, text.to_owned()))
                }
                bound => classes.number(bound),
            };
            classes.join(class, bound_class);
            names.push(Name {
                file,
                start: fact.span.start,
                end: fact.span.end,
                class,
                binding: self.place(fact.span) == self.place(fact.bound),
                fact: number,
            });
        }
        for &(specified, found) in &facts.links {
            if specified != Span::NONE && found != Span::NONE {
                let specified = classes.number(self.place(specified));
                let found = classes.number(self.place(found));
                classes.join(specified, found);
            }
        }
        // The sort is stable, so `dedup_by_key` keeps the first fact about each place, which is the fact about the name itself.
        names.sort_by_key(|name| (name.file, name.start, Reverse(name.end)));
        names.dedup_by_key(|name| (name.file, name.start, name.end));
        for name in &mut names {
            name.class = classes.root(name.class);
        }
        self.names = names;
        self.classes = classes;
    }

    fn place(&self, span: Span) -> Place {
        match self.numbers.get(&span.file) {
            Some(&file) => Place::Program(file, span.start),
            None if span == Span::NONE => Place::Nowhere(NameKind::Value, String::new()),
            None => Place::Basis(span.file, span.start),
        }
    }

    /// Returns the index of a file.
    pub(super) fn file(&self, path: &Path) -> Option<usize> {
        self.files.iter().position(|file| file.path == path)
    }

    /// Returns the index of the file that contains a span, or `None` for a span in the Basis.
    pub(super) fn file_of(&self, span: Span) -> Option<usize> {
        self.numbers.get(&span.file).copied()
    }

    /// Returns the syntax tree of a file, and the file's identifier among the sources.
    pub(super) fn tree(&self, file: usize) -> &(FileId, Vec<ast::Dec>) {
        &self.examined.trees[self.files[file].tree]
    }

    /// Returns the fact that the elaborator has recorded about a name.
    pub(super) fn fact(&self, name: &Name) -> Fact {
        self.examined.elaborator.facts().names[name.fact].clone()
    }

    /// Returns the text of a name.
    pub(super) fn text(&self, name: &Name) -> &str {
        let text = &self.files[name.file].text;
        text.get(name.start as usize..name.end as usize)
            .unwrap_or_default()
    }

    /// Returns true if the Basis or the language binds the names of a class.
    pub(super) fn is_foreign(&self, class: u32) -> bool {
        self.classes.is_foreign(class)
    }

    /// Returns all names of a class, ordered by place.
    pub(super) fn all_of(&self, class: u32) -> impl Iterator<Item = &Name> {
        self.names.iter().filter(move |name| name.class == class)
    }

    /// Returns the names in a file, ordered by place.
    pub(super) fn names_in(&self, file: usize) -> &[Name] {
        let from = self.names.partition_point(|name| name.file < file);
        let to = self.names.partition_point(|name| name.file <= file);
        &self.names[from..to]
    }

    /// Returns the index in a file of the byte at a position. A position past the end of a line means the end of the line, as the protocol
    /// requires.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not have the line.
    pub(super) fn byte(&self, file: usize, position: Position) -> Result<u32, Refusal> {
        let file = &self.files[file];
        checked(&file.lines, &file.text, position)
    }

    /// Returns the shortest name that contains a place. The place after a name's last byte counts as inside of the name, because the cursor
    /// is there after the user has typed the name.
    pub(super) fn name_at(&self, file: usize, byte: u32) -> Option<Name> {
        let names = self.names_in(file);
        let begun = names.partition_point(|name| name.start <= byte);
        // A name that begins at the place has precedence over a name that ends at the place.
        let ends = |name: &&Name| byte == name.end;
        names[..begun]
            .iter()
            .filter(|name| byte <= name.end)
            .min_by_key(|name| (ends(name), name.end - name.start))
            .copied()
    }

    /// Returns the name that begins where the span begins.
    pub(super) fn name_on(&self, span: Span) -> Option<Name> {
        let file = self.file_of(span)?;
        let names = self.names_in(file);
        let at = names.partition_point(|name| name.start < span.start);
        names.get(at).filter(|it| it.start == span.start).copied()
    }

    /// Translates a range of bytes of a file to a range of positions.
    pub(super) fn range(&self, file: usize, start: u32, end: u32) -> Range {
        let file = &self.files[file];
        file.lines.range(&file.text, start, end)
    }

    /// Returns the place of a name in the form that the client expects.
    pub(super) fn location(&self, name: &Name) -> Location {
        Location {
            uri: self.files[name.file].uri.clone(),
            range: self.range(name.file, name.start, name.end),
        }
    }
}

/// Returns the index in a text of the byte at a position.
///
/// # Errors
///
/// Returns an error if the text does not have the line.
pub(super) fn checked(lines: &Lines, text: &str, position: Position) -> Result<u32, Refusal> {
    if position.line >= lines.count() {
        let why = format!(
            "there is no line {}: the last one is {}, counted from 0",
            position.line,
            lines.count() - 1
        );
        return Err((ErrorCode::InvalidParams, why));
    }
    Ok(lines.byte(text, position))
}

/// Returns the characters of a text. If the text is not in UTF-8, each byte becomes one character. So places in a file in Latin-1 stay
/// valid.
fn characters(text: &[u8]) -> String {
    match std::str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => text
            .iter()
            .map(|&byte| if byte.is_ascii() { byte as char } else { '?' })
            .collect(),
    }
}

fn text_at(file: &SourceFile, span: Span) -> &str {
    let text = file.text.get(span.start as usize..span.end as usize);
    text.unwrap_or_default()
}

/// The place where a name is used or bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// A byte of a file of the program.
    Program(usize, u32),
    /// A byte of a file of the Basis.
    Basis(FileId, u32),
    /// A name of the language itself.
    Nowhere(NameKind, String),
}

/// Classes of places. The names at the places of a class mean the same variable, type or module. The classes are a union-find forest, in
/// which each tree is a class.
#[derive(Debug, Default)]
struct Classes {
    numbers: FxHashMap<Place, u32>,
    parents: Vec<u32>,
    /// For each root of a tree, whether the tree's class has a place outside of the program.
    foreign: Vec<bool>,
}

impl Classes {
    fn number(&mut self, place: Place) -> u32 {
        let next = self.parents.len() as u32;
        let foreign = !matches!(place, Place::Program(..));
        *self.numbers.entry(place).or_insert_with(|| {
            self.parents.push(next);
            self.foreign.push(foreign);
            next
        })
    }

    fn root(&self, mut class: u32) -> u32 {
        while self.parents[class as usize] != class {
            class = self.parents[class as usize];
        }
        class
    }

    fn join(&mut self, first: u32, second: u32) {
        let (first, second) = (self.root(first), self.root(second));
        if first != second {
            // The older root remains the root. The place that binds a name comes before the places that use the name, so this rule keeps
            // paths short.
            let (kept, gone) = (first.min(second), first.max(second));
            self.parents[gone as usize] = kept;
            self.foreign[kept as usize] |= self.foreign[gone as usize];
        }
    }

    fn is_foreign(&self, class: u32) -> bool {
        self.foreign[self.root(class) as usize]
    }
}
