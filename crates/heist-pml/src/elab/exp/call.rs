//! Elaborates calls and selections.

use super::super::Elaborator;
use super::super::env::What;
use super::super::name::{foreign_operator, node, of};
use super::super::report::About;
use super::super::types::{Node, T};
use super::error;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Exp, ExpKind};

impl Elaborator {
    pub(super) fn apply(&mut self, function: &ast::Exp, arg: &ast::Exp, span: Span) -> Exp {
        let mut bare = function;
        while let ast::ExpKind::Paren(inner) = &bare.kind {
            bare = inner;
        }
        if let ast::ExpKind::Selector(label) = &bare.kind {
            return self.select(*label, bare.span, arg, span);
        }
        let operator = match &bare.kind {
            ast::ExpKind::Name { name, .. } if name.path.is_empty() => self
                .scopes
                .val(name.name.symbol)
                .filter(|val| matches!(val.what, What::Overload(_)))
                .map(|_| name.name.symbol),
            _ => None,
        };
        let whole = function;
        let function = self.exp(function);
        // ML has no operator `==`, so `a == b` is parsed as `(a ==) b`. The missing operator has already been reported.
        if let ast::ExpKind::Name { name, .. } = &arg.kind
            && name.path.is_empty()
            && foreign_operator(name.name.symbol.as_str()).is_some()
            && self.scopes.val(name.name.symbol).is_none()
        {
            self.find_val(name);
            return error(span);
        }
        let noted = self.enter_call(whole, arg);
        let arg = self.exp(arg);
        self.leave_call(noted);
        self.call(function, arg, operator, span)
    }

    /// Elaborates `#l e` as a selection of a field, without a function for `#l`.
    fn select(&mut self, label: ast::Name, at: Span, arg: &ast::Exp, span: Span) -> Exp {
        let arg = self.exp(arg);
        let found = of(arg.ty);
        if self.is_marked(label.symbol) {
            self.look_at_record(label, found);
            return error(span);
        }
        if let Node::Record(slice) = self.store.look(found).1
            && let Some(&(_, field)) = self
                .store
                .fields(slice)
                .iter()
                .find(|field| field.0 == label.symbol)
        {
            return node(ExpKind::Select(label.symbol, Box::new(arg)), field, span);
        }
        let field = self.store.fresh();
        let record = self.flexible(vec![(label.symbol, field)], span);
        let place = arg.span;
        self.agree(found, record, |_| {
            About::new(
                Code::ArgumentMismatch,
                place,
                format!("`#{}` needs a record with that field", label.symbol),
            )
            .label(place, "this has the type `{found}`")
            .label(at, "the selector")
        });
        node(ExpKind::Select(label.symbol, Box::new(arg)), field, span)
    }

    /// Elaborates a call.
    pub(in crate::elab) fn call(
        &mut self,
        function: Exp,
        arg: Exp,
        operator: Option<Symbol>,
        span: Span,
    ) -> Exp {
        let function_ty = of(function.ty);
        let (function_at, arg_at) = (function.span, arg.span);
        let ty = match self.store.look(function_ty).1 {
            Node::Arrow(from, to) => {
                let arg_ty = of(arg.ty);
                let fits = self.agree(arg_ty, from, |elaborator| {
                    let uniform = elaborator.is_uniform(arg_ty);
                    let whole = elaborator.show(function_ty);
                    let message = match operator {
                        Some(operator) => {
                            format!("`{operator}` is applied to operands of wrong types")
                        }
                        None => format!(
                            "{} has another type than the function takes",
                            elaborator.argument_of(&function)
                        ),
                    };
                    let note = elaborator.tuple_note(arg_ty, from, to);
                    About::new(Code::ArgumentMismatch, arg_at, message)
                        .label(arg_at, "this has the type `{found}`")
                        .label(function_at, format!("this has the type `{whole}`"))
                        .note(note)
                        .operator(operator, uniform)
                });
                // If a call passes a tuple for curried arguments, or curried arguments for a tuple, its result has a type that the program
                // does not expect. The result gets the type of an error, so there is no second message about this fault.
                let misused = !fits && self.tuple_note(arg_ty, from, to).is_some();
                if misused || operator.is_some() && self.has_error(arg_ty) {
                    T::ERROR
                } else {
                    to
                }
            }
            Node::Error => T::ERROR,
            Node::Var { .. } => {
                let to = self.store.fresh();
                let arrow = self.store.arrow(of(arg.ty), to);
                let many = too_many(&function);
                self.agree(function_ty, arrow, |_| {
                    About::new(
                        Code::NotAFunction,
                        function_at,
                        "this is applied, but it is not a function",
                    )
                    .label(function_at, "this has the type `{found}`")
                    .label(arg_at, "it is applied to this")
                    .note(many)
                });
                to
            }
            _ => {
                let text = self.show(function_ty);
                let mut diagnostic = Diagnostic::new(
                    Code::NotAFunction,
                    function_at,
                    "this is applied, but it is not a function",
                )
                .label(function_at, format!("this has the type `{text}`"))
                .label(arg_at, "it is applied to this");
                diagnostic.notes.extend(too_many(&function));
                self.report(diagnostic);
                T::ERROR
            }
        };
        node(ExpKind::Apply(Box::new(function), Box::new(arg)), ty, span)
    }

