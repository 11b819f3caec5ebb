//! Emits code for decision trees.

mod constants;

use std::collections::HashMap;

use super::super::Lower;
use super::super::exp::Dest;
use super::super::layout::{ConRep, Data};
use super::super::value::Value;
use super::tree::{Binds, Key, Tree, collect_binds, place_of};
use super::{OccId, Rule};
use crate::anf::{Atom, Block, Cmp, Cond, End, Label, Rep, Rhs, Var};
use crate::prim::{BuiltinExn, Prim};
use crate::source::Span;
use crate::typed;

/// The behaviour of a match if no rule matches.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    /// Raises an exception of the runtime.
    Raise(BuiltinExn),
    /// Raises the matched exception again.
    Reraise,
}

/// The join point of a rule that several leaves of a tree share: its label, and the values that the leaves pass to the rule.
struct Shared {
    label: Label,
    passed: Vec<Passed>,
}

/// A value that a leaf passes to its rule.
#[derive(Clone, Copy, PartialEq)]
enum Passed {
    /// The value at this place of the matched value.
    At(OccId),
    /// The value of this variable. Its place depends on the alternative of the pattern that matches.
    Of(typed::Var),
}

/// The state while the code of a tree is emitted.
struct Context<'c> {
    root: OccId,
    fallback: Fallback,
    /// The label of the tree that runs if no rule of the current tree matches, or `None` if there is no such tree.
    next: Option<Label>,
    span: Span,
    shared: HashMap<usize, Shared>,
    leaf: &'c mut dyn FnMut(&mut Lower, usize, &Binds) -> End,
}

impl Lower {
    /// Emits code for the decision tree of several rules.
    pub fn emit_tree(
        &mut self,
        tree: Tree<'_>,
        root: OccId,
        rules: &[Rule],
        fallback: Fallback,
        dest: Dest,
        span: Span,
    ) -> End {
        let mut uses = HashMap::new();
        tree.count(&mut uses);
        let mut shared = HashMap::new();
        if uses.values().any(|&count| count > 1) {
            let mut binds = HashMap::new();
            collect_binds(&tree, &mut binds);
            let mut many: Vec<usize> = uses
                .into_iter()
                .filter(|&(_, count)| count > 1)
                .map(|(rule, _)| rule)
                .collect();
            many.sort_unstable();
            for rule in many {
                let binds = binds.remove(&rule).unwrap_or_default();
                let entry = self.shared_rule(&rules[rule], binds, dest, span);
                shared.insert(rule, entry);
            }
        }
        let mut context = Context {
            root,
            fallback,
            next: None,
            span,
            shared,
            leaf: &mut |lower, rule, _| lower.into(&rules[rule].exp, dest),
        };
        self.emit(tree, &mut context)
    }

    /// Emits code for the decision tree of one rule. `leaf` receives the places of the variables.
    pub fn emit_one(
        &mut self,
        tree: Tree<'_>,
        root: OccId,
        fallback: Fallback,
        span: Span,
        leaf: &mut dyn FnMut(&mut Lower, &Binds) -> End,
    ) -> End {
        let mut context = Context {
            root,
            fallback,
            next: None,
            span,
            shared: HashMap::new(),
            leaf: &mut |lower, _, binds| leaf(lower, binds),
        };
        self.emit(tree, &mut context)
    }

    /// Emits the code of a rule as a join point, before the code of the tree. The parameters of the join point are the values that only the
    /// code of the tree loads.
    fn shared_rule(
        &mut self,
        rule: &Rule,
        binds: Vec<(typed::Var, OccId)>,
        dest: Dest,
        span: Span,
    ) -> Shared {
        let mut params: Vec<Var> = Vec::new();
        let mut passed: Vec<Passed> = Vec::new();
        let alternatives = rule.pat.has_alternatives();
        for (var, occ) in binds {
            let known = if alternatives {
                None
            } else {
                self.at_hand(occ)
            };
            let needs = if alternatives {
                Passed::Of(var)
            } else {
                Passed::At(occ)
            };
            let value = match known {
                Some(value) => value,
                None => match passed.iter().position(|&other| other == needs) {
                    Some(at) => Value::Atom(Atom::Var(params[at])),
                    None => {
                        let rep = self.layouts.rep(self.occurrences[occ.0].ty);
                        let param = self.fresh(rep, self.name(var));
                        params.push(param);
                        passed.push(needs);
                        Value::Atom(Atom::Var(param))
                    }
                },
            };
            self.bind(var, value, span);
        }
        let label = self.join(params, |lower| lower.into(&rule.exp, dest));
        Shared { label, passed }
    }

