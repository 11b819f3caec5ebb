//! Reads ML Basis files into trees of declarations.
//!
//! The grammar is the grammar of MLton's ML Basis system. A list consists of files, other lists, `local ... in ... end`, `let`, `open`,
//! `basis` and annotations. A list may also export modules by `structure`, `signature` and `functor`, with or without a new name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::annotations::{Annotations, Said};
use super::files::{Unusable, read};
use crate::basis::BasisFile;
use crate::library::{self, Library};

/// A declaration in a list of files (an ML Basis file).
#[derive(Clone, Debug)]
pub enum Dec {
    /// A source file, and the effect of the annotations around it.
    File(PathBuf, Annotations),
    /// Another list: its file and its declarations. These declarations see only the Basis and each other.
    List(PathBuf, Rc<[Dec]>),
    /// A source file that is part of the compiler.
    Embedded(BasisFile),
    /// A library of MLton. The field is the library's path after `$(SML_LIB)/`.
    Library(String),
    /// `local`: two lists of declarations. Only the second list sees the declarations of the first list.
    Local(Vec<Dec>, Vec<Dec>),
    /// Modules of one kind that the list exports. An entry has the module's own name, and the name under which the list exports the module.
    Names(Kind, Vec<(String, String)>),
    /// Named bases.
    Basis(Vec<(String, BasExp)>),
    /// `open`, with the names of bases.
    Open(Vec<String>),
}

/// An expression for a basis.
#[derive(Clone, Debug)]
pub enum BasExp {
    /// `bas`: the bindings that these declarations make.
    Bas(Vec<Dec>),
    /// The name of a basis.
    Name(String),
    /// `let`: declarations, and an expression that sees these declarations.
    Let(Vec<Dec>, Box<BasExp>),
}

/// A kind of module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The kind `structure`.
    Structure,
    /// The kind `signature`.
    Signature,
    /// The kind `functor`.
    Functor,
}

/// Reads lists.
#[derive(Default)]
pub struct Lists<'a> {
    /// The path variables.
    variables: &'a [(String, String)],
    /// The lists that were read, keyed by their canonical paths.
    read: HashMap<PathBuf, Rc<[Dec]>>,
    /// The canonical paths of the lists that are being read, the outermost first: each list names the next list.
    around: Vec<(PathBuf, PathBuf)>,
    /// Warnings about the lists.
    pub warnings: Vec<String>,
}

impl<'a> Lists<'a> {
    /// Makes a reader with these path variables, which take precedence over the predefined variable `COMPAT`.
    pub fn new(variables: &'a [(String, String)]) -> Lists<'a> {
        Lists {
            variables,
            ..Lists::default()
        }
    }

    /// Reads a source file, or a list.
    ///
    /// # Errors
    ///
    /// Returns an error if a list cannot be read, includes itself, or is not well formed.
    pub fn path(&mut self, path: &Path) -> Result<Dec, Unusable> {
        if path.extension().is_none_or(|extension| extension != "mlb") {
            return Ok(Dec::File(path.to_path_buf(), Annotations::default()));
        }
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some(first) = self.around.iter().position(|list| list.1 == identity) {
            let way: Vec<String> = self.around[first..]
                .iter()
                .map(|list| list.0.display().to_string())
                .collect();
            return Err(Unusable(format!(
                "{}: this list includes itself{}",
                way[0],
                if way.len() > 1 {
                    format!(", by way of {}", way[1..].join(", "))
                } else {
                    String::new()
                }
            )));
        }
        if let Some(decs) = self.read.get(&identity) {
            return Ok(Dec::List(identity, decs.clone()));
        }
        let text = read(path)?;
        let words = words(&String::from_utf8_lossy(&text))
            .map_err(|what| Unusable(format!("{}: {what}", path.display())))?;
        self.around.push((path.to_path_buf(), identity.clone()));
        let mut parser = Parser {
            lists: self,
            path,
            words,
            at: 0,
            annotations: Annotations::default(),
        };
        let decs: Rc<[Dec]> = parser.decs(&[])?.into();
        if let Some(word) = parser.next() {
            return Err(parser.unusable(&format!("`{word}` has nothing to end")));
        }
        self.around.pop();
        self.read.insert(identity.clone(), decs.clone());
        Ok(Dec::List(identity, decs))
    }

    /// Returns a library of the compiler as a list. The list sees the libraries that it needs, and exports only its own
    /// names.
    fn library(&mut self, library: &Library) -> Dec {
        let path = PathBuf::from(library.file.name);
        let decs = self.read.get(&path).cloned().unwrap_or_else(|| {
            let needed = library.needs().map(|it| self.library(it)).collect();
            let decs = [Dec::Local(needed, vec![Dec::Embedded(library.file)])];
            let decs: Rc<[Dec]> = Rc::new(decs);
            self.read.insert(path.clone(), decs.clone());
            decs
        });
        Dec::List(path, decs)
    }

    fn variable(&self, name: &str) -> Option<&str> {
        let given = self.variables.iter().rev().find(|it| it.0 == name);
        match given {
            Some((_, value)) => Some(value),
            None if name == "COMPAT" => Some("mpl"),
            None => None,
        }
    }
}

/// The parser of one list.
struct Parser<'p, 'a> {
    lists: &'p mut Lists<'a>,
    path: &'p Path,
    words: Vec<String>,
    at: usize,
    /// The annotations around the current declaration in this list. A list does not inherit annotations from lists that name it, because
    /// each list is elaborated only once.
    annotations: Annotations,
}

impl Parser<'_, '_> {
    fn unusable(&self, what: &str) -> Unusable {
        Unusable(format!("{}: {what}", self.path.display()))
    }

    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn next(&mut self) -> Option<String> {
        self.at += 1;
        self.words.get(self.at - 1).cloned()
    }