    /// Describes the next argument of a call in words, with the name of the called function. Messages contain this text.
    fn argument_of(&self, function: &Exp) -> String {
        let (mut head, mut number) = (function, 1);
        while let ExpKind::Apply(inner, _) = &head.kind {
            head = inner;
            number += 1;
        }
        let name = match head.kind {
            ExpKind::Var { var, .. } => self
                .program
                .vars
                .get(var.index())
                .map(|info| info.name.as_str())
                .filter(|name| !name.starts_with('_')),
            ExpKind::Con { con, .. } => Some(self.program.cons[con.index()].name.as_str()),
            _ => None,
        };
        let number = match number {
            1 => "",
            2 => "second ",
            3 => "third ",
            4 => "fourth ",
            _ => "next ",
        };
        match name {
            Some(name) => format!("the {number}argument of `{name}`"),
            None => format!("this {number}argument"),
        }
    }

    /// Returns a hint about a wrong argument in three cases: a curried function gets a tuple, a function of a tuple gets one component, or
    /// a record has unexpected labels.
    fn tuple_note(&mut self, found: T, expected: T, result: T) -> Option<String> {
        if let Some(note) = self.label_note(found, expected) {
            return Some(note);
        }
        let parts = |elaborator: &mut Elaborator, ty: T| match elaborator.store.look(ty).1 {
            Node::Record(slice) => elaborator.store.fields(slice).len(),
            _ => 1,
        };
        let (given, taken) = (parts(self, found), parts(self, expected));
        let more = matches!(self.store.look(result).1, Node::Arrow(..));
        match (given, taken) {
            (2.., 1) if more => {
                Some("the function takes its arguments one after the other: `f x y`".into())
            }
            (1, 2..) if !more => Some("the function takes one tuple: `f (x, y)`".into()),
            _ => None,
        }
    }

    /// Returns a hint if two records that are not tuples have different labels.
    fn label_note(&mut self, found: T, expected: T) -> Option<String> {
        let (Node::Record(found), Node::Record(expected)) =
            (self.store.look(found).1, self.store.look(expected).1)
        else {
            return None;
        };
        let labels = |slice| -> Vec<Symbol> {
            let fields = self.store.fields(slice).iter();
            fields.map(|field| field.0).collect()
        };
        let (found, expected) = (labels(found), labels(expected));
        let is_name = |label: &Symbol| !label.as_str().starts_with(|c: char| c.is_ascii_digit());
        if !found.iter().chain(&expected).all(is_name) {
            return None;
        }
        let missing = expected.iter().find(|label| !found.contains(label));
        let other = found.iter().find(|label| !expected.contains(label));
        match (missing, other) {
            (Some(label), _) => Some(format!("the record has no field `{label}`")),
            (None, Some(label)) => Some(format!(
                "the function takes a record without the field `{label}`"
            )),
            (None, None) => None,
        }
    }

    /// Returns true if an operand of an operator could not be elaborated.
    fn has_error(&mut self, ty: T) -> bool {
        match self.store.look(ty).1 {
            Node::Error => true,
            Node::Record(slice) => {
                let fields = self.store.fields(slice).to_vec();
                fields
                    .iter()
                    .any(|field| self.store.resolve(field.1) == T::ERROR)
            }
            _ => false,
        }
    }

    /// Returns true if an operator takes one operand, or two operands of equal types.
    fn is_uniform(&mut self, ty: T) -> bool {
        let Node::Record(slice) = self.store.look(ty).1 else {
            return true;
        };
        let fields = self.store.fields(slice).to_vec();
        fields
            .windows(2)
            .all(|pair| self.store.unify(pair[0].1, pair[1].1).is_ok())
    }
}

/// Returns a hint for an error if the called function is itself the result of a call.
fn too_many(function: &Exp) -> Option<String> {
    matches!(function.kind, ExpKind::Apply(..))
        .then(|| "the function is applied to too many arguments, perhaps".into())
}
