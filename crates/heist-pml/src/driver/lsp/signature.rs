//! Shows the arguments of the function that the user calls.

use lsp_types::{ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation};

use super::marked::Marked;
use crate::elab::{Argument, Call, Fact, Parts};
use crate::source::Span;

/// The text of a signature, and the ranges of its parameters.
#[derive(Default)]
struct Label {
    text: String,
    /// For each argument of the function, the ranges of its parameters in `text`, in units of UTF-16.
    arguments: Vec<Vec<[u32; 2]>>,
}

impl Label {
    fn units(&self) -> u32 {
        self.text.encode_utf16().count() as u32
    }

    fn push_parameter(&mut self, text: &str) {
        let start = self.units();
        self.text.push_str(text);
        let end = self.units();
        if let Some(last) = self.arguments.last_mut() {
            last.push([start, end]);
        }
    }

    /// Returns the signature for the client. The active parameter of the signature is the parameter that the user is typing.
    fn signature(self, call: &Call) -> SignatureInformation {
        let before: usize = self
            .arguments
            .iter()
            .take(call.argument)
            .map(Vec::len)
            .sum();
        let own = self.arguments.get(call.argument).map_or(0, Vec::len);
        let part = call.part.min(own.saturating_sub(1));
        let parameters = self.arguments.into_iter().flatten();
        SignatureInformation {
            label: self.text,
            documentation: None,
            parameters: Some(
                parameters
                    .map(|offsets| ParameterInformation {
                        label: ParameterLabel::LabelOffsets(offsets),
                        documentation: None,
                    })
                    .collect(),
            ),
            active_parameter: Some((before + part) as u32),
        }
    }
}

impl Marked {
    /// Returns signatures of the function whose argument is at the marker. If `fun` declares the function, each clause has a signature.
    /// Otherwise the only signature is the function's type.
    pub(super) fn help(mut self) -> Option<SignatureHelp> {
        let call = *self.visible.as_ref()?.calls.last()?;
        let elaborator = &mut self.examined.elaborator;
        let facts = elaborator.facts();
        let fact: Fact = facts.names.iter().find(|it| it.span == call.head)?.clone();
        let functions = facts.functions.iter();
        let function = functions.rev().find(|it| it.name == fact.bound).cloned();
        let parts = elaborator.fact_parts(&fact)?;
        if call.argument >= parts.arguments.len() {
            return None;
        }
        let name = self.slice(call.head)?;
        let clauses: Vec<Label> = match &function {
            Some(function) => function
                .clauses
                .iter()
                .filter_map(|clause| self.clause(&name, clause, &parts))
                .filter(|label| call.argument < label.arguments.len())
                .collect(),
            None => Vec::new(),
        };
        let labels = if clauses.is_empty() {
            vec![of_type(&name, &parts)]
        } else {
            clauses
        };
        let signatures: Vec<SignatureInformation> = labels
            .into_iter()
            .map(|label| label.signature(&call))
            .collect();
        let active = signatures.first().and_then(|it| it.active_parameter);
        Some(SignatureHelp {
            signatures,
            active_signature: Some(0),
            active_parameter: active,
        })
    }

    /// Returns the label for a clause of a function, such as `f (x, y) z : int * int -> int -> int`.
    fn clause(&self, name: &str, clause: &[Argument], parts: &Parts) -> Option<Label> {
        let mut label = Label {
            text: name.to_owned(),
            ..Label::default()
        };
        for argument in clause {
            label.text.push(' ');
            label.arguments.push(Vec::new());
            if argument.parts.is_empty() {
                label.push_parameter(&self.slice(argument.span)?);
                continue;
            }
            label.text.push('(');
            for (at, part) in argument.parts.iter().enumerate() {
                if at > 0 {
                    label.text.push_str(", ");
                }
                label.push_parameter(&self.slice(*part)?);
            }
            label.text.push(')');
        }
        let ty = of_type("", parts).text;
        label.text.push_str(&ty);
        Some(label)
    }

    /// Returns a part of the program's text, in one line.
    fn slice(&self, span: Span) -> Option<String> {
        let file = self.examined.sources.file(span.file)?;
        let text = file.text.get(span.start as usize..span.end as usize)?;
        let text = String::from_utf8_lossy(text);
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Returns the label for a function without known clauses, such as `f : int * int -> int`.
fn of_type(name: &str, parts: &Parts) -> Label {
    let mut label = Label {
        text: format!("{name} : "),
        ..Label::default()
    };
    for argument in &parts.arguments {
        label.arguments.push(Vec::new());
        for (at, part) in argument.iter().enumerate() {
            if at > 0 {
                label.text.push_str(" * ");
            }
            label.push_parameter(part);
        }
        label.text.push_str(" -> ");
    }
    label.text.push_str(&parts.result);
    label
}
