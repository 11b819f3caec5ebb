//! Looks up names, and makes instances of the types of values.

use std::rc::Rc;

use super::env::{Env, Status, Structure, TyEntry, Val, What};
use super::facts::Fact;
use super::probe::Place;
use super::types::{Bound, T, TyFn};
use super::{Elaborator, Use};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::{LongName, Name};
use crate::typed::{Exp, ExpKind, Ty, Var};

/// The first of the variable numbers that represent uses of overloaded names until the implementations are known.
pub(super) const FIRST_USE: u32 = 1 << 31;

impl Elaborator {
    /// Returns the structure that a path such as `A.B` names. Reports an error and returns `None` if there is no such structure.
    pub(super) fn find_path(&mut self, path: &[Name]) -> Option<Structure> {
        let (first, rest) = path.split_first()?;
        if self.probe.is_some() {
            for (at, name) in path.iter().enumerate() {
                self.look_around(&path[..at], *name, Place::Structure);
            }
        }
        let Some(structure) = self.scopes.structure(first.symbol) else {
            let hint = match self.scopes.val(first.symbol) {
                Some(val) if val.status == Status::Value && !self.builtin => Some(format!(
                    "`{0}` is a value, not a structure; the field `f` of a record `{0}` is `#f {0}`",
                    first.symbol
                )),
                _ => self.suggest(first.symbol, self.scopes.structure_names()),
            };
            self.unbound(Code::UnboundStructure, "structure", *first, hint);
            return None;
        };
        let mut structure = structure.clone();
        self.note(|| Fact::structure(first.span, &structure));
        for name in rest {
            if structure.env.error {
                return None;
            }
            let Some(inner) = structure.env.strs.get(name.symbol) else {
                let names = structure.env.strs.iter().map(|entry| entry.0);
                let hint = self.suggest(name.symbol, names);
                self.unbound(Code::UnboundStructure, "structure", *name, hint);
                return None;
            };
            structure = inner.clone();
            self.note(|| Fact::structure(name.span, &structure));
        }
        if structure.env.error {
            return None;
        }
        Some(structure)
    }

    fn unbound(&mut self, code: Code, what: &str, name: Name, hint: Option<String>) {
        if self.lenient {
            self.reported += 1;
            return;
        }
        let mut diagnostic =
            Diagnostic::new(code, name.span, format!("unknown {what} `{}`", name.symbol));
        diagnostic.notes.extend(hint);
        self.report(diagnostic);
    }

    /// Returns the meaning of a value name, or `None` if the name is not bound. If a structure of the path does not exist, reports an error
    /// and returns `Err`.
    pub(super) fn look_up_val(&mut self, name: &LongName) -> Result<Option<Val>, ()> {
        self.look_around(&name.path, name.name, Place::Value);
        if name.path.is_empty() {
            return Ok(self.scopes.val(name.name.symbol).cloned());
        }
        let structure = self.find_path(&name.path).ok_or(())?;
        Ok(structure.env.vals.get(name.name.symbol).cloned())
    }

    /// Returns the meaning of a value name. Reports an error and returns `None` if the name is not bound.
    pub(super) fn find_val(&mut self, name: &LongName) -> Option<Val> {
        match self.look_up_val(name) {
            Err(()) => None,
            Ok(Some(val)) => Some(val),
            Ok(None) => {
                let hint = self.suggest_val(name);
                let upper = name.name.symbol.as_str().starts_with(char::is_uppercase);
                let (code, what) = if upper {
                    (Code::UnboundConstructor, "constructor")
                } else {
                    (Code::UnboundVariable, "variable")
                };
                let code = if name.path.is_empty() && upper {
                    code
                } else {
                    Code::UnboundVariable
                };
                let what = if code == Code::UnboundVariable {
                    "variable"
                } else {
                    what
                };
                self.unbound_long(code, what, name, hint);
                None
            }
        }
    }

    pub(super) fn suggest_val(&mut self, name: &LongName) -> Option<String> {
        if name.path.is_empty() {
            if let Some(ours) = foreign_operator(name.name.symbol.as_str()) {
                return Some(ours.to_owned());
            }
            if let word @ ("pval" | "pcase" | "spawn") = name.name.symbol.as_str() {
                return Some(format!(
                    "`{word}` begins a form of Parallel ML only in files named `.pml` or with `--dialect pml`, and only if the file does \
                     not bind `{word}`"
                ));
            }
            return self.suggest(name.name.symbol, self.scopes.val_names());
        }
        let structure = self.find_path(&name.path)?;
        let names = structure.env.vals.iter().map(|entry| entry.0);
        self.suggest(name.name.symbol, names)
    }

