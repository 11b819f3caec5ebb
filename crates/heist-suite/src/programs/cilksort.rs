//! Cilk's sort of integers, in two versions: without cutoffs, and with Cilk's cutoffs.

use std::sync::OnceLock;

use crate::bounds::within;
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::noise::word;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};
use crate::sort::{Cut, How, sort};

const SOURCE: &str =
    "Kumar et al., Friendly Barriers (VEE 2014), section 3.1: CilkSort of 10 million integers";

pub(super) const FINE: Program = Program {
    name: "cilksort",
    about: "merge sort of random integers by quarters with a parallel merge, forking down to 16 elements",
    source: SOURCE,
    contenders: Contender::JOINS,
    prepare: |size, _| prepare(size, Cut::FINE),
};

pub(super) const CUTOFF: Program = Program {
    name: "cilksort-cutoff",
    about: "the same sort with Cilk's cutoffs: serial below 1024 elements, merges below 2048",
    source: SOURCE,
    contenders: Contender::JOINS,
    prepare: |size, _| prepare(size, Cut::CILK),
};

struct Run<'a> {
    data: &'a mut [u32],
    spare: &'a mut [u32],
    cut: Cut,
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        let how = How::new(|x, y| x < y, self.cut);
        sort(ctx, self.data, self.spare, &how);
    }
}

struct CilkSort {
    cut: Cut,
    input: Vec<u32>,
    expected: Vec<u32>,
    data: Vec<u32>,
    spare: Vec<u32>,
    forks: OnceLock<u64>,
}

fn prepare(size: Size, cut: Cut) -> Result<Box<dyn Instance>, String> {
    let n = within(
        "the number of integers",
        size.pick(300_000, 10_000_000),
        1..=200_000_000,
    )?;
    Ok(Box::new(CilkSort::new(n, cut)))
}

impl CilkSort {
    fn new(n: usize, cut: Cut) -> CilkSort {
        let input: Vec<u32> = (0..n as u64).map(|i| word(2, i) as u32).collect();
        let mut expected = input.clone();
        expected.sort_unstable();
        CilkSort {
            cut,
            data: input.clone(),
            spare: vec![0; n],
            input,
            expected,
            forks: OnceLock::new(),
        }
    }
}

impl Instance for CilkSort {
    fn params(&self) -> String {
        format!("integers={}", self.input.len())
    }

    fn reset(&mut self) {
        self.data.copy_from_slice(&self.input);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                data: &mut self.data,
                spare: &mut self.spare,
                cut: self.cut,
            },
        );
    }

    fn check(&mut self) -> Result<(), String> {
        match self
            .data
            .iter()
            .zip(&self.expected)
            .position(|(is, must)| is != must)
        {
            None => Ok(()),
            Some(i) => Err(format!(
                "element {i} is {} instead of {}",
                self.data[i], self.expected[i]
            )),
        }
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            let (mut data, mut spare) = (self.input.clone(), self.spare.clone());
            forks_of(Run {
                data: &mut data,
                spare: &mut spare,
                cut: self.cut,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_order_or_element_fails() {
        let mut sort = CilkSort::new(1000, Cut::FINE);
        assert!(sort.check().is_err());
        sort.run(Contender::Serial, &Runner::new(1).unwrap());
        sort.check().unwrap();
        sort.data.swap(499, 500);
        assert!(sort.check().unwrap_err().starts_with("element 499 is"));
        sort.data.swap(499, 500);
        sort.data[7] ^= 1;
        assert!(sort.check().is_err());
    }
}
