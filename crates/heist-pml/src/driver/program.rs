//! Elaborates the files of a program. The list that names a file determines which names the file sees.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use super::annotations::Annotations;
use super::files::{Unusable, identity, read};
use super::mlb::{BasExp, Dec, Kind};
use super::settings::Dialect;
use super::times::{Phase, Times};
use crate::basis::BasisFile;
use crate::diag::Diagnostics;
use crate::elab::{Bindings, Elaborator, Module};
use crate::library::{self, Library};
use crate::source::{FileId, Sources};
use crate::syntax::{self, Directives, FixityEnv, ast};

/// The texts of files, keyed by the paths that identify the files.
pub type Texts = HashMap<PathBuf, Vec<u8>>;

/// The list with which MLton builds its Basis. For a program that names this list, `Vector` also has the functions of `VectorExtra`.
const INNER_LIST: &str = "basis/build/sources.mlb";

/// The structures that take the place of the usual structures for a program that names [`INNER_LIST`].
const EXTRA: &str = "VectorExtra ArrayExtra CharArrayExtra Word8ArrayExtra";

/// The syntax trees of files, in the order of elaboration.
pub type Trees = Vec<(FileId, Vec<ast::Dec>)>;

/// Reads all source files of a program, except those whose texts are in `known`.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn texts(decs: &[Dec], mut known: Texts) -> Result<Texts, Unusable> {
    load(decs, &mut known)?;
    Ok(known)
}

fn load(decs: &[Dec], texts: &mut Texts) -> Result<(), Unusable> {
    for dec in decs {
        match dec {
            Dec::File(path, _) => {
                let identity = identity(path);
                if let Entry::Vacant(place) = texts.entry(identity) {
                    place.insert(read(path)?);
                }
            }
            Dec::List(_, decs) => load(decs, texts)?,
            Dec::Local(inner, outer) => {
                load(inner, texts)?;
                load(outer, texts)?;
            }
            Dec::Basis(bases) => {
                for (_, exp) in bases {
                    load_basis(exp, texts)?;
                }
            }
            Dec::Embedded(_) | Dec::Library(_) | Dec::Names(..) | Dec::Open(_) => {}
        }
    }
    Ok(())
}

fn load_basis(exp: &BasExp, texts: &mut Texts) -> Result<(), Unusable> {
    match exp {
        BasExp::Bas(decs) => load(decs, texts),
        BasExp::Name(_) => Ok(()),
        BasExp::Let(decs, body) => {
            load(decs, texts)?;
            load_basis(body, texts)
        }
    }
}

/// Returns the libraries that the files of a program mention. Ignores the files of a list, because the list itself names the libraries that
/// its files need.
#[must_use]
pub fn libraries(decs: &[Dec], texts: &Texts) -> Vec<&'static Library> {
    let plain = decs.iter().filter_map(|dec| match dec {
        Dec::File(path, _) => texts.get(&identity(path)).map(Vec::as_slice),
        _ => None,
    });
    library::mentioned(&plain.collect::<Vec<_>>())
}

/// Returns true if a list of files is among the files of a program. A program with such a list is written for MLton or MPL.
pub(super) fn has_list(decs: &[Dec]) -> bool {
    decs.iter().any(|dec| matches!(dec, Dec::List(..)))
}

/// Returns the texts in which a program may mention modules of the Basis: the program's files, the names in its lists, and its libraries.
#[must_use]
pub fn mentions<'t>(decs: &'t [Dec], texts: &'t Texts) -> Vec<&'t [u8]> {
    let mut mentions = Vec::new();
    collect(decs, texts, &mut mentions);
    mentions
}

fn collect<'t>(decs: &'t [Dec], texts: &'t Texts, into: &mut Vec<&'t [u8]>) {
    for dec in decs {
        match dec {
            Dec::File(path, _) => into.extend(texts.get(&identity(path)).map(Vec::as_slice)),
            Dec::Embedded(file) => into.push(file.text.as_bytes()),
            Dec::List(_, decs) => collect(decs, texts, into),
            Dec::Local(inner, outer) => {
                collect(inner, texts, into);
                collect(outer, texts, into);
            }
            Dec::Names(_, names) => into.extend(names.iter().map(|(from, _)| from.as_bytes())),
            Dec::Basis(bases) => {
                for (_, exp) in bases {
                    collect_basis(exp, texts, into);
                }
            }
            Dec::Library(library) if library == INNER_LIST => into.push(EXTRA.as_bytes()),
            Dec::Library(_) | Dec::Open(_) => {}
        }
    }
}

fn collect_basis<'t>(exp: &'t BasExp, texts: &'t Texts, into: &mut Vec<&'t [u8]>) {
    match exp {
        BasExp::Bas(decs) => collect(decs, texts, into),
        BasExp::Name(_) => {}
        BasExp::Let(decs, body) => {
            collect(decs, texts, into);
            collect_basis(body, texts, into);
        }
    }
}