    fn next_if(&mut self, word: &str) -> bool {
        let is = self.peek() == Some(word);
        self.at += usize::from(is);
        is
    }

    fn wants(&mut self, word: &str, after: &str) -> Result<(), Unusable> {
        if self.next_if(word) {
            return Ok(());
        }
        let found = self
            .peek()
            .map_or("the end".to_owned(), |it| format!("`{it}`"));
        Err(self.unusable(&format!("`{word}` must follow {after}, not {found}")))
    }

    fn name(&mut self, kind: &str) -> Result<String, Unusable> {
        match self.peek() {
            Some(word) if is_name(word) => Ok(self.next().unwrap_or_default()),
            _ => Err(self.unusable(&format!("a name must follow `{kind}`"))),
        }
    }

    /// Parses declarations up to one of these words, or up to a word that begins no declaration.
    fn decs(&mut self, ends: &[&str]) -> Result<Vec<Dec>, Unusable> {
        let mut decs = Vec::new();
        while let Some(word) = self.peek() {
            if ends.contains(&word) || matches!(word, "in" | "end" | "and" | "=" | "let" | "bas") {
                break;
            }
            let word = self.next().unwrap_or_default();
            match word.as_str() {
                ";" => {}
                "structure" => decs.push(self.names(Kind::Structure, &word)?),
                "signature" => decs.push(self.names(Kind::Signature, &word)?),
                "functor" => decs.push(self.names(Kind::Functor, &word)?),
                "local" => {
                    let inner = self.decs(&["in"])?;
                    self.wants("in", "the declarations after `local`")?;
                    let outer = self.decs(&["end"])?;
                    self.wants("end", "the declarations after `in`")?;
                    decs.push(Dec::Local(inner, outer));
                }
                "open" => {
                    let mut names = vec![self.name("open")?];
                    // The next word is the name of a basis unless it begins another declaration.
                    while self.peek().is_some_and(is_name) {
                        names.push(self.name("open")?);
                    }
                    decs.push(Dec::Open(names));
                }
                "basis" => {
                    let mut bases = Vec::new();
                    loop {
                        let name = self.name("basis")?;
                        self.wants("=", "the name of a basis")?;
                        bases.push((name, self.basexp()?));
                        if !self.next_if("and") {
                            break;
                        }
                    }
                    decs.push(Dec::Basis(bases));
                }
                "ann" => {
                    let around = self.annotations;
                    while self.peek().is_some_and(|word| word.starts_with('"')) {
                        let word = self.next().unwrap_or_default();
                        self.annotation(word.trim_matches('"'));
                    }
                    self.wants("in", "annotations")?;
                    decs.extend(self.decs(&["end"])?);
                    self.annotations = around;
                    self.wants("end", "the declarations after `in`")?;
                }
                _ => decs.push(self.file(word.trim_matches('"'))?),
            }
        }
        Ok(decs)
    }

    fn basexp(&mut self) -> Result<BasExp, Unusable> {
        if self.next_if("bas") {
            let decs = self.decs(&["end"])?;
            self.wants("end", "the declarations after `bas`")?;
            return Ok(BasExp::Bas(decs));
        }
        if self.next_if("let") {
            let decs = self.decs(&["in"])?;
            self.wants("in", "the declarations after `let`")?;
            let body = self.basexp()?;
            self.wants("end", "the basis after `in`")?;
            return Ok(BasExp::Let(decs, Box::new(body)));
        }
        Ok(BasExp::Name(self.name("=")?))
    }

    fn names(&mut self, kind: Kind, word: &str) -> Result<Dec, Unusable> {
        let mut names = Vec::new();
        loop {
            let name = self.name(word)?;
            let from = if self.next_if("=") {
                self.name("=")?
            } else {
                name.clone()
            };
            names.push((from, name));
            if !self.next_if("and") {
                return Ok(Dec::Names(kind, names));
            }
        }
    }

    fn annotation(&mut self, text: &str) {
        for one in text.split(',') {
            if let Some(Said(what)) = self.annotations.add(one) {
                self.warn(&what);
            }
        }
    }

