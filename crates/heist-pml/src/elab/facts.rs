//! Facts about the names of a program, for tools: the meaning of each name, and the place of its binding.
//!
//! Elaboration records a fact about a name where it looks up or binds the name, so the facts follow the scopes of the language. The body of
//! a functor is elaborated several times, so a place in the body may have several facts. All facts about a place give the same place of
//! binding, or places that [`Facts::links`] connects.

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
    /// The place where the program uses or binds the name.
    pub span: Span,
    /// The place where the name is bound.
    pub bound: Span,
    /// The kind of the name.
    pub kind: NameKind,
    pub(super) meaning: Meaning,
}

/// The meaning of a name in a fact.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// The inferred type of a value at this place.
    Val(T),
    /// A type.
    Ty(TyEntry),
    /// The contents of a structure or signature.
    Env(Rc<Env>),
    /// The name has no known meaning.
    Nothing,
}

/// A function that `fun` declares.
#[derive(Clone, Debug)]
pub struct Function {
    /// The place of the function's name, where it is bound.
    pub name: Span,
    /// The arguments of each clause.
    pub clauses: Vec<Vec<Argument>>,
}

/// An argument in a clause of a function, as the program writes it.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The pattern.
    pub span: Span,
    /// The components of the pattern, if it is a tuple.
    pub parts: Vec<Span>,
}

/// All recorded facts.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Facts about names.
    pub names: Vec<Fact>,
    /// Pairs of places whose names must stay equal. There are two kinds of pairs: a name in a signature and in a structure that is matched
    /// against this signature, and a variable in two alternatives of a pattern.
    pub links: Vec<(Span, Span)>,
    /// Places where one word is both the label of a record's field and the variable for this field.
    pub puns: Vec<Span>,
    /// Functions with clauses.
    pub functions: Vec<Function>,
}

/// The numbers of recorded facts at a point of the elaboration. The elaborator can remove all later facts.
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
    /// Returns the recorded facts. The result is empty before [`Elaborator::record_facts`] is called.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Makes the elaborator record facts from now on.
    pub fn record_facts(&mut self) {
        self.options.record = true;
    }

    /// Makes the elaborator follow MLton: after this call, the types of an `abstype` admit equality outside of the `abstype`.
    pub fn follow_mlton(&mut self) {
        self.options.mlton = true;
    }

    fn recording(&self) -> bool {
        self.options.record && self.muted == 0
    }

    /// Records a fact, if facts are recorded.
    pub(super) fn note(&mut self, fact: impl FnOnce() -> Fact) {
        if self.recording() {
            let fact = fact();
            if fact.span != Span::NONE {
                self.facts.names.push(fact);
            }
        }
    }

    /// Records the fact about a use or binding of a value: its type, and the place of its binding.
    pub(super) fn fact(&mut self, span: Span, status: Status, ty: T, bound: Span) {
        self.note(|| Fact {
            span,
            bound,
            kind: status.into(),
            meaning: Meaning::Val(ty),
        });
    }

    /// Adds a pair of places to [`Facts::links`].
    pub(super) fn link_names(&mut self, one: Span, other: Span) {
        if self.recording() && one != other {
            self.facts.links.push((one, other));
        }
    }

    /// Adds the place of a label that is also a variable to [`Facts::puns`].
    pub(super) fn note_pun(&mut self, label: ast::Name, part: Span) {
        if self.recording() && label.span.start == part.start {
            self.facts.puns.push(label.span);
        }
    }

    /// Records the clauses of a function.
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

    /// Returns the text of a fact. For a value, the text is the type as in messages. For other names, the text is the declaration; the
    /// declaration of a module omits the module's name.
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

    /// Returns a name and its fact, in the form of a declaration.
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

    /// Returns the arguments and the result of the type of a function, or `None` if the fact is not about a function.
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
