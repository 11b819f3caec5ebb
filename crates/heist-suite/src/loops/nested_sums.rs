//! Makes arrays of the numbers from 0 on, and then the sum of each array.

use heist::par::{DEFAULT_LEAF, Rope, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::{Seq, rope, same};
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "nested-sums",
        about: "makes the arrays of the numbers up to 0, up to 1, and so on, then sums each: loops in loops, of all lengths",
        source: "Rainey's thesis, Nested Sums (figure 2.5): up to 5999",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// The number of arrays that one of chili's tasks makes or sums.
const GRAIN: usize = 16;

struct NestedSums {
    last: u64,
    leaf: usize,
}

fn prepare(size: Size, _: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    let last = within("the last number", size.pick(2999, 5999), 1..=40_000)?;
    Ok(Box::new(Looped::new(NestedSums {
        last: last as u64,
        leaf,
    })))
}

impl Loop for NestedSums {
    type Out = Seq<u64>;

    fn params(&self) -> String {
        format!("last={}", self.last)
    }

    fn serial(&self) -> Seq<u64> {
        let arrays: Vec<Vec<u64>> = (0..=self.last).map(|i| (0..=i).collect()).collect();
        arrays
            .iter()
            .map(|array| array.iter().sum())
            .collect::<Vec<_>>()
            .into()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Seq<u64> {
        let up_to = |i: u64| -> Vec<u64> { (0..=i).into_par().splitting(policy).collect() };
        let arrays: Vec<Vec<u64>> = up_to(self.last)
            .into_par()
            .splitting(policy)
            .map(up_to)
            .collect();
        let arrays = arrays.par().splitting(policy);
        arrays
            .map(|array| array.par().splitting(policy).sum())
            .collect::<Vec<_>>()
            .into()
    }

    fn serial_ropes(&self) -> Option<Seq<u64>> {
        let up_to = |i| rope(self.leaf, 0..=i);
        let arrays = rope(self.leaf, up_to(self.last).iter().map(|&i| up_to(i)));
        let sums = arrays.iter().map(|array| array.iter().sum());
        Some(rope(self.leaf, sums).into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Seq<u64>> {
        let up_to =
            |i: u64| -> Rope<u64> { (0..=i).into_par().splitting(policy).collect_rope(self.leaf) };
        let arrays = up_to(self.last)
            .par()
            .splitting(policy)
            .map(|&i| up_to(i))
            .collect_rope(self.leaf);
        let arrays = arrays.par().splitting(policy);
        let sums = arrays
            .map(|array| array.par().splitting(policy).sum())
            .collect_rope(self.leaf);
        Some(sums.into())
    }

    fn rayon(&self) -> Seq<u64> {
        let up_to = |i: u64| -> Vec<u64> { (0..=i).into_par_iter().collect() };
        let arrays: Vec<Vec<u64>> = up_to(self.last).into_par_iter().map(up_to).collect();
        arrays
            .par_iter()
            .map(|array| array.par_iter().sum())
            .collect::<Vec<_>>()
            .into()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Seq<u64> {
        let arrays: Vec<Vec<u64>> = joins::map(ctx, self.last as usize + 1, GRAIN, &|i| {
            (0..=i as u64).collect()
        });
        joins::map(ctx, arrays.len(), GRAIN, &|i| arrays[i].iter().sum()).into()
    }

    fn check(&self, out: &Seq<u64>) -> Result<(), String> {
        let expected: Vec<u64> = (0..=self.last).map(|i| i * (i + 1) / 2).collect();
        same(&out.to_vec(), &expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_sum_fails() {
        let program = NestedSums { last: 50, leaf: 7 };
        let sums = program.serial().to_vec();
        program.check(&sums.clone().into()).unwrap();
        let mut wrong = sums.clone();
        wrong[0] = 1;
        assert!(program.check(&wrong.into()).is_err());
        program.check(&sums[..50].to_vec().into()).unwrap_err();
    }
}