/// A program that is being elaborated.
pub struct Elaboration<'a> {
    /// The texts of the program's files.
    pub texts: &'a Texts,
    /// The program's dialect.
    pub dialect: Dialect,
    /// All source files, including the files of the Basis.
    pub sources: &'a mut Sources,
    /// The infix names in scope.
    pub fixity: &'a mut FixityEnv,
    /// All names in scope.
    pub elaborator: &'a mut Elaborator,
    /// Errors and warnings.
    pub diagnostics: &'a mut Diagnostics,
    /// The annotations around each file.
    pub annotations: &'a mut HashMap<FileId, Annotations>,
    /// The exports of the lists that have been elaborated, keyed by the path of the list.
    pub done: HashMap<PathBuf, Exports>,
    /// The named bases, the newest last.
    pub bases: Vec<(String, Exports)>,
    /// The infix names of the Basis, which are in scope where a list begins.
    pub usual: FixityEnv,
    /// The syntax trees of the program's files, if the caller needs them.
    pub trees: Option<&'a mut Trees>,
    /// The times of the compiler's phases, to which parsing and elaboration are added.
    pub times: &'a mut Times,
}

/// The bindings and directives that a list or a basis exports.
#[derive(Clone)]
pub struct Exports {
    bindings: Bindings,
    directives: Directives,
}

