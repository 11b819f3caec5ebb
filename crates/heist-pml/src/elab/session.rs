//! Methods of the elaborator for a read-eval loop: they remove the bindings of failed declarations, and describe declared names.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::Elaborator;
use super::env::{Binding, Env, Mark, Status, TyEntry, Val, What};
use super::types::{Node, TyFn};
use crate::source::FileId;
use crate::symbol::Symbol;
use crate::typed::{Program, Ty, Var};

/// A point between two declarations.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint(Mark);

/// The description of a declared name for the read-eval loop.
#[derive(Clone, Debug)]
pub enum Echo {
    /// A value.
    Val {
        /// The name of the value.
        name: Symbol,
        /// The variable, or `None` if the name means a primitive or an overloaded value.
        var: Option<Var>,
        /// The type of the value.
        ty: Ty,
        /// The type as text.
        text: String,
    },
    /// The text about a declared name that is not a value.
    Text(String),
}

impl Elaborator {
    /// Returns the current state of the scopes, for [`Elaborator::restore`].
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.scopes.mark())
    }

    /// Removes all names that were declared after the checkpoint.
    pub fn restore(&mut self, to: Checkpoint) {
        self.scopes.undo(to.0);
        self.out.clear();
    }

    /// Returns the tables of the program.
    pub fn tables(&mut self) -> &mut Program {
        &mut self.program
    }

    /// Returns the names that the top level of a file has declared since a checkpoint. The result does not contain names that come only
    /// from an `open`. If the file declares a name several times, returns only the last declaration.
    pub fn echo(&mut self, since: Checkpoint, file: FileId) -> Vec<Echo> {
        let mut echoes = Vec::new();
        let mut seen = FxHashSet::default();
        for binding in self.scopes.since(since.0).into_iter().rev() {
            let echo = match binding {
                Binding::Val(name, val) => {
                    if val.span.file != file || !seen.insert((0, name)) {
                        continue;
                    }
                    match val.status {
                        Status::Con => continue,
                        Status::Exn => Echo::Text(self.exception_text(name, &val)),
                        Status::Value => {
                            let ty = self.final_ty(val.ty);
                            Echo::Val {
                                name,
                                var: match val.what {
                                    What::Var(var) => Some(var),
                                    _ => None,
                                },
                                ty,
                                text: self.show(val.ty),
                            }
                        }
                    }
                }
                Binding::Ty(name, entry) => {
                    if entry.span.file != file || !seen.insert((1, name)) {
                        continue;
                    }
                    Echo::Text(self.type_text(name, &entry, false))
                }
                Binding::Str(name, structure) => {
                    if structure.span.file != file || !seen.insert((2, name)) {
                        continue;
                    }
                    let mut text = format!("structure {name} : ");
                    self.env_text(&structure.env, 0, false, &mut text);
                    Echo::Text(text)
                }
                Binding::Sig(name, sig) => {
                    if !seen.insert((3, name)) {
                        continue;
                    }
                    let mut text = format!("signature {name} = ");
                    self.env_text(&sig.env, 0, true, &mut text);
                    Echo::Text(text)
                }
                Binding::Fct(name, _) => {
                    if !seen.insert((4, name)) {
                        continue;
                    }
                    Echo::Text(format!("functor {name}"))
                }
            };
            echoes.push(echo);
        }
        echoes.reverse();
        echoes
    }

    fn exception_text(&mut self, name: Symbol, val: &Val) -> String {
        match self.store.look(val.ty).1 {
            Node::Arrow(arg, _) => format!("exception {name} of {}", self.show(arg)),
            _ => format!("exception {name}"),
        }
    }

    /// Returns the text of a type's declaration. If `spec` is true, the type comes from a signature, and the text has a definition only if
    /// the type has constructors.
    pub(super) fn type_text(&mut self, name: Symbol, entry: &TyEntry, spec: bool) -> String {
        let con = self.store.function_con(&entry.function);
        let params: Vec<Symbol> = match (&entry.function, con) {
            (TyFn::Lambda(params, _), _) => params
                .iter()
                .map(|param| self.program.tyvars[param.index()])
                .collect(),
            (TyFn::Con(_), Some(con)) => self.program.tycons[con.index()]
                .params
                .iter()
                .map(|param| self.program.tyvars[param.index()])
                .collect(),
            (TyFn::Con(_), None) => Vec::new(),
        };
        let head = match params[..] {
            [] => name.to_string(),
            [param] => format!("{param} {name}"),
            _ => {
                let params: Vec<&str> = params.iter().map(|param| param.as_str()).collect();
                format!("({}) {name}", params.join(", "))
            }
        };
        let cons = Rc::clone(&entry.cons);
        if !cons.is_empty() {
            let mut text = format!("datatype {head} =");
            for (at, (con, val)) in cons.iter().enumerate() {
                text.push_str(if at > 0 { " | " } else { " " });
                text.push_str(con.as_str());
                if let Node::Arrow(arg, _) = self.store.look(val.ty).1 {
                    text.push_str(" of ");
                    text.push_str(&self.show(arg));
                }
            }
            return text;
        }
        match &entry.function {
            TyFn::Lambda(_, body) => format!("type {head} = {}", self.show(*body)),
            TyFn::Con(_) => {
                let function = entry.function.clone();
                let eq = spec && self.store.function_admits_eq(&function);
                format!("{} {head}", if eq { "eqtype" } else { "type" })
            }
        }
    }

    /// Returns the text of a structure or signature.
    pub(super) fn env_text(&mut self, env: &Env, depth: usize, spec: bool, text: &mut String) {
        text.push_str("sig\n");
        let indent = "  ".repeat(depth + 1);
        for (name, entry) in env.tys.iter() {
            let entry = self.type_text(*name, entry, spec);
            text.push_str(&format!("{indent}{entry}\n"));
        }
        for (name, structure) in env.strs.iter() {
            text.push_str(&format!("{indent}structure {name} : "));
            self.env_text(&structure.env, depth + 1, spec, text);
            text.push('\n');
        }
        for (name, val) in env.vals.iter() {
            let line = match val.status {
                Status::Con => continue,
                Status::Exn => self.exception_text(*name, val),
                Status::Value => format!("val {name} : {}", self.show(val.ty)),
            };
            text.push_str(&format!("{indent}{line}\n"));
        }
        text.push_str(&"  ".repeat(depth));
        text.push_str("end");
    }
}