    fn emit(&mut self, tree: Tree<'_>, context: &mut Context<'_>) -> End {
        let span = context.span;
        match tree {
            Tree::Fail => self.fail(context),
            Tree::Goto(label) => End::Jump(label, Vec::new()),
            Tree::Leaf { rule, binds } => {
                if let Some(shared) = context.shared.get(&rule) {
                    let words = shared
                        .passed
                        .iter()
                        .map(|&needs| match needs {
                            Passed::At(occ) => occ,
                            Passed::Of(var) => place_of(&binds, var),
                        })
                        .map(|occ| self.look_atom(occ, span))
                        .collect();
                    return End::Jump(shared.label, words);
                }
                for &(var, occ) in &binds {
                    let value = self.look(occ, span);
                    self.bind(var, value, span);
                }
                (context.leaf)(self, rule, &binds)
            }
            Tree::Or(first, second) => {
                let label = self.join(Vec::new(), |lower| lower.emit(*second, context));
                let outer = context.next.replace(label);
                let end = self.emit(*first, context);
                context.next = outer;
                end
            }
            Tree::Switch {
                occ,
                cases,
                default,
            } => match cases.first() {
                Some((Key::Con(_), _)) => self.emit_constructors(occ, cases, default, context),
                Some((Key::Word(_), _)) => {
                    let on = self.look_atom(occ, span);
                    let cases = cases
                        .into_iter()
                        .map(|(key, tree)| match key {
                            Key::Word(value) => (value, tree),
                            _ => unreachable!("constants of one type"),
                        })
                        .collect();
                    self.emit_words(on, cases, default, context)
                }
                Some((Key::String(_), _)) => self.emit_strings(occ, cases, default, context),
                Some((Key::Real(_), _)) => {
                    let on = self.look_atom(occ, span);
                    self.emit_reals(on, cases.into_iter(), default, context)
                }
                Some((Key::Integer(_), _)) => {
                    let on = self.look_atom(occ, span);
                    self.emit_integers(on, cases.into_iter(), default, context)
                }
                Some((Key::Exn(_), _)) => {
                    let exn = self.look_atom(occ, span);
                    let id = self.load(exn, 0, Rep::Ptr, self.names.exn, span);
                    self.emit_exceptions(id, cases.into_iter(), default, context)
                }
                None => self.emit_default(default, context),
            },
        }
    }

    fn fail(&mut self, context: &mut Context<'_>) -> End {
        if let Some(label) = context.next {
            return End::Jump(label, Vec::new());
        }
        let exn = match context.fallback {
            Fallback::Raise(exn) => self.builtin_exn(exn),
            Fallback::Reraise => self.look_atom(context.root, context.span),
        };
        End::Raise(exn, context.span)
    }

    fn emit_default(&mut self, default: Option<Box<Tree<'_>>>, context: &mut Context<'_>) -> End {
        match default {
            Some(tree) => self.emit(*tree, context),
            None => End::Unreachable,
        }
    }

    fn emit_block(&mut self, tree: Tree<'_>, context: &mut Context<'_>) -> Block {
        self.block(|lower| lower.emit(tree, context))
    }

    /// Emits code that chooses one of several trees by the value of a word. If there is no default, one of the cases always applies.
    fn emit_words(
        &mut self,
        on: Atom,
        mut cases: Vec<(i64, Tree<'_>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        match (cases.len(), default) {
            (0, default) => self.emit_default(default, context),
            (1, None) => self.emit(cases.remove(0).1, context),
            (1, Some(default)) => {
                let (value, tree) = cases.remove(0);
                self.emit_if(
                    Cond::Int(Cmp::Eq, on, Atom::Int(value)),
                    tree,
                    *default,
                    context,
                )
            }
            (2, None) => {
                let (_, other) = cases.remove(1);
                let (value, tree) = cases.remove(0);
                self.emit_if(
                    Cond::Int(Cmp::Eq, on, Atom::Int(value)),
                    tree,
                    other,
                    context,
                )
            }
            (_, default) => {
                let cases = cases
                    .into_iter()
                    .map(|(value, tree)| (value, self.emit_block(tree, context)))
                    .collect();
                let default = default.map(|tree| Box::new(self.emit_block(*tree, context)));
                End::Switch { on, cases, default }
            }
        }
    }

    fn emit_if(
        &mut self,
        cond: Cond,
        yes: Tree<'_>,
        no: Tree<'_>,
        context: &mut Context<'_>,
    ) -> End {
        let yes = self.emit_block(yes, context);
        let no = self.emit_block(no, context);
        End::If(cond, Box::new(yes), Box::new(no))
    }

