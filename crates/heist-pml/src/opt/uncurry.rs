//! Adds, for each curried function, a function that takes all arguments at once.
//!
//! `fun f x = fn y => e` becomes `fun f' (x, y) = e` and `fun f x = fn y => f' (x, y)`. The new `f` is so small that the optimiser inlines
//! it wherever `f` is known. `f a b` then becomes the direct call `f' (a, b)`, so the other passes need no special treatment of curried
//! functions.
//!
//! `fun f x = let fun g y = e in g end`, where `e` calls `g`, becomes `fun f' (x, y) = let fun g y = e in g y end` and
//! `fun f x = fn y => f' (x, y)`.

use crate::anf::{Atom, Block, Callee, End, Fun, Program, Rep, Rhs, Stmt, Var};
use crate::prim::Effect;
use crate::source::Span;

/// Adds, for every curried function of a program, a function that takes all arguments at once.
pub fn uncurry(program: &mut Program) {
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
                let mut done = Vec::with_capacity(funs.len());
                let mut waiting: Vec<Fun> = std::mem::take(funs);
                waiting.reverse();
                while let Some(fun) = waiting.pop() {
                    match split(program, fun) {
                        Ok((outer, all)) => {
                            done.push(outer);
                            // The inner function may be curried itself.
                            waiting.push(all);
                        }
                        Err(mut fun) => {
                            block(program, &mut fun.body);
                            done.push(*fun);
                        }
                    }
                }
                *funs = done;
            }
        }
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| block(program, inner));
}

/// Splits a curried function: returns the function that takes all arguments at once, and the curried function that calls it. Returns any
/// other function unchanged, as the error.
fn split(program: &mut Program, mut fun: Fun) -> Result<(Fun, Fun), Box<Fun>> {
    if !returns_function(&fun) {
        return Err(Box::new(fun));
    }
    let Some(Stmt::Funs(mut inner)) = fun.body.stmts.pop() else {
        return Err(Box::new(fun));
    };
    let Some(inner) = inner.pop() else {
        return Err(Box::new(fun));
    };
    let name = program.vars[fun.name.0 as usize].name;
    let copies = |program: &mut Program, vars: &[Var]| -> Vec<Var> {
        vars.iter()
            .map(|var| {
                let info = program.vars[var.0 as usize].clone();
                program.fresh(info.rep, info.name.as_str())
            })
            .collect()
    };
    let all_name = program.fresh(Rep::Ptr, name.as_str());
    let (first, second) = (copies(program, &fun.params), copies(program, &inner.params));
    let (results, span) = (inner.results.clone(), inner.span);
    let mut rest_name = inner.name;
    let mut params = fun.params;
    let mut stmts = fun.body.stmts;
    let end = if mentions(&inner.body, inner.name) {
        rest_name = program.fresh(Rep::Ptr, name.as_str());
        let own = copies(program, &inner.params);
        params.extend(&own);
        let args = own.into_iter().map(Atom::Var).collect();
        let end = End::TailCall(Callee::Known(inner.name), args, Span::NONE);
        stmts.push(Stmt::Funs(vec![inner]));
        end
    } else {
        params.extend(&inner.params);
        stmts.extend(inner.body.stmts);
        inner.body.end
    };
    let all = Fun {
        name: all_name,
        params,
        results: results.clone(),
        body: Block { stmts, end },
        span,
        inside: fun.inside,
        forked: false,
    };
    let args = first
        .iter()
        .chain(&second)
        .map(|var| Atom::Var(*var))
        .collect();
    let rest = Fun {
        name: rest_name,
        params: second,
        results,
        body: Block {
            stmts: Vec::new(),
            end: End::TailCall(Callee::Known(all_name), args, Span::NONE),
        },
        span,
        inside: Span::NONE,
        forked: false,
    };
    let outer = Fun {
        name: fun.name,
        params: first,
        results: fun.results,
        body: Block {
            stmts: vec![Stmt::Funs(vec![rest])],
            end: End::Return(vec![Atom::Var(rest_name)]),
        },
        span: fun.span,
        inside: fun.inside,
        forked: false,
    };
    Ok((outer, all))
}

/// Returns true if a block mentions a function.
fn mentions(block: &Block, fun: Var) -> bool {
    let mut used = rustc_hash::FxHashSet::default();
    super::simplify::mentioned(block, &mut used);
    used.contains(&fun)
}

/// Returns true if a body defines one function and returns it, and makes no expensive computation before the definition.
fn returns_function(fun: &Fun) -> bool {
    let Some((Stmt::Funs(inner), before)) = fun.body.stmts.split_last() else {
        return false;
    };
    let ([inner], End::Return(results)) = (&inner[..], &fun.body.end) else {
        return false;
    };
    let cheap = |stmt: &Stmt| match stmt {
        Stmt::Let(_, Rhs::Load { .. } | Rhs::Tag(_) | Rhs::Atom(_), _) => true,
        Stmt::Let(_, Rhs::Prim { prim, .. }, _) => {
            prim.effect() == Effect::Pure && !matches!(prim, crate::prim::Prim::Runtime(_))
        }
        _ => false,
    };
    let direct = inner.body.stmts.is_empty()
        && matches!(inner.body.end, End::TailCall(Callee::Known(_), ..));
    results[..] == [Atom::Var(inner.name)] && before.iter().all(cheap) && !direct
}
