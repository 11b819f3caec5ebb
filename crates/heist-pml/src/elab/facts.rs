//! Facts about the names of a program, for tools: what each means, and where it is bound.
//!
//! Names are recorded where elaboration looks them up or binds them, so a fact follows the scopes of the language. The body of a
//! functor is elaborated several times: the same place may have several facts, which agree up to [`Facts::links`].

use std::rc::Rc;

use super::Elaborator;
use super::env::{Env, Status, Structure, TyEntry, Val};
use super::print::Parts;
use super::types::T;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;

/// Kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// A variable.
    Value,
    /// A constructor of a datatype.
    Constructor,
    /// An exception.
    Exception,
    /// A type.
    Type,
    /// A structure.
    Structure,
    /// A signature.
    Signature,
    /// A functor.
    Functor,
}

/// A fact about a name in the program.
#[derive(Clone, Debug)]
pub struct Fact {
    /// A name, as used or bound.
    pub span: Span,
    /// Place where it is bound.
    pub bound: Span,
    /// Its kind.
    pub kind: NameKind,
    pub(super) meaning: Meaning,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// The type of a value there, as inferred.
    Val(T),
    /// A type.
    Ty(TyEntry),
    /// The contents of a structure or signature.
    Env(Rc<Env>),
    /// Nothing is known of it besides its name.
    Nothing,
}

/// A function that `fun` declares.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, where it is bound.
    pub name: Span,
    /// The arguments of each clause.
    pub clauses: Vec<Vec<Argument>>,
}

/// An argument of a function as written.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The pattern.
    pub span: Span,
    /// The components, if it is a tuple.
    pub parts: Vec<Span>,
}

/// All recorded facts.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Facts about names.
    pub names: Vec<Fact>,
    /// Names that a signature specifies, and the names of the structures that were matched against it; and variables that alternatives of a
    /// pattern share.
    pub links: Vec<(Span, Span)>,
    /// Names that are the label of a record and a variable at once.
    pub puns: Vec<Span>,
    /// Functions with clauses.
    pub functions: Vec<Function>,
}

/// A state of the facts, to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct FactMark([usize; 4]);

impl Facts {
    pub(super) fn mark(&self) -> FactMark {
        FactMark([
            self.names.len(),
            self.links.len(),
            self.puns.len(),
            self.functions.len(),
        ])
    }

    pub(super) fn undo(&mut self, mark: FactMark) {
        let FactMark([names, links, puns, functions]) = mark;
        self.names.truncate(names);
        self.links.truncate(links);
        self.puns.truncate(puns);
        self.functions.truncate(functions);
    }
}

impl From<Status> for NameKind {
    fn from(status: Status) -> NameKind {
        match status {
            Status::Value => NameKind::Value,
            Status::Con => NameKind::Constructor,
            Status::Exn => NameKind::Exception,
        }
    }
}

impl Fact {
    pub(super) fn val(span: Span, val: &Val) -> Fact {
        Fact {
            span,
            bound: val.span,
            kind: val.status.into(),
            meaning: Meaning::Val(val.ty),
        }
    }

    pub(super) fn ty(span: Span, entry: &TyEntry) -> Fact {
        Fact {
            span,
            bound: entry.span,
            kind: NameKind::Type,
            meaning: Meaning::Ty(entry.clone()),
        }
    }

    pub(super) fn structure(span: Span, structure: &Structure) -> Fact {
        Fact {
            span,
            bound: structure.span,
            kind: NameKind::Structure,
            meaning: Meaning::Env(structure.env.clone()),
        }
    }

    pub(super) fn signature(span: Span, bound: Span, env: &Rc<Env>) -> Fact {
        Fact {
            span,
            bound,
            kind: NameKind::Signature,
            meaning: Meaning::Env(env.clone()),
        }
    }

    pub(super) fn functor(span: Span, bound: Span) -> Fact {
        Fact {
            span,
            bound,
            kind: NameKind::Functor,
            meaning: Meaning::Nothing,
        }
    }
}

impl Elaborator {
    /// The recorded facts; none before [`Elaborator::record_facts`].
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Records facts from now on.
    pub fn record_facts(&mut self) {
        self.options.record = true;
    }

    fn recording(&self) -> bool {
        self.options.record && self.muted == 0
    }

    /// Notes a fact, if facts are recorded.
    pub(super) fn note(&mut self, fact: impl FnOnce() -> Fact) {
        if self.recording() {
            let fact = fact();
            if fact.span != Span::NONE {
                self.facts.names.push(fact);
            }
        }
    }

    /// Notes the type and the binding of a value.
    pub(super) fn fact(&mut self, span: Span, status: Status, ty: T, bound: Span) {
        self.note(|| Fact {
            span,
            bound,
            kind: status.into(),
            meaning: Meaning::Val(ty),
        });
    }

    /// Notes that two names are one: that of a signature and that of a structure which matches it, or those of two alternatives.
    pub(super) fn link_names(&mut self, one: Span, other: Span) {
        if self.recording() && one != other {
            self.facts.links.push((one, other));
        }
    }

    /// Notes the labels of a record that are variables, too.
    pub(super) fn note_pun(&mut self, label: ast::Name, part: Span) {
        if self.recording() && label.span.start == part.start {
            self.facts.puns.push(label.span);
        }
    }

    /// Notes the clauses of a function.
    pub(super) fn note_clauses(&mut self, clauses: &[ast::Clause], ty: T) {
        if !self.recording() {
            return;
        }
        let name = clauses[0].name.span;
        for clause in &clauses[1..] {
            self.fact(clause.name.span, Status::Value, ty, name);
        }
        let arguments = |clause: &ast::Clause| clause.pats.iter().map(argument).collect();
        let function = Function {
            name,
            clauses: clauses.iter().map(arguments).collect(),
        };
        self.facts.functions.push(function);
    }

    /// The type of a fact about a value as messages write it; of other names, their declaration, without the name of a module.
    pub fn fact_text(&mut self, fact: &Fact) -> String {
        match &fact.meaning {
            Meaning::Val(ty) => self.show(*ty),
            Meaning::Ty(entry) => self.type_text(Symbol::EMPTY, entry, false),
            Meaning::Env(env) => {
                let mut text = String::new();
                let spec = fact.kind == NameKind::Signature;
                self.env_text(env, 0, spec, &mut text);
                text
            }
            Meaning::Nothing => String::new(),
        }
    }

    /// A name and its fact, as a declaration would say it.
    pub fn fact_declaration(&mut self, name: &str, fact: &Fact) -> String {
        match &fact.meaning {
            Meaning::Ty(entry) => self.type_text(Symbol::new(name), entry, false),
            Meaning::Val(_) => format!("{name} : {}", self.fact_text(fact)),
            Meaning::Env(_) if fact.kind == NameKind::Signature => {
                format!("signature {name} = {}", self.fact_text(fact))
            }
            Meaning::Env(_) => format!("structure {name} : {}", self.fact_text(fact)),
            Meaning::Nothing => format!("functor {name}"),
        }
    }

    /// The type of a function in parts, if the fact is about one.
    pub fn fact_parts(&mut self, fact: &Fact) -> Option<Parts> {
        match fact.meaning {
            Meaning::Val(ty) => self.function_parts(ty),
            _ => None,
        }
    }
}

fn argument(pat: &ast::Pat) -> Argument {
    let parts = match &pat.kind {
        ast::PatKind::Tuple(parts) => parts.iter().map(|part| part.span).collect(),
        _ => Vec::new(),
    };
    Argument {
        span: pat.span,
        parts,
    }
}