impl Elaboration<'_> {
    /// Elaborates all files of a command line, which together are one program. The files of a list on the command line see the names of the
    /// files before the list.
    ///
    /// # Errors
    ///
    /// Returns an error if a list names a module or basis that does not exist.
    pub fn program(&mut self, given: &[Dec]) -> Result<(), Unusable> {
        for dec in given {
            match dec {
                Dec::List(path, decs) => self.decs(path, decs)?,
                dec => self.dec(&PathBuf::new(), dec)?,
            }
        }
        Ok(())
    }

    fn decs(&mut self, list: &PathBuf, decs: &[Dec]) -> Result<(), Unusable> {
        decs.iter().try_for_each(|dec| self.dec(list, dec))
    }

    fn dec(&mut self, list: &PathBuf, dec: &Dec) -> Result<(), Unusable> {
        let unknown = |what: &str, name: &str| {
            Err(Unusable(format!(
                "{}: unknown {what} `{name}`",
                list.display()
            )))
        };
        match dec {
            Dec::File(path, annotations) => self.file(path, *annotations),
            Dec::Embedded(file) => self.embedded(file),
            Dec::List(path, decs) => {
                if let Some(exports) = self.done.get(path).cloned() {
                    self.declare_again(&exports);
                    return Ok(());
                }
                let since = self.elaborator.moment();
                let scope = self.elaborator.enter_list();
                let bases = std::mem::take(&mut self.bases);
                let fixity = std::mem::replace(self.fixity, self.usual.clone());
                let first = self.fixity.moment();
                let result = self.decs(path, decs);
                self.bases = bases;
                let exports = Exports {
                    bindings: self.elaborator.bound_since(since),
                    directives: self.fixity.since(first),
                };
                *self.fixity = fixity;
                self.fixity.obey(&exports.directives);
                self.elaborator.leave_list(scope);
                self.done.insert(path.clone(), exports);
                result?;
            }
            Dec::Library(library) => {
                if library == INNER_LIST {
                    let names = EXTRA.split(' ').map(|name| {
                        let usual = name.trim_end_matches("Extra");
                        (name.to_owned(), usual.to_owned())
                    });
                    let names: Vec<_> = names.collect();
                    self.elaborator.rename(Module::Structure, &names);
                }
            }
            Dec::Local(inner, outer) => {
                let bases = self.bases.len();
                let fixity = self.fixity.moment();
                let from = self.elaborator.moment();
                self.decs(list, inner)?;
                let to = self.elaborator.moment();
                let between = self.bases.len();
                let kept = self.fixity.moment();
                self.decs(list, outer)?;
                self.elaborator.hide(from, to);
                self.fixity.hide(fixity, kept);
                self.bases.drain(bases..between);
            }
            Dec::Names(kind, names) => {
                let (module, what) = match kind {
                    Kind::Structure => (Module::Structure, "structure"),
                    Kind::Signature => (Module::Signature, "signature"),
                    Kind::Functor => (Module::Functor, "functor"),
                };
                let missing = self.elaborator.rename(module, names);
                if let Some(name) = missing
                    && !self.diagnostics.has_errors()
                {
                    return unknown(what, name);
                }
            }
            Dec::Basis(bases) => {
                let mut made = Vec::new();
                for (name, exp) in bases {
                    let from = self.elaborator.moment();
                    let fixity = self.fixity.moment();
                    let exports = self.basis(list, exp)?;
                    let to = self.elaborator.moment();
                    self.elaborator.hide(from, to);
                    self.fixity.end(fixity);
                    made.push((name.clone(), exports));
                }
                self.bases.append(&mut made);
            }
            Dec::Open(names) => {
                for name in names {
                    let found = self.bases.iter().rev().find(|it| it.0 == *name);
                    let Some((_, exports)) = found.cloned() else {
                        return unknown("basis", name);
                    };
                    self.declare_again(&exports);
                }
            }
        }
        Ok(())
    }

    fn declare_again(&mut self, exports: &Exports) {
        self.elaborator.bind_again(&exports.bindings);
        self.fixity.obey(&exports.directives);
    }

    fn basis(&mut self, list: &PathBuf, exp: &BasExp) -> Result<Exports, Unusable> {
        match exp {
            BasExp::Bas(decs) => {
                let bases = self.bases.len();
                let since = self.elaborator.moment();
                let fixity = self.fixity.moment();
                self.decs(list, decs)?;
                self.bases.truncate(bases);
                Ok(Exports {
                    bindings: self.elaborator.bound_since(since),
                    directives: self.fixity.since(fixity),
                })
            }
            BasExp::Name(name) => match self.bases.iter().rev().find(|it| it.0 == *name) {
                Some((_, exports)) => Ok(exports.clone()),
                None => Err(Unusable(format!(
                    "{}: unknown basis `{name}`",
                    list.display()
                ))),
            },
            BasExp::Let(decs, body) => {
                let bases = self.bases.len();
                self.decs(list, decs)?;
                let exports = self.basis(list, body)?;
                self.bases.truncate(bases);
                Ok(exports)
            }
        }
    }

    fn embedded(&mut self, file: &BasisFile) {
        self.declare(file, false);
    }

    /// Declares a file that is part of the compiler. If `forms` is true, the compiler translates parallel forms to calls of the file's
    /// functions.
    pub fn declare(&mut self, file: &BasisFile, forms: bool) {
        self.declare_part(file, file.text, forms);
    }

    /// Declares a part of a file, in the way in which [`declare`](Self::declare) declares a whole file.
    pub fn declare_part(&mut self, file: &BasisFile, text: impl Into<Vec<u8>>, forms: bool) {
        let (_, decs) = self.times.phase(Phase::Parse, || {
            file.parse(text, self.sources, self.fixity, self.diagnostics)
        });
        self.elaborate(&decs, forms);
    }

    fn elaborate(&mut self, decs: &[ast::Dec], forms: bool) {
        self.times.phase(Phase::Elaborate, || {
            self.elaborator.declare(decs, forms, self.diagnostics);
        });
    }

    fn file(&mut self, path: &PathBuf, annotations: Annotations) {
        let text = self.texts.get(&identity(path)).cloned().unwrap_or_default();
        let id = self.sources.add(path, text, false);
        self.annotations.insert(id, annotations);
        let before = self.diagnostics.errors();
        let decs = self.times.phase(Phase::Parse, || {
            syntax::parse(
                self.sources,
                id,
                self.fixity,
                annotations.options(self.dialect.options(path)),
                self.diagnostics,
            )
        });
        if self.diagnostics.errors() > before {
            // The file has syntax errors. The compiler elaborates it nevertheless, because later files need its types. Most errors of this
            // elaboration would be consequences of the syntax errors, so the compiler drops them.
            self.elaborator
                .declare(&decs, false, &mut Diagnostics::default());
        } else {
            self.elaborate(&decs, false);
        }
        if let Some(trees) = &mut self.trees {
            trees.push((id, decs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::demand;

    /// Returns the names of the files on demand that a program needs.
    fn on_demand(decs: &[Dec], texts: &Texts) -> Vec<&'static str> {
        let files = demand::mentioned(mentions(decs, texts));
        files.iter().map(|file| file.name).collect()
    }

    #[test]
    fn files_and_lists_mention_modules() {
        let file = |name: &str| Dec::File(PathBuf::from(name), Annotations::default());
        let text = |name: &str, text: &str| (PathBuf::from(name), text.as_bytes().to_vec());
        let texts = Texts::from([
            text("plain.sml", "val () = print (Int.toString 5)"),
            text("json.sml", "val x = JSON.INT 5"),
            text("word.sml", "fun f (x : Word9.word) = x + 0w1"),
        ]);
        assert!(on_demand(&[file("plain.sml")], &texts).is_empty());
        assert_eq!(
            on_demand(&[file("json.sml")], &texts),
            ["basis/demand/json.sml"]
        );
        let names = vec![("Int9".to_owned(), "I".to_owned())];
        let inner = vec![file("plain.sml"), Dec::Names(Kind::Structure, names)];
        let inside = Dec::Local(inner, vec![file("word.sml")]);
        let list = Dec::List(PathBuf::from("a.mlb"), [inside].into());
        let sizes = ["sized.sml", "Int9.sml", "Word9.sml"].map(|it| format!("basis/demand/{it}"));
        assert_eq!(on_demand(&[list], &texts), sizes);
    }
}