    pub(super) fn unbound_long(
        &mut self,
        code: Code,
        what: &str,
        name: &LongName,
        hint: Option<String>,
    ) {
        if self.lenient && name.path.is_empty() {
            self.reported += 1;
            return;
        }
        let text = long_text(name);
        let mut diagnostic = Diagnostic::new(code, name.span(), format!("unknown {what} `{text}`"));
        let later = self.announced.iter().find(|later| {
            what == "variable"
                && name.path.is_empty()
                && later.symbol == name.name.symbol
                && later.span.file == name.span().file
                && later.span.start > name.span().start
        });
        match later {
            Some(later) => {
                diagnostic = diagnostic
                    .label(name.span(), "used here")
                    .label(later.span, "declared here")
                    .note(
                        "a name is known after its declaration; functions that call each other are declared together, by `fun ... and ...`",
                    );
            }
            None => diagnostic.notes.extend(hint),
        }
        self.report(diagnostic);
    }

    /// Returns the meaning of a type name. Reports an error and returns `None` if the name is not bound.
    pub(super) fn find_ty(&mut self, name: &LongName) -> Option<TyEntry> {
        self.look_around(&name.path, name.name, Place::Type);
        let hint = if name.path.is_empty() {
            if let Some(entry) = self.scopes.ty(name.name.symbol).cloned() {
                self.note(|| Fact::ty(name.name.span, &entry));
                return Some(entry);
            }
            self.suggest(name.name.symbol, self.scopes.ty_names())
        } else {
            let structure = self.find_path(&name.path)?;
            let entry = structure.env.tys.get(name.name.symbol).cloned();
            if let Some(entry) = entry.or_else(|| self.sized_ty(name)) {
                self.note(|| Fact::ty(name.name.span, &entry));
                return Some(entry);
            }
            let names = structure.env.tys.iter().map(|entry| entry.0);
            self.suggest(name.name.symbol, names)
        };
        self.unbound_long(Code::UnboundType, "type", name, hint);
        None
    }

    /// Returns the structure that a name means. If there is none, reports an error and returns the structure that replaces structures with
    /// errors.
    pub(super) fn find_structure(&mut self, name: &LongName) -> Structure {
        let mut path = name.path.clone();
        path.push(name.name);
        self.find_path(&path).unwrap_or_else(|| Structure {
            env: Rc::new(Env {
                error: true,
                ..Env::default()
            }),
            span: name.span(),
        })
    }

    /// Returns an instance of a value's type, with new variables in place of the type variables. Also returns the type arguments of the
    /// value's meaning.
    pub(super) fn instantiate(&mut self, val: &Val) -> (T, Vec<T>) {
        if val.tyvars.is_empty() {
            let inst = val.inst.as_deref().unwrap_or(&[]).to_vec();
            return (val.ty, inst);
        }
        let fresh: Vec<T> = val
            .tyvars
            .iter()
            .map(|var| {
                let eq = self.store.tyvars[var.index()].eq;
                self.store.fresh_var(eq, Bound::None)
            })
            .collect();
        let ty = self.store.substitute(val.ty, &val.tyvars, &fresh);
        let inst = match &val.inst {
            None => fresh,
            Some(inst) => inst
                .iter()
                .map(|&ty| self.store.substitute(ty, &val.tyvars, &fresh))
                .collect(),
        };
        (ty, inst)
    }

    /// Returns an expression for a use of the value `val`. If the program contains the value's name, `name` is the place of this name.
    pub(super) fn name_exp(&mut self, val: &Val, span: Span, name: Span) -> Exp {
        if let What::Overload(number) = val.what {
            let overload = &self.overloads[number as usize];
            let (class, tyvar) = (overload.class, overload.tyvar);
            let at = self.class_var(class);
            let ty = self.store.substitute(val.ty, &[tyvar], &[at]);
            self.uses.push(Use {
                overload: number,
                at,
            });
            let var = Var(FIRST_USE + self.uses.len() as u32 - 1);
            self.fact(name, val.status, ty, val.span);
            return node(
                ExpKind::Var {
                    var,
                    inst: Vec::new(),
                },
                ty,
                span,
            );
        }
        let (ty, inst) = self.instantiate(val);
        self.fact(name, val.status, ty, val.span);
        self.what_exp(&val.what, inst, ty, span)
    }

