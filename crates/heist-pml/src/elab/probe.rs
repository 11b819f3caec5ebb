//! Finds the names that are visible at a marked name, for completion and for help with arguments.
//!
//! A tool inserts a marker (a name that programs do not use) at the place where the user types, and elaborates the text. When the
//! elaborator first looks up the marker, it records the names in scope and the enclosing calls. The tool shows the types of these names
//! after elaboration, because inference then knows more about these types.

use std::rc::Rc;

use super::Elaborator;
use super::env::{Env, Status, Structure};
use super::facts::Fact;
use super::types::{Bound, Node, T};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;

/// The kind of name that a place requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Variables, constructors and exceptions.
    Value,
    /// Constructors and exceptions.
    Pattern,
    /// Types.
    Type,
    /// Structures and functors.
    Structure,
    /// Signatures.
    Signature,
    /// Functors.
    Functor,
    /// Labels of a record.
    Label,
}

/// A call whose argument contains the marked name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the called function.
    pub head: Span,
    /// The number of arguments before the argument that contains the marked name.
    pub argument: usize,
    /// The number of components before the marked name if the argument is a tuple.
    pub part: usize,
}

/// The names that are visible at the marked name, and the calls that enclose the marked name.
#[derive(Clone, Debug)]
pub struct Visible {
    /// The kind of name that the place of the marked name requires.
    pub place: Place,
    /// The visible names of this kind.
    pub names: Vec<(Symbol, Fact)>,
    /// The calls that enclose the marked name. The innermost call is last.
    pub calls: Vec<Call>,
    /// The type of the record if the marked name is a label.
    record: Option<T>,
}

/// A call that is being elaborated.
#[derive(Clone, Debug)]
struct Frame {
    head: Span,
    argument: usize,
    parts: Vec<Span>,
}

/// A search for the marked name.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    marker: Symbol,
    frames: Vec<Frame>,
    seen: Option<Visible>,
}

impl Elaborator {
    /// Begins a search: makes the elaborator record the names that are visible at the first use of `marker`.
    pub fn watch(&mut self, marker: &str) {
        self.probe = Some(Box::new(Probe {
            marker: Symbol::new(marker),
            frames: Vec::new(),
            seen: None,
        }));
    }

    /// Ends the search. If elaboration has looked up the marked name, returns the recorded names and calls.
    pub fn take_visible(&mut self) -> Option<Visible> {
        self.probe.take()?.seen
    }

    /// Returns all names that are visible at the current place.
    #[must_use]
    pub fn visible(&self, place: Place) -> Vec<(Symbol, Fact)> {
        let mut names = Vec::new();
        let scopes = &self.scopes;
        if matches!(place, Place::Value | Place::Pattern) {
            for name in scopes.val_names() {
                let val = scopes.val(name);
                let val = val.filter(|val| place == Place::Value || val.status != Status::Value);
                names.extend(val.map(|val| (name, Fact::val(Span::NONE, val))));
            }
        }
        if place == Place::Type {
            for name in scopes.ty_names() {
                let entry = scopes.ty(name);
                names.extend(entry.map(|entry| (name, Fact::ty(Span::NONE, entry))));
            }
        }
        if matches!(place, Place::Structure | Place::Functor) {
            for name in scopes.functor_names() {
                let functor = scopes.functor(name);
                names.extend(
                    functor.map(|functor| (name, Fact::functor(Span::NONE, functor.span()))),
                );
            }
        }
        if place == Place::Signature {
            for name in scopes.sig_names() {
                let sig = scopes.sig(name);
                names
                    .extend(sig.map(|sig| (name, Fact::signature(Span::NONE, sig.span, &sig.env))));
            }
        }
        if matches!(
            place,
            Place::Value | Place::Pattern | Place::Type | Place::Structure
        ) {
            for name in scopes.structure_names() {
                let structure = scopes.structure(name);
                names.extend(
                    structure.map(|structure| (name, Fact::structure(Span::NONE, structure))),
                );
            }
        }
        names
    }

    /// Returns the labels of the record at the marker, with their types.
    pub fn visible_labels(&mut self, visible: &Visible) -> Vec<(Symbol, String)> {
        let Some(record) = visible.record else {
            return Vec::new();
        };
        let mut fields = match self.store.look(record).1 {
            Node::Record(slice) => self.store.fields(slice).to_vec(),
            Node::Var {
                bound: Bound::Row(row),
                ..
            } => self.store.rows[row.0 as usize].clone(),
            _ => Vec::new(),
        };
        fields.retain(|field| !field.0.as_str().starts_with(|c: char| c.is_ascii_digit()));
        fields
            .into_iter()
            .map(|(label, ty)| (label, self.show(ty)))
            .collect()
    }