    /// Adds a warning, unless the list of warnings contains it already.
    fn warn(&mut self, what: &str) {
        let warning = format!("{}: warning: {what}", self.path.display());
        if !self.lists.warnings.contains(&warning) {
            self.lists.warnings.push(warning);
        }
    }

    fn file(&mut self, word: &str) -> Result<Dec, Unusable> {
        let library = word
            .strip_prefix("$(SML_LIB)/")
            .or_else(|| word.strip_prefix("${SML_LIB}/"))
            .or_else(|| {
                word.strip_prefix('$')
                    .filter(|rest| !rest.starts_with(['(', '{']))
            });
        if let Some(library) = library {
            if let Some(library) = library.strip_prefix("heist/").and_then(library::find) {
                return Ok(self.lists.library(library));
            }
            // The compiler always uses its own Basis. MLton's other libraries are source files that can use this Basis.
            let installed = self.lists.variable("SML_LIB");
            if let Some(folder) = installed.filter(|_| !library.starts_with("basis/")) {
                let path = Path::new(folder).join(library);
                return self.annotated(&path);
            }
            if let Some(missing) = missing(library) {
                self.warn(&missing);
            }
            return Ok(Dec::Library(library.to_owned()));
        }
        let mut rest = word;
        let mut path = String::new();
        while let Some(start) = rest.find("$(") {
            let Some(end) = rest[start..].find(')') else {
                break;
            };
            let name = &rest[start + 2..start + end];
            let Some(value) = self.lists.variable(name) else {
                return Err(self.unusable(&format!(
                    "the path variable `{name}` has no value: give it one by `--mlb-path-var {name}=...`"
                )));
            };
            path.push_str(&rest[..start]);
            path.push_str(value);
            rest = &rest[start + end + 1..];
        }
        path.push_str(rest);
        let folder = self.path.parent().unwrap_or(Path::new(""));
        self.annotated(&folder.join(path))
    }

    /// Returns the declaration for a path: a source file with the current annotations, or a list, which this function reads.
    fn annotated(&mut self, path: &Path) -> Result<Dec, Unusable> {
        Ok(match self.lists.path(path)? {
            Dec::File(path, _) => Dec::File(path, self.annotations),
            dec => dec,
        })
    }
}

/// Returns a warning if Heist does not have a library of MLton, or has only a part of the library.
fn missing(library: &str) -> Option<String> {
    const WHOLE: &[&str] = &[
        "basis-1997.mlb",
        "basis-2002.mlb",
        "basis-none.mlb",
        "basis.mlb",
        "build/sources.mlb",
        "call-main.mlb",
        "fork-join.mlb",
        "fork-join-slow-exn.mlb",
        "infixes.mlb",
        "infixes-overflow.mlb",
        "mlton.mlb",
        "mpl.mlb",
        "overloads.mlb",
        "pervasive-exns.mlb",
        "pervasive-types.mlb",
        "pervasive-vals.mlb",
        "pervasive.mlb",
        "sml-nj.mlb",
        "unsafe.mlb",
    ];
    let basis = library
        .strip_prefix("basis/")
        .or(library.strip_prefix("basis/libs/"));
    if basis.is_some_and(|file| WHOLE.contains(&file)) {
        return None;
    }
    let smlnj = library.strip_prefix("smlnj-lib/");
    if smlnj.is_some_and(|file| matches!(file, "JSON/json-lib.mlb" | "JSON/sources.mlb")) {
        return None;
    }
    Some(match smlnj {
        Some(_) => {
            format!(
                "of the library `{library}` there are the structures `Random`, with other numbers, `JSON`, `JSONParser` and `JSONPrinter`; \
                 `--mlb-path-var SML_LIB=...` takes it from an installed MLton"
            )
        }
        None => format!(
            "there is no library `{library}`: what a program names of it is unknown; `--mlb-path-var SML_LIB=...` takes it from an \
             installed MLton"
        ),
    })
}

/// Returns true if a word may be the name of a module or basis, because the word neither names a file nor begins a declaration.
fn is_name(word: &str) -> bool {
    let reserved = [
        "and",
        "ann",
        "bas",
        "basis",
        "end",
        "functor",
        "in",
        "let",
        "local",
        "open",
        "signature",
        "structure",
        "=",
        ";",
    ];
    !reserved.contains(&word) && !word.contains(['.', '/', '"', '$'])
}

/// Returns the words of a list, without comments.
fn words(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut depth = 0usize;
    let mut rest = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = rest.next() {
        if !quoted && c == '(' && rest.peek() == Some(&'*') {
            rest.next();
            depth += 1;
        } else if !quoted && depth > 0 {
            if c == '*' && rest.peek() == Some(&')') {
                rest.next();
                depth -= 1;
            }
        } else if !quoted && (c.is_whitespace() || c == ';' || c == '=') {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !c.is_whitespace() {
                words.push(c.to_string());
            }
        } else {
            quoted ^= c == '"';
            word.push(c);
        }
    }
    if depth > 0 {
        return Err("a comment does not end");
    }
    if quoted {
        return Err("a quoted name does not end");
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}
