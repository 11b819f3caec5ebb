//! Implements renaming, which must not change the meaning of the program.
//!
//! The server elaborates the edited program. The edited program must have no new error. Two names must mean the same variable, type or
//! module in the edited program if and only if they do so in the original program. So the server refuses a new name if another binding
//! would capture it, if it would hide another name, or if it would be a constructor in a pattern.

use std::collections::HashMap;

use lsp_server::ErrorCode;
use lsp_types::Range;
use serde_json::{Value, json};

use super::super::program::Texts;
use super::Refusal;
use super::analysis::{Analysis, Name};
use crate::elab::NameKind;
use crate::syntax::{self, Role};

/// A replacement of a part of a file.
#[derive(Clone, Debug)]
struct Edit {
    start: u32,
    end: u32,
    text: String,
    /// The index, in the new text, of the first byte of the new name.
    name: u32,
}

/// The edits that replace a name by a new name, at all places of the name's class.
#[derive(Debug)]
pub(super) struct Renaming {
    /// The edits of each file, ordered by place.
    edits: Vec<Vec<Edit>>,
    to: String,
}

fn refuse<R>(why: String) -> Result<R, Refusal> {
    Err((ErrorCode::RequestFailed, why))
}

/// Returns true if a text consists of exactly one name.
fn is_name(text: &str) -> bool {
    matches!(
        syntax::pieces(text.as_bytes())[..],
        [piece] if piece.role == Role::Name && piece.start == 0 && piece.end as usize == text.len()
    )
}

impl Analysis {
    /// Returns the name at a place, if it can be renamed.
    ///
    /// # Errors
    ///
    /// Returns an error if the place has no name, or if the program does not bind the name.
    pub(super) fn renamable(&self, file: usize, byte: u32) -> Result<(Name, Range), Refusal> {
        let Some(name) = self.name_at(file, byte) else {
            return refuse("there is no name here that can be changed".to_owned());
        };
        let text = self.text(&name);
        if self.is_foreign(name.class) {
            return refuse(format!(
                "`{text}` is a name of the Basis, or must be called so because of one"
            ));
        }
        if let Some(other) = self.all_of(name.class).find(|it| self.text(it) != text) {
            return refuse(format!("`{text}` is called `{}`, too", self.text(other)));
        }
        Ok((name, self.range(file, name.start, name.end)))
    }

    /// Returns the edits that give a name the new text `to`.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Analysis::renamable`], and also if `to` is not a valid name of the same kind.
    pub(super) fn renaming(&self, file: usize, byte: u32, to: &str) -> Result<Renaming, Refusal> {
        let (name, _) = self.renamable(file, byte)?;
        let kind = self.fact(&name).kind;
        let letters = to.starts_with(|c: char| c.is_ascii_alphabetic());
        let module = matches!(
            kind,
            NameKind::Structure | NameKind::Signature | NameKind::Functor
        );
        if !is_name(to) || (module && !letters) || (kind == NameKind::Type && to == "*") {
            return refuse(format!("`{to}` cannot be the name of such a thing"));
        }
        let mut edits: Vec<Vec<Edit>> = self.files.iter().map(|_| Vec::new()).collect();
        let puns = &self.examined.elaborator.facts().puns;
        for name in self.all_of(name.class) {
            let pun = puns.iter().any(|pun| {
                self.file_of(*pun) == Some(name.file)
                    && (pun.start, pun.end) == (name.start, name.end)
            });
            let before = if pun {
                format!("{} = ", self.text(name))
            } else {
                String::new()
            };
            edits[name.file].push(Edit {
                start: name.start,
                end: name.end,
                name: before.len() as u32,
                text: before + to,
            });
        }
        let value = matches!(
            kind,
            NameKind::Value | NameKind::Constructor | NameKind::Exception
        );
        if value && self.is_only_value(&name) {
            self.add_directives(self.text(&name), to, &mut edits);
        }
        for edits in &mut edits {
            edits.sort_by_key(|edit| edit.start);
        }
        Ok(Renaming {
            edits,
            to: to.to_owned(),
        })
    }

    /// Returns true if all value names with the text of `name` are in the class of `name`.
    fn is_only_value(&self, name: &Name) -> bool {
        let text = self.text(name);
        self.names.iter().all(|other| {
            other.class == name.class
                || self.text(other) != text
                || !matches!(
                    self.fact(other).kind,
                    NameKind::Value | NameKind::Constructor | NameKind::Exception
                )
        })
    }

