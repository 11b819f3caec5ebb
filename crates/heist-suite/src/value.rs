//! Programs whose result is one value.

use std::fmt::Debug;
use std::sync::OnceLock;

use crate::contender::Contender;
use crate::count::forks_of;
use crate::program::Instance;
use crate::runner::{Kernel, Runner};

/// A kernel with an immutable input, and the value that it must return.
pub(crate) struct Value<K: Kernel> {
    params: String,
    kernel: K,
    expected: K::Out,
    result: Option<K::Out>,
    forks: OnceLock<u64>,
}

impl<K> Value<K>
where
    K: Kernel + Clone,
    K::Out: PartialEq + Debug,
{
    pub(crate) fn new(params: String, kernel: K, expected: K::Out) -> Self {
        Value {
            params,
            kernel,
            expected,
            result: None,
            forks: OnceLock::new(),
        }
    }
}

impl<K> Instance for Value<K>
where
    K: Kernel + Clone,
    K::Out: PartialEq + Debug,
{
    fn params(&self) -> String {
        self.params.clone()
    }

    fn reset(&mut self) {
        self.result = None;
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        self.result = Some(on.run(who, self.kernel.clone()));
    }

    fn check(&mut self) -> Result<(), String> {
        match &self.result {
            None => Err("there is no result".to_owned()),
            Some(result) if *result == self.expected => Ok(()),
            Some(result) => Err(format!("{result:?} instead of {:?}", self.expected)),
        }
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| forks_of(self.kernel.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Ctx;

    #[derive(Clone)]
    struct Two;

    impl Kernel for Two {
        type Out = u32;
        fn call<C: Ctx>(self, ctx: C) -> u32 {
            let (a, b) = ctx.join(|_| 1, |_| 1);
            a + b
        }
    }

    #[test]
    fn a_wrong_value_fails() {
        let runner = Runner::new(1).unwrap();
        let mut right = Value::new("two".to_owned(), Two, 2);
        assert!(right.check().is_err());
        right.run(Contender::Serial, &runner);
        right.check().unwrap();
        assert_eq!(right.forks(), Some(1));
        right.reset();
        assert!(right.check().is_err());
        let mut wrong = Value::new("two".to_owned(), Two, 3);
        wrong.run(Contender::Serial, &runner);
        assert_eq!(wrong.check(), Err("2 instead of 3".to_owned()));
    }
}
