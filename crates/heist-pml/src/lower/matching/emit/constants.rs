//! Emits code for matches against constants: strings, integers and reals.

use std::collections::HashMap;

use super::{Context, Key, Lower, OccId, Tree};
use crate::anf::{Atom, Cmp, Cond, End, Rep, Rhs};
use crate::prim::Prim;
use crate::source::Span;

/// The maximum number of strings that a match compares one by one. A match with more strings first compares the sizes of the strings.
const FEW_STRINGS: usize = 3;

impl Lower {
    pub(super) fn emit_strings(
        &mut self,
        occ: OccId,
        cases: Vec<(Key<'_>, Tree<'_>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        let on = self.look_atom(occ, context.span);
        if cases.len() <= FEW_STRINGS {
            return self.emit_string_chain(on, cases.into_iter(), default, context);
        }
        let mut sizes: HashMap<i64, usize> = HashMap::new();
        let mut groups: Vec<(i64, Vec<(Key<'_>, Tree<'_>)>)> = Vec::new();
        for (key, tree) in cases {
            let Key::String(bytes) = key else {
                unreachable!("constants of one type")
            };
            let size = bytes.len() as i64;
            let group = *sizes.entry(size).or_insert_with(|| {
                groups.push((size, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push((key, tree));
        }
        let rhs = Rhs::Prim {
            prim: Prim::StringSize,
            elem: None,
            args: vec![on],
        };
        let size = self.compute(Rep::Int, self.names.tag, rhs, context.span);
        let (mut miss, other) = self.share(default, context);
        let cases = groups
            .into_iter()
            .map(|(size, group)| {
                let default = match *miss {
                    Tree::Goto(label) => Tree::Goto(label),
                    _ => Tree::Fail,
                };
                let default = Some(std::mem::replace(&mut miss, Box::new(default)));
                let block = self.block(|lower| {
                    lower.emit_string_chain(on, group.into_iter(), default, context)
                });
                (size, block)
            })
            .collect();
        let default = self.emit_block(*other, context);
        End::Switch {
            on: size,
            cases,
            default: Some(Box::new(default)),
        }
    }

    fn string_test(&mut self, on: Atom, key: &Key<'_>, span: Span) -> Cond {
        let Key::String(bytes) = key else {
            unreachable!("constants of one type")
        };
        let constant = Atom::Static(self.statics.string(bytes));
        let outcome = match self.runtime_function("rt.String.eq", span) {
            Some(prim) => {
                let rhs = Rhs::Prim {
                    prim,
                    elem: None,
                    args: vec![on, constant],
                };
                self.compute(Rep::Int, self.names.equal, rhs, span)
            }
            None => Atom::Int(0),
        };
        Cond::Int(Cmp::Ne, outcome, Atom::Int(0))
    }

    fn emit_string_chain<'p>(
        &mut self,
        on: Atom,
        mut cases: impl Iterator<Item = (Key<'p>, Tree<'p>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        let Some((key, tree)) = cases.next() else {
            return self.emit_default(default, context);
        };
        let cond = self.string_test(on, &key, context.span);
        let yes = self.emit_block(tree, context);
        let no = self.block(|lower| {
            let cases: &mut dyn Iterator<Item = (Key<'p>, Tree<'p>)> = &mut cases;
            lower.emit_string_chain(on, cases, default, context)
        });
        End::If(cond, Box::new(yes), Box::new(no))
    }

    pub(super) fn emit_integers<'p>(
        &mut self,
        on: Atom,
        mut cases: impl Iterator<Item = (Key<'p>, Tree<'p>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        let span = context.span;
        let Some((key, tree)) = cases.next() else {
            return self.emit_default(default, context);
        };
        let Key::Integer(value) = key else {
            unreachable!("constants of one type")
        };
        // A small integer is always an immediate, so the test compares words.
        let constant = self.statics.integer(value);
        let cond = match constant {
            Atom::Imm(_) => Cond::Same(on, constant),
            _ => match self.runtime_function("rt.IntInf.eq", span) {
                Some(prim) => {
                    let rhs = Rhs::Prim {
                        prim,
                        elem: None,
                        args: vec![on, constant],
                    };
                    let outcome = self.compute(Rep::Int, self.names.equal, rhs, span);
                    Cond::Int(Cmp::Ne, outcome, Atom::Int(0))
                }
                None => Cond::Same(on, constant),
            },
        };
        let yes = self.emit_block(tree, context);
        let no = self.block(|lower| {
            let cases: &mut dyn Iterator<Item = (Key<'p>, Tree<'p>)> = &mut cases;
            lower.emit_integers(on, cases, default, context)
        });
        End::If(cond, Box::new(yes), Box::new(no))
    }

    pub(super) fn emit_reals<'p>(
        &mut self,
        on: Atom,
        mut cases: impl Iterator<Item = (Key<'p>, Tree<'p>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        let Some((key, tree)) = cases.next() else {
            return self.emit_default(default, context);
        };
        let Key::Real(bits) = key else {
            unreachable!("constants of one type")
        };
        let yes = self.emit_block(tree, context);
        let no = self.block(|lower| {
            let cases: &mut dyn Iterator<Item = (Key<'p>, Tree<'p>)> = &mut cases;
            lower.emit_reals(on, cases, default, context)
        });
        let cond = Cond::Real(Cmp::Eq, on, Atom::Real(bits));
        End::If(cond, Box::new(yes), Box::new(no))
    }
}
