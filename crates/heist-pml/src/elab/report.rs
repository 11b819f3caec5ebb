//! Reports errors of elaboration.

use super::Elaborator;
use super::print::Names;
use super::types::{Bound, Node, T};
use super::unify::{Clash, MOST_PARTS};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;

impl Elaborator {
    /// Adds an error or a warning. Adds nothing during a repeated elaboration of code, when messages are muted.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.muted == 0 {
            self.found.push(diagnostic);
        }
        self.reported += 1;
    }

    /// Adds an error without labels.
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Unifies two types. If the types differ, reports an error with the text of `about`, which says why the types must be equal.
    pub(super) fn agree(
        &mut self,
        found: T,
        expected: T,
        about: impl FnOnce(&mut Elaborator) -> About,
    ) -> bool {
        let Err(clash) = self.store.unify(found, expected) else {
            return true;
        };
        let about = about(self);
        self.mismatch(found, expected, &clash, about);
        false
    }

    fn mismatch(&mut self, found: T, expected: T, clash: &Clash, about: About) {
        // A message cannot show a type that is too large.
        if matches!(clash, Clash::TooLarge) {
            let message = format!("this would have a type of more than {MOST_PARTS} parts");
            self.report(Diagnostic::new(Code::TooDeep, about.span, message));
            return;
        }
        let mut names = Names::default();
        let found_text = self.show_with(found, &mut names);
        let expected_text = self.show_with(expected, &mut names);
        let (code, mut notes) = self.explain(clash, found, expected, &mut names);
        let message = match clash {
            Clash::Types(..) => about.message.clone(),
            Clash::Circular(..) => format!("{}: its type would contain itself", about.message),
            Clash::Equality(ty) => {
                let text = self.show_with(*ty, &mut names);
                format!("the type `{text}` does not admit equality")
            }
            Clash::Class(ty) => {
                let text = self.show_with(*ty, &mut names);
                match &about.operator {
                    Some(operator) if about.uniform => {
                        format!("`{operator}` is not defined for `{text}`")
                    }
                    _ => about.message.clone(),
                }
            }
            Clash::Field(label, _) => format!("there is no field `{label}`"),
            Clash::EscapingVar(var) => {
                let name = self.program.tyvars[var.index()];
                format!("the type variable `{name}` stands for any type here, not for one type")
            }
            Clash::EscapingCon(con) => {
                let name = self.show_con(*con);
                format!("the type `{name}` is used outside of the `let` that declares it")
            }
            Clash::TooLarge => about.message.clone(),
            Clash::NewerCon(con) => {
                let name = self.show_con(*con);
                format!(
                    "something declared before the type `{name}` would have a type with `{name}` in it"
                )
            }
        };
        let code = match (code, &about.operator) {
            (Code::Overloading, _) if !about.uniform => about.code,
            (Code::TypeMismatch, _) => about.code,
            (code, _) => code,
        };
        let mut diagnostic = Diagnostic::new(code, about.span, message);
        for (span, text) in about.labels {
            let text = text
                .replace("{found}", &found_text)
                .replace("{expected}", &expected_text);
            diagnostic.labels.push((span, text));
        }
        // Labels have room for short types only.
        if about.both && found_text.len().max(expected_text.len()) > 24 {
            diagnostic.notes.push(format!("expected `{expected_text}`"));
            diagnostic.notes.push(format!("   found `{found_text}`"));
        }
        diagnostic.notes.append(&mut notes);
        diagnostic.notes.extend(about.note);
        self.report(diagnostic);
    }

    fn explain(
        &mut self,
        clash: &Clash,
        found: T,
        expected: T,
        names: &mut Names,
    ) -> (Code, Vec<String>) {
        match *clash {
            Clash::Types(left, right) => {
                let whole = self.store.resolve(found) == self.store.resolve(left)
                    && self.store.resolve(expected) == self.store.resolve(right);
                let mut notes = Vec::new();
                let left_text = self.show_with(left, names);
                let right_text = self.show_with(right, names);
                if left_text == right_text {
                    notes.push(format!(
                        "these are two different types of the name `{left_text}`"
                    ));
                } else if !whole {
                    notes.push(format!(
                        "they differ in `{left_text}`, where `{right_text}` is expected"
                    ));
                }
                let rigid = self.rigid_note(&[left, right]);
                if !rigid.is_empty() {
                    notes.extend(rigid);
                    return (Code::RigidTypeVariable, notes);
                }
                (Code::TypeMismatch, notes)
            }
            Clash::Circular(var, ty) => {
                let var = self.show_with(var, names);
                let ty = self.show_with(ty, names);
                let note = if var == ty {
                    format!("`{var}` would be a part of itself")
                } else {
                    format!("`{var}` would be a part of `{ty}`")
                };
                (Code::CircularType, vec![note])
            }
            Clash::Equality(ty) => {
                let node = self.store.look(ty).1;
                let con = match node {
                    Node::Con(con, _) => Some(con),
                    Node::Var {
                        bound: Bound::Class(class),
                        ..
                    } => Some(self.default_of(class)),
                    _ => None,
                };
                let note = match node {
                    _ if con.is_some_and(|con| self.is_real(con)) => {
                        "reals are compared with `Real.==`, or by `<=` and `>=`"
                    }
                    Node::Arrow(..) => "functions cannot be compared",
                    Node::Rigid(_) => "only type variables with two quotes (`''a`) admit equality",
                    _ => "only types without functions and reals can be compared with `=`",
                };
                (Code::NotEquality, vec![note.into()])
            }
            Clash::Class(ty) => {
                let notes = self.rigid_note(&[ty]);
                if notes.is_empty() {
                    (Code::Overloading, notes)
                } else {
                    (Code::RigidTypeVariable, notes)
                }
            }
            Clash::Field(_, ty) => {
                let text = self.show_with(ty, names);
                (
                    Code::MissingField,
                    vec![format!("the record has the type `{text}`")],
                )
            }
            Clash::EscapingVar(_) => (Code::RigidTypeVariable, Vec::new()),
            Clash::EscapingCon(_) => (Code::TypeEscapes, Vec::new()),
            Clash::NewerCon(_) => (Code::TypeEscapes, vec!["declare the type first".into()]),
            Clash::TooLarge => (Code::TooDeep, Vec::new()),
        }
    }

    /// Returns a note if one of these types is a type variable of an annotation. The note is about this type variable.
    fn rigid_note(&mut self, types: &[T]) -> Vec<String> {
        for &ty in types {
            if let Node::Rigid(var) = self.store.look(ty).1 {
                let name = self.program.tyvars[var.index()];
                return vec![format!(
                    "`{name}` stands for any type: nothing may be assumed about it"
                )];
            }
        }
        Vec::new()
    }

    /// Returns a hint with a similar name, which the user may have meant.
    pub(super) fn suggest(
        &self,
        name: Symbol,
        candidates: impl Iterator<Item = Symbol>,
    ) -> Option<String> {
        let name = name.as_str();
        let limit = match name.chars().count() {
            0..=2 => 1,
            3..=5 => 2,
            _ => 3,
        };
        candidates
            .map(Symbol::as_str)
            .filter(|other| other.len().abs_diff(name.len()) <= limit && *other != name)
            .map(|other| (strsim::damerau_levenshtein(name, other), other))
            .filter(|&(distance, other)| distance <= limit && distance < other.len())
            .min()
            .map(|(_, other)| format!("did you mean `{other}`?"))
    }
}

/// The message about two types that differ. In the labels, the texts `{found}` and `{expected}` stand for the types.
pub(super) struct About {
    code: Code,
    span: Span,
    message: String,
    labels: Vec<(Span, String)>,
    operator: Option<Symbol>,
    /// Whether all operands of the operator must have the same type.
    uniform: bool,
    both: bool,
    note: Option<String>,
}

impl About {
    pub(super) fn new(code: Code, span: Span, message: impl Into<String>) -> About {
        About {
            code,
            span,
            message: message.into(),
            labels: Vec::new(),
            operator: None,
            uniform: false,
            both: true,
            note: None,
        }
    }

    pub(super) fn label(mut self, span: Span, text: impl Into<String>) -> About {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds another hint.
    pub(super) fn note(mut self, note: Option<String>) -> About {
        self.note = note;
        self
    }

    /// Adds the name of the applied overloaded operator. `uniform` is true if all operands must have the same type.
    pub(super) fn operator(mut self, operator: Option<Symbol>, uniform: bool) -> About {
        self.operator = operator;
        self.uniform = uniform && operator.is_some();
        self
    }
}
