//! Fibonacci numbers without cutoff. The program does little but fork.

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::Kernel;
use crate::value::Value;

pub(super) const PROGRAM: Program = Program {
    name: "fib",
    about: "the n-th Fibonacci number by double recursion, a fork at every step",
    source: "Sarkar, COMP 322 lecture 11; Rainey's thesis, Fib",
    contenders: Contender::JOINS,
    prepare,
};

fn fib<C: Ctx>(ctx: C, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = ctx.join(move |c| fib(c, n - 1), move |c| fib(c, n - 2));
    a + b
}

#[derive(Clone)]
struct Run(u32);

impl Kernel for Run {
    type Out = u64;

    fn call<C: Ctx>(self, ctx: C) -> u64 {
        fib(ctx, self.0)
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    let n = within("n", size.pick(32, 38), 1..=50)? as u32;
    // Compute the expected result by a loop, not by the recursion.
    let expected = (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    Ok(Box::new(Value::new(format!("n={n}"), Run(n), expected)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_are_one_less_than_the_next_number() {
        assert_eq!(
            prepare(Size::N(20), &Data::default()).unwrap().forks(),
            Some(10_945)
        );
    }
}
