//! Lowers parallel forms to forks. A worker evaluates the left side of a fork in place. The right side is also a
//! function, which an idle worker may run.

use super::Lower;
use super::layout::Shape;
use super::value::Value;
use crate::anf::{Atom, Block, Callee, End, FLAT_RESULTS, Fun, Label, Layout, Rep, Rhs, Stmt, Var};
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{Exp, Ty};

/// The way in which the compiler translates parallel forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    /// Translates parallel forms to forks. This is the default.
    #[default]
    Parallel,
    /// Translates parallel forms to forks whose arguments and results are always promoted, even if no other worker takes the fork. Only
    /// measurements for comparison use this translation.
    Eager,
    /// Translates parallel forms to forks that push a task onto a private deque of the worker (clone compilation; Rainey, section 3.3.2).
    /// Only measurements for comparison use this translation.
    Clones,
    /// Translates parallel forms to sequential code without forks. Only measurements for comparison use this translation.
    Sequential,
}

impl Lower {
    /// Evaluates a parallel tuple.
    pub fn parallel_tuple(&mut self, parts: &[Exp], ty: Ty) -> Value {
        let fields = match self.forms {
            Forms::Parallel | Forms::Eager | Forms::Clones => self.forks(parts),
            Forms::Sequential => parts.iter().map(|part| self.exp(part)).collect(),
        };
        self.record(ty, fields)
    }