    fn emit_constructors(
        &mut self,
        occ: OccId,
        cases: Vec<(Key<'_>, Tree<'_>)>,
        mut default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        let data = self.layouts.data(self.occurrences[occ.0].ty);
        let on = self.look_atom(occ, context.span);
        let cases = cases.into_iter().map(|(key, tree)| match key {
            Key::Con(number) => (number, tree),
            _ => unreachable!("constructors of one type"),
        });
        let (cons, imms, objects) = match &*data {
            Data::Mixed {
                cons,
                imms,
                objects,
            } => (cons, *imms as usize, *objects as usize),
            _ => {
                let cases = cases
                    .map(|(number, tree)| (i64::from(number), tree))
                    .collect();
                return self.emit_words(on, cases, default, context);
            }
        };
        let mut imm_cases = Vec::new();
        let mut object_cases = Vec::new();
        for (number, tree) in cases {
            match &cons[number as usize] {
                ConRep::Imm(value) => imm_cases.push((*value, tree)),
                ConRep::Object { fields, .. } => {
                    object_cases.push((i64::from(fields.layout.tag), tree));
                }
            }
        }
        let imm_rest = imm_cases.len() < imms;
        let object_rest = object_cases.len() < objects;
        let imm_default = match (imm_rest, object_rest) {
            // Immediates and objects share the default.
            (true, true) => {
                let (first, second) = self.share(default, context);
                default = Some(second);
                Some(first)
            }
            (true, false) => default.take(),
            (false, _) => None,
        };
        if objects == 0 {
            self.emit_immediates(on, imm_cases, imm_default, context)
        } else if imms == 0 {
            self.emit_objects(on, object_cases, default, context)
        } else {
            let yes =
                self.block(|lower| lower.emit_immediates(on, imm_cases, imm_default, context));
            let no = self.block(|lower| lower.emit_objects(on, object_cases, default, context));
            End::If(Cond::IsImm(on), Box::new(yes), Box::new(no))
        }
    }

    fn emit_immediates(
        &mut self,
        on: Atom,
        mut cases: Vec<(i64, Tree<'_>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        match (cases.len(), default) {
            (1, Some(default)) => {
                let (value, tree) = cases.remove(0);
                self.emit_if(Cond::Same(on, Atom::Imm(value)), tree, *default, context)
            }
            (2, None) => {
                let (_, other) = cases.remove(1);
                let (value, tree) = cases.remove(0);
                self.emit_if(Cond::Same(on, Atom::Imm(value)), tree, other, context)
            }
            (0 | 1, default) => self.emit_words(on, cases, default, context),
            (_, default) => {
                // Casts the immediate to the integer that is its word.
                let rhs = Rhs::Prim {
                    prim: Prim::Cast,
                    elem: None,
                    args: vec![on],
                };
                let word = self.compute(Rep::Int, self.names.tag, rhs, context.span);
                let cases = cases
                    .into_iter()
                    .map(|(value, tree)| (2 * value + 1, tree))
                    .collect();
                self.emit_words(word, cases, default, context)
            }
        }
    }

    fn emit_objects(
        &mut self,
        on: Atom,
        cases: Vec<(i64, Tree<'_>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        if cases.is_empty() || (cases.len() == 1 && default.is_none()) {
            return self.emit_words(on, cases, default, context);
        }
        let tag = self.compute(Rep::Int, self.names.tag, Rhs::Tag(on), context.span);
        self.emit_words(tag, cases, default, context)
    }

    /// Emits a join point for a tree that two places in the code share. Returns, for each of these places, a tree that jumps to the join
    /// point.
    fn share<'p>(
        &mut self,
        tree: Option<Box<Tree<'p>>>,
        context: &mut Context<'_>,
    ) -> (Box<Tree<'p>>, Box<Tree<'p>>) {
        match tree.map(|tree| *tree) {
            None | Some(Tree::Fail) => (Box::new(Tree::Fail), Box::new(Tree::Fail)),
            Some(Tree::Goto(label)) => (Box::new(Tree::Goto(label)), Box::new(Tree::Goto(label))),
            Some(tree) => {
                let label = self.join(Vec::new(), |lower| lower.emit(tree, context));
                (Box::new(Tree::Goto(label)), Box::new(Tree::Goto(label)))
            }
        }
    }

    fn emit_exceptions<'p>(
        &mut self,
        id: Atom,
        mut cases: impl Iterator<Item = (Key<'p>, Tree<'p>)>,
        default: Option<Box<Tree<'_>>>,
        context: &mut Context<'_>,
    ) -> End {
        let Some((key, tree)) = cases.next() else {
            return self.emit_default(default, context);
        };
        let Key::Exn(tag) = key else {
            unreachable!("patterns of one type")
        };
        let tag = self.exn_id(tag);
        let yes = self.emit_block(tree, context);
        let no = self.block(|lower| {
            let cases: &mut dyn Iterator<Item = (Key<'p>, Tree<'p>)> = &mut cases;
            lower.emit_exceptions(id, cases, default, context)
        });
        End::If(Cond::Same(id, tag), Box::new(yes), Box::new(no))
    }
}
