//! Transforms recursive functions that take functions as arguments and pass some of these arguments unchanged in each recursive call. Such
//! a function becomes a wrapper around a recursive function that does not have these arguments. This change is known as the static argument
//! transformation.
//!
//! `fun map f (x :: xs) = f x :: map f xs` becomes `fun map f = let fun loop (x :: xs) = f x :: loop xs in loop end`. The wrapper is not
//! recursive, so the optimiser can inline it where `f` is known. Calls of `f` in the inlined copy are direct.

use crate::anf::{Atom, Block, Callee, End, Fun, Program, Rep, Rhs, Stmt, Var};
use crate::source::Span;

/// The maximum size of a function that this pass transforms. The optimiser would not inline a larger wrapper.
const LARGEST: usize = 100;

/// Applies the static argument transformation to the functions of a program.
pub fn invariant(program: &mut Program) {
    let mut main = std::mem::take(&mut program.main);
    block(program, &mut main);
    program.main = main;
}

fn block(program: &mut Program, of: &mut Block) {
    for stmt in &mut of.stmts {
        match stmt {
            Stmt::Let(..) => {}
            Stmt::Join { body, .. } => block(program, body),
            Stmt::Funs(funs) => {
                if let [fun] = &mut funs[..] {
                    wrap(program, fun);
                }
                funs.iter_mut()
                    .for_each(|fun| block(program, &mut fun.body));
            }
        }
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| block(program, inner));
}

fn wrap(program: &mut Program, fun: &mut Fun) {
    if fun.body.size(LARGEST) >= LARGEST {
        return;
    }
    let mut calls = Calls {
        fun: fun.name,
        params: &fun.params,
        same: vec![true; fun.params.len()],
        seen: 0,
        called: vec![false; fun.params.len()],
    };
    calls.block(&fun.body);
    if calls.seen == 0
        || !calls
            .same
            .iter()
            .zip(&calls.called)
            .any(|(same, called)| *same && *called)
    {
        return;
    }
    // Only arguments that the function calls move to the wrapper, because passing any other argument costs less than capturing it.
    let fixed: Vec<bool> = calls
        .same
        .iter()
        .zip(&calls.called)
        .map(|(same, called)| *same && *called)
        .collect();
    let name = program.vars[fun.name.0 as usize].name;
    let inner_name = program.fresh(Rep::Ptr, name.as_str());
    let mut body = std::mem::take(&mut fun.body);
    redirect(&mut body, fun.name, inner_name, &fixed);
    let mut inner_params = Vec::new();
    let mut args = Vec::new();
    for (param, fixed) in fun.params.iter_mut().zip(&fixed) {
        if !fixed {
            inner_params.push(*param);
            let info = program.vars[param.0 as usize].clone();
            *param = program.fresh(info.rep, info.name.as_str());
            args.push(Atom::Var(*param));
        }
    }
    let inner = Fun {
        name: inner_name,
        params: inner_params,
        results: fun.results.clone(),
        body,
        span: fun.span,
        // `fun.inside` applies to the whole body of `fun`, which includes this function.
        inside: Span::NONE,
        forked: false,
    };
    fun.body = Block {
        stmts: vec![Stmt::Funs(vec![inner])],
        end: End::TailCall(Callee::Known(inner_name), args, Span::NONE),
    };
}

/// Facts about the arguments that a function passes in calls of itself.
struct Calls<'a> {
    fun: Var,
    params: &'a [Var],
    same: Vec<bool>,
    called: Vec<bool>,
    seen: usize,
}

impl Calls<'_> {
    fn call(&mut self, callee: Callee, args: &[Atom]) {
        match callee {
            Callee::Known(var) if var == self.fun => {
                self.seen += 1;
                for ((same, param), arg) in self.same.iter_mut().zip(self.params).zip(args) {
                    *same &= *arg == Atom::Var(*param);
                }
            }
            Callee::Known(_) => {}
            Callee::Closure(atom) => {
                for (called, param) in self.called.iter_mut().zip(self.params) {
                    *called |= atom == Atom::Var(*param);
                }
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(_, Rhs::Call(callee, args), _) => self.call(*callee, args),
                Stmt::Let(..) => {}
                Stmt::Funs(funs) => funs.iter().for_each(|fun| self.block(&fun.body)),
                Stmt::Join { body, .. } => self.block(body),
            }
        }
        if let End::TailCall(callee, args, _) = &block.end {
            self.call(*callee, args);
        }
        block
            .end
            .blocks()
            .into_iter()
            .for_each(|block| self.block(block));
    }
}

/// Replaces calls of `from` by calls of `to`. The function `to` does not take the arguments that
/// are `fixed`.
fn redirect(block: &mut Block, from: Var, to: Var, fixed: &[bool]) {
    let change = |callee: &mut Callee, args: &mut Vec<Atom>| {
        if *callee == Callee::Known(from) {
            *callee = Callee::Known(to);
            let mut at = 0;
            args.retain(|_| {
                at += 1;
                !fixed[at - 1]
            });
        }
    };
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let(_, Rhs::Call(callee, args), _) => change(callee, args),
            Stmt::Let(..) => {}
            Stmt::Funs(funs) => funs
                .iter_mut()
                .for_each(|fun| redirect(&mut fun.body, from, to, fixed)),
            Stmt::Join { body, .. } => redirect(body, from, to, fixed),
        }
    }
    if let End::TailCall(callee, args, _) = &mut block.end {
        change(callee, args);
    }
    block
        .end
        .blocks_mut()
        .into_iter()
        .for_each(|block| redirect(block, from, to, fixed));
}