    /// Returns an expression for a use of a value with the meaning `what`, these type arguments and this type.
    pub(super) fn what_exp(&mut self, what: &What, inst: Vec<T>, ty: T, span: Span) -> Exp {
        let types = |inst: Vec<T>| inst.into_iter().map(raw).collect();
        let kind = match *what {
            What::Var(var) => ExpKind::Var {
                var,
                inst: types(inst),
            },
            What::Recursive(var) => ExpKind::Var {
                var,
                inst: Vec::new(),
            },
            What::Con(con) => ExpKind::Con {
                con,
                inst: types(inst),
            },
            What::Exn(tag) => ExpKind::Exn(tag),
            What::Ref => ExpKind::Prim {
                prim: crate::prim::Prim::RefNew,
                ty: raw(ty),
            },
            What::Prim(prim) => ExpKind::Prim { prim, ty: raw(ty) },
            What::Lazy(var, label) => return self.force(var, label, ty, span),
            // This case occurs only in code that never runs: in the first elaboration of a functor's body, and after
            // errors.
            What::Spec | What::Overload(_) => ExpKind::Record(Vec::new()),
        };
        node(kind, ty, span)
    }

    /// Returns a value of a structure of the Basis, for the translation of a form of the language.
    pub(super) fn builtin_member(
        &mut self,
        structure: &str,
        name: &str,
        span: Span,
    ) -> Option<Exp> {
        let val = self
            .scopes
            .builtin_structure(Symbol::new(structure))
            .and_then(|found| found.env.vals.get(Symbol::new(name)))
            .cloned();
        let Some(val) = val else {
            self.error(
                Code::Unsupported,
                span,
                format!("the Basis in use has no `{structure}.{name}`, which this form needs"),
            );
            return None;
        };
        Some(self.name_exp(&val, span, Span::NONE))
    }

    /// Returns the type `bool`.
    pub(super) fn bool_ty(&mut self) -> T {
        match self.program.bool_tycon {
            Some(con) => self.store.con(con, &[]),
            None => T::ERROR,
        }
    }

    /// Returns the type of lists with elements of type `element`.
    pub(super) fn list_ty(&mut self, element: T) -> T {
        match self.program.list_tycon {
            Some(con) => self.store.con(con, &[element]),
            None => T::ERROR,
        }
    }
}

/// For an operator of other languages, such as `==`, returns a hint about the corresponding operator of ML.
pub(super) fn foreign_operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "==" | "===" => "equality is written `=`",
        "!=" | "!==" | "=/=" | "/=" => "inequality is written `<>`",
        "&&" => "the conjunction of two conditions is written `andalso`",
        "||" => "the disjunction of two conditions is written `orelse`",
        "%" => "the remainder is written `mod`",
        _ => return None,
    })
}

/// Makes a node of the program. The type of the node is the number of a type in the store.
pub(super) fn node(kind: ExpKind, ty: T, span: Span) -> Exp {
    Exp {
        kind,
        ty: raw(ty),
        span,
    }
}

/// Wraps the number of a type of the store as a type of the program. Nodes of the program have such types until
/// inference ends.
pub(super) fn raw(ty: T) -> Ty {
    Ty::from_raw(ty.0)
}

/// Unwraps the number in the type of a node, and returns the type of the store with this number.
pub(super) fn of(ty: Ty) -> T {
    T(ty.raw())
}

/// Returns the text of a name with its path, such as `A.B.x`.
pub(super) fn long_text(name: &LongName) -> String {
    let mut text = String::new();
    for part in &name.path {
        text.push_str(part.symbol.as_str());
        text.push('.');
    }
    text.push_str(name.name.symbol.as_str());
    text
}

/// Returns the facts about a value name without type variables.
pub(super) fn plain_val(what: What, ty: T, span: Span) -> Val {
    Val {
        tyvars: Rc::from([]),
        ty,
        what,
        inst: None,
        status: Status::Value,
        span,
    }
}

/// Returns the entry of a type name that has no visible constructors.
pub(super) fn plain_ty(function: TyFn, span: Span) -> TyEntry {
    TyEntry {
        function,
        cons: Rc::from([]),
        span,
    }
}