    /// Evaluates a list of expressions in parallel, and returns their values. A fork has one half of the list on each side, and further
    /// forks divide the halves.
    fn forks(&mut self, parts: &[Exp]) -> Vec<Value> {
        if let [] | [_] = parts {
            return parts.iter().map(|part| self.exp(part)).collect();
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let begun = self.begin_fork(right);
        let mut values = self.forks(left);
        values.extend(self.end_fork(&begun));
        values
    }

    /// Begins a fork. The right side evaluates the expressions `right`, and the left side is the code that follows.
    pub fn begin_fork(&mut self, right: &[Exp]) -> Begun {
        let span = right[0].span;
        let passed = self.passed(right);
        let thief = self.fresh(Rep::Ptr, self.names.function);
        self.known.insert(thief);
        let body = self.thief_body(|lower| {
            let values = lower.forks(right);
            lower.pass(&passed, &values, span)
        });
        let fun = right_side(thief, passed.reps(), body, span);
        let fork = self.fork(fun, false);
        Begun {
            fork,
            thief,
            passed,
            span,
        }
    }

    /// Makes the body of a function that a thief runs. The closure `compute` makes the code of the body, and returns the words of the
    /// function's results.
    pub fn thief_body(&mut self, compute: impl FnOnce(&mut Self) -> Vec<Atom>) -> Block {
        let pending = std::mem::take(&mut self.pending);
        self.level += 1;
        let body = self.block(|lower| End::Return(compute(lower)));
        self.level -= 1;
        self.pending = pending;
        body
    }

    /// Emits the function `fun`, which a thief runs, and the beginning of a fork.
    pub fn fork(&mut self, fun: Fun, lazy: bool) -> Label {
        let (thief, span) = (fun.name, fun.span);
        self.stmt(Stmt::Funs(vec![fun]));
        let fork = self.label();
        let begin = Rhs::Fork {
            fork,
            thief,
            args: Vec::new(),
            lazy,
        };
        self.stmt(Stmt::Let(Vec::new(), begin, span));
        fork
    }

    /// Ends the left side of a fork. Returns the values of the right side.
    pub fn end_fork(&mut self, begun: &Begun) -> Vec<Value> {
        let Begun {
            fork,
            thief,
            ref passed,
            span,
        } = *begun;
        let after = self.label();
        let here = self.side(passed, after, |lower, vars| {
            let call = Rhs::Call(Callee::Known(thief), Vec::new());
            lower.stmt(Stmt::Let(vars.to_vec(), call, span));
            if lower.forms == Forms::Eager {
                lower.promote(vars, span)
            } else {
                vars.to_vec()
            }
        });
        let mut taken = Vec::new();
        let stolen = self.side(passed, after, |_, vars| {
            taken = vars.to_vec();
            vars.to_vec()
        });
        let rest = Block {
            stmts: Vec::new(),
            end: End::Resume {
                fork,
                right: Box::new(here),
                taken,
                stolen: Box::new(stolen),
            },
        };
        let params = self.results(passed);
        self.cut(rest, after, params.clone());
        self.received(passed, &params, span)
    }

    /// Emits the promotion of those words that are pointers. Returns all words.
    fn promote(&mut self, vars: &[Var], span: Span) -> Vec<Var> {
        let promote = Prim::by_name("rt.Par.promote").expect("a function of the runtime");
        let name = self.names.result;
        vars.iter()
            .map(|var| {
                if self.vars[var.0 as usize].rep != Rep::Ptr {
                    return *var;
                }
                let promoted = self.fresh(Rep::Ptr, name);
                let call = Rhs::Prim {
                    prim: promote,
                    elem: None,
                    args: vec![Atom::Var(*var)],
                };
                self.stmt(Stmt::Let(vec![promoted], call, span));
                promoted
            })
            .collect()
    }

    /// Makes a block for one way to get the results of a fork. `compute` makes the code of the block and returns the words of the results,
    /// which the block passes to the label `after`.
    fn side(
        &mut self,
        passed: &Passed,
        after: Label,
        compute: impl FnOnce(&mut Self, &[Var]) -> Vec<Var>,
    ) -> Block {
        let vars = self.results(passed);
        self.block(|lower| {
            let words = compute(lower, &vars);
            End::Jump(after, words.iter().map(|var| Atom::Var(*var)).collect())
        })
    }

    fn results(&mut self, passed: &Passed) -> Vec<Var> {
        let name = self.names.result;
        passed
            .reps()
            .into_iter()
            .map(|rep| self.fresh(rep, name))
            .collect()
    }

    /// Returns the shapes in which the values of expressions pass from the right side to the left side of a fork.
    fn passed(&mut self, parts: &[Exp]) -> Passed {
        let types: Vec<(Ty, Shape)> = parts
            .iter()
            .map(|part| match parts {
                [_] => (part.ty, self.layouts.result_shape(part.ty)),
                _ => (part.ty, Shape::Word),
            })
            .collect();
        let reps: Vec<Rep> = types
            .iter()
            .flat_map(|(ty, shape)| self.layouts.words(*ty, *shape))
            .collect();
        let boxed = reps.len() > FLAT_RESULTS;
        Passed { types, reps, boxed }
    }

    /// Returns the words of values. If there are more than [`FLAT_RESULTS`] words, makes an object that contains the words, and returns
    /// only this object.
    fn pass(&mut self, passed: &Passed, values: &[Value], span: Span) -> Vec<Atom> {
        let mut words = Vec::new();
        for ((ty, shape), value) in passed.types.iter().zip(values) {
            words.extend(self.words(*value, *ty, *shape, span));
        }
        if !passed.boxed {
            return words;
        }
        let (layout, places) = passed.layout();
        let mut fields = vec![Atom::Int(0); words.len()];
        for (word, place) in words.into_iter().zip(places) {
            fields[place as usize] = word;
        }
        let name = self.names.record;
        vec![self.compute(Rep::Ptr, name, Rhs::Alloc(layout, fields), span)]
    }

    /// Returns the values that [`pass`](Self::pass) has turned into words. `params` are the parameters that receive the words, or the
    /// object with the words.
    fn received(&mut self, passed: &Passed, params: &[Var], span: Span) -> Vec<Value> {
        let mut words: Vec<Atom> = params.iter().map(|var| Atom::Var(*var)).collect();
        if passed.boxed {
            let (object, name) = (words[0], self.names.field);
            let (_, places) = passed.layout();
            words = places
                .into_iter()
                .zip(&passed.reps)
                .map(|(place, rep)| self.load(object, place, *rep, name, span))
                .collect();
        }
        let mut rest = &words[..];
        let mut values = Vec::with_capacity(passed.types.len());
        for (ty, shape) in &passed.types {
            let count = self.layouts.words(*ty, *shape).len();
            let (own, others) = rest.split_at(count);
            values.push(self.value_of_words(own, *ty, *shape));
            rest = others;
        }
        values
    }
}

/// Makes the function that a thief runs.
pub fn right_side(name: Var, results: Vec<Rep>, body: Block, span: Span) -> Fun {
    Fun {
        name,
        params: Vec::new(),
        results,
        body,
        span,
        inside: Span::NONE,
        forked: true,
    }
}

/// A fork whose left side is being compiled.
pub struct Begun {
    /// The label of the fork.
    pub fork: Label,
    thief: Var,
    passed: Passed,
    span: Span,
}

/// The way in which the values of some expressions pass from one side of a fork to the other.
struct Passed {
    /// The type and the shape of each value.
    types: Vec<(Ty, Shape)>,
    /// The representations of the words of all values.
    reps: Vec<Rep>,
    /// Whether an object contains the words, because there are more than [`FLAT_RESULTS`].
    boxed: bool,
}

impl Passed {
    fn reps(&self) -> Vec<Rep> {
        if self.boxed {
            vec![Rep::Ptr]
        } else {
            self.reps.clone()
        }
    }

    /// Returns the layout of the object that contains the words, and the index of each word in the object.
    fn layout(&self) -> (Layout, Vec<u32>) {
        let ptrs = self.reps.iter().filter(|rep| **rep == Rep::Ptr).count() as u32;
        let layout = Layout {
            tag: 0,
            ptrs,
            raws: self.reps.len() as u32 - ptrs,
            mutable: false,
        };
        let (mut pointer, mut raw) = (0, ptrs);
        let places = self
            .reps
            .iter()
            .map(|rep| {
                let next = if *rep == Rep::Ptr {
                    &mut pointer
                } else {
                    &mut raw
                };
                *next += 1;
                *next - 1
            })
            .collect();
        (layout, places)
    }
}