    /// Adds the edits that replace the name in directives such as `infix ++`.
    fn add_directives(&self, text: &str, to: &str, edits: &mut [Vec<Edit>]) {
        for (file, edits) in self.files.iter().zip(edits.iter_mut()) {
            let mut inside = false;
            for piece in syntax::pieces(file.text.as_bytes()) {
                inside = match piece.role {
                    Role::Directive => true,
                    Role::Name | Role::Literal => inside,
                    _ => false,
                };
                let found = file.text.get(piece.start as usize..piece.end as usize);
                if inside && piece.role == Role::Name && found == Some(text) {
                    edits.push(Edit {
                        start: piece.start,
                        end: piece.end,
                        text: to.to_owned(),
                        name: 0,
                    });
                }
            }
        }
        // If a value follows a directive without a `;` between them, there are two edits for the value: one because it is a name, and one
        // because the text looks like a part of the directive.
        for edits in edits {
            edits.sort_by_key(|edit| edit.start);
            edits.dedup_by_key(|edit| edit.start);
        }
    }

    /// Returns the new texts of the files that a renaming changes.
    pub(super) fn renamed(&self, renaming: &Renaming) -> Texts {
        let mut texts = HashMap::new();
        for ((number, file), edits) in self.files.iter().enumerate().zip(&renaming.edits) {
            let Some(source) = self.examined.sources.file(self.tree(number).0) else {
                continue;
            };
            if edits.is_empty() {
                continue;
            }
            let mut text = Vec::with_capacity(source.text.len());
            let mut at = 0;
            for edit in edits {
                text.extend_from_slice(&source.text[at..edit.start as usize]);
                text.extend_from_slice(edit.text.as_bytes());
                at = edit.end as usize;
            }
            text.extend_from_slice(&source.text[at..]);
            texts.insert(file.path.clone(), text);
        }
        texts
    }

    /// Checks that a renaming does not change the meaning of the program. `after` is the renamed program.
    ///
    /// # Errors
    ///
    /// Returns an error if the renaming changes the meaning.
    pub(super) fn confirm(&self, renaming: &Renaming, after: &Analysis) -> Result<(), Refusal> {
        let captured = || {
            refuse(format!(
                "`{}` has another meaning in a place where the name is used",
                renaming.to
            ))
        };
        let errors = |analysis: &Analysis| analysis.examined.diagnostics.errors();
        if errors(after) > errors(self) || after.names.len() != self.names.len() {
            return captured();
        }
        let mut there: HashMap<u32, u32> = HashMap::new();
        let mut back: HashMap<u32, u32> = HashMap::new();
        for (old, new) in self.names.iter().zip(&after.names) {
            let same = *there.entry(old.class).or_insert(new.class) == new.class
                && *back.entry(new.class).or_insert(old.class) == old.class
                && old.file == new.file
                && renaming.moved(old) == new.start
                && self.is_foreign(old.class) == after.is_foreign(new.class)
                && self.fact(old).kind == after.fact(new).kind;
            if !same {
                return captured();
            }
        }
        Ok(())
    }

    /// Returns a renaming in the form that the client expects.
    pub(super) fn workspace_edit(&self, renaming: &Renaming) -> Value {
        let mut changes = serde_json::Map::new();
        for ((number, file), edits) in self.files.iter().enumerate().zip(&renaming.edits) {
            if edits.is_empty() {
                continue;
            }
            let edits: Vec<Value> = edits
                .iter()
                .map(|edit| {
                    let range = self.range(number, edit.start, edit.end);
                    json!({ "range": range, "newText": edit.text })
                })
                .collect();
            changes.insert(file.uri.as_str().to_owned(), Value::Array(edits));
        }
        json!({ "changes": changes })
    }
}

impl Renaming {
    /// Returns the index, after the renaming, of the first byte of a name.
    fn moved(&self, name: &Name) -> u32 {
        let mut at = i64::from(name.start);
        for edit in &self.edits[name.file] {
            if edit.start == name.start {
                at += i64::from(edit.name);
                break;
            }
            if edit.start > name.start {
                break;
            }
            at += edit.text.len() as i64 - i64::from(edit.end - edit.start);
        }
        u32::try_from(at).unwrap_or(0)
    }
}