    /// Returns true if `name` is the marked name of the current search.
    pub(super) fn is_marked(&self, name: Symbol) -> bool {
        self.probe
            .as_ref()
            .is_some_and(|probe| probe.marker == name)
    }

    /// Records the visible names if `name` is the marked name.
    pub(super) fn look_around(&mut self, path: &[ast::Name], name: ast::Name, place: Place) {
        let wanted = |probe: &Probe| probe.marker == name.symbol && probe.seen.is_none();
        if !self.probe.as_deref().is_some_and(wanted) {
            return;
        }
        let names = if path.is_empty() {
            self.visible(place)
        } else {
            let found = self.visible_structure(path);
            found.map_or(Vec::new(), |found| members(&found.env, place))
        };
        self.keep_visible(name, place, names, None);
    }

    /// Records the type of a record if `label`, one of the record's labels, is the marked name.
    pub(super) fn look_at_record(&mut self, label: ast::Name, record: T) {
        self.keep_visible(label, Place::Label, Vec::new(), Some(record));
    }

    fn keep_visible(
        &mut self,
        name: ast::Name,
        place: Place,
        names: Vec<(Symbol, Fact)>,
        record: Option<T>,
    ) {
        let Some(probe) = &mut self.probe else {
            return;
        };
        if probe.seen.is_some() {
            return;
        }
        let call = |frame: &Frame| {
            let before = |part: &&Span| part.end < name.span.start;
            Call {
                head: frame.head,
                argument: frame.argument,
                part: frame.parts.iter().filter(before).count(),
            }
        };
        probe.seen = Some(Visible {
            place,
            names,
            calls: probe.frames.iter().map(call).collect(),
            record,
        });
    }

    /// Returns the structure that a path such as `A.B` names. If there is none, returns `None` and reports no error.
    fn visible_structure(&self, path: &[ast::Name]) -> Option<Structure> {
        let (first, rest) = path.split_first()?;
        let mut found = self.scopes.structure(first.symbol)?.clone();
        for name in rest {
            let inner = found.env.strs.get(name.symbol)?.clone();
            found = inner;
        }
        Some(found)
    }

    /// During a search, records that elaboration enters the argument of a call. Returns true if it has recorded the call.
    pub(super) fn enter_call(&mut self, function: &ast::Exp, arg: &ast::Exp) -> bool {
        let Some(probe) = &mut self.probe else {
            return false;
        };
        let mut head = function;
        let mut argument = 0;
        loop {
            match &head.kind {
                ast::ExpKind::Apply(inner, _) => {
                    argument += 1;
                    head = inner;
                }
                ast::ExpKind::Paren(inner) => head = inner,
                ast::ExpKind::Name { name, .. } => {
                    let parts = match &arg.kind {
                        ast::ExpKind::Tuple(parts) => parts.iter().map(|part| part.span).collect(),
                        _ => Vec::new(),
                    };
                    probe.frames.push(Frame {
                        head: name.name.span,
                        argument,
                        parts,
                    });
                    return true;
                }
                _ => return false,
            }
        }
    }

    /// Removes the call that [`Elaborator::enter_call`] has recorded.
    pub(super) fn leave_call(&mut self, noted: bool) {
        if noted && let Some(probe) = &mut self.probe {
            probe.frames.pop();
        }
    }
}

/// Returns the names in a structure.
fn members(env: &Rc<Env>, place: Place) -> Vec<(Symbol, Fact)> {
    let mut names = Vec::new();
    if matches!(place, Place::Value | Place::Pattern) {
        let wanted = env
            .vals
            .iter()
            .filter(|(_, val)| place == Place::Value || val.status != Status::Value);
        names.extend(wanted.map(|(name, val)| (*name, Fact::val(Span::NONE, val))));
    }
    if place == Place::Type {
        names.extend(
            env.tys
                .iter()
                .map(|(name, entry)| (*name, Fact::ty(Span::NONE, entry))),
        );
    }
    if !matches!(place, Place::Signature | Place::Functor) {
        names.extend(
            env.strs
                .iter()
                .map(|(name, structure)| (*name, Fact::structure(Span::NONE, structure))),
        );
    }
    names
}
