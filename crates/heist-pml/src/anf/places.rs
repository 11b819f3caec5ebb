//! Maps code to its places in the source texts, even if the optimiser has copied the code.

use rustc_hash::FxHashMap;

use super::{Block, End, Stmt};
use crate::source::{FileId, Sources, Span};
use crate::symbol::Symbol;

/// The file index of spans that represent a pair of places: a place in the body of an inlined function, and the call that the body
/// replaces.
const INLINED: FileId = FileId(u32::MAX - 1);
/// The maximum number of inlined calls that a place records. If code is inlined through more calls, its place records only the innermost
/// calls.
const DEEPEST: u32 = 16;

/// The source texts of a program, and the functions and inlined calls in these texts.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The source texts.
    pub sources: Sources,
    /// The places and names of the functions that have names.
    pub functions: Vec<(Span, Symbol)>,
    inlined: Vec<(Span, Span)>,
    numbers: FxHashMap<(Span, Span), u32>,
}

impl Places {
    /// Makes the places of a program without inlined code.
    #[must_use]
    pub fn of(functions: Vec<(Span, Symbol)>) -> Places {
        Places {
            functions,
            ..Places::default()
        }
    }

    /// Returns the span of inlined code: `span` is its place in the body of the function, and `call` is the call that the body replaces.
    pub fn inline(&mut self, span: Span, call: Span) -> Span {
        if span == Span::NONE {
            return call;
        }
        let depth = 1 + self.depth(span).max(self.depth(call));
        if call == Span::NONE || depth > DEEPEST {
            return span;
        }
        let next = self.inlined.len() as u32;
        let number = *self.numbers.entry((span, call)).or_insert(next);
        if number == next {
            self.inlined.push((span, call));
        }
        Span {
            file: INLINED,
            start: number,
            end: depth,
        }
    }

    fn depth(&self, span: Span) -> u32 {
        if span.file == INLINED { span.end } else { 0 }
    }

    /// Returns two places of inlined code: its place in the function's body, and the place of the inlined call. Returns `None` if `span` is
    /// not the span of inlined code.
    #[must_use]
    pub fn split(&self, span: Span) -> Option<(Span, Span)> {
        (span.file == INLINED).then(|| self.inlined[span.start as usize])
    }

    /// Changes all spans of `block`, a copy of a function's body, to spans of inlined code. The copy replaces the call at `call`.
    pub fn inline_block(&mut self, block: &mut Block, call: Span) {
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Let(_, _, span) => *span = self.inline(*span, call),
                Stmt::Join { body, .. } => self.inline_block(body, call),
                // Functions that the body defines have frames of their own, unless they become join points.
                Stmt::Funs(funs) => {
                    for fun in funs {
                        fun.inside = self.inline(fun.inside, call);
                    }
                }
            }
        }
        if let End::TailCall(_, _, span) | End::Raise(_, span) = &mut block.end {
            *span = self.inline(*span, call);
        }
        for inside in block.end.blocks_mut() {
            self.inline_block(inside, call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32) -> Span {
        Span {
            file: FileId(3),
            start,
            end: start + 1,
        }
    }

    #[test]
    fn calls_around_a_place_are_kept() {
        let mut places = Places::default();
        let inner = places.inline(span(1), span(10));
        assert_eq!(places.split(inner), Some((span(1), span(10))));
        assert_eq!(places.inline(span(1), span(10)), inner);
        let outer = places.inline(inner, span(20));
        assert_eq!(places.split(outer), Some((inner, span(20))));
        assert_eq!(places.split(span(1)), None);
        assert_eq!(places.inline(Span::NONE, span(20)), span(20));
        assert_eq!(places.inline(span(1), Span::NONE), span(1));
    }

    #[test]
    fn depth_has_a_bound() {
        let mut places = Places::default();
        let mut at = span(0);
        for call in 1..100 {
            at = places.inline(at, span(call));
        }
        let mut calls = 0;
        while let Some((inner, _)) = places.split(at) {
            at = inner;
            calls += 1;
        }
        assert_eq!((calls, at), (DEEPEST, span(0)));
    }
}
