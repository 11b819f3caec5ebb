//! Counts all ways to place n queens, without a cutoff.

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::Kernel;
use crate::value::Value;

pub(super) const PROGRAM: Program = Program {
    name: "nqueens",
    about: "counts the ways to place n queens on a board, a fork for every live candidate but a row's last",
    source: "Rainey's thesis, n-Queens",
    contenders: Contender::JOINS,
    prepare,
};

/// The counts for n = 1, 2, ... (OEIS A000170).
const COUNTS: [u64; 18] = [
    1,
    0,
    0,
    2,
    10,
    4,
    40,
    92,
    352,
    724,
    2_680,
    14_200,
    73_712,
    365_596,
    2_279_184,
    14_772_512,
    95_815_104,
    666_090_624,
];

/// The values that the branches of a fork need. Branches borrow this struct, so a branch is one pointer, which stays in a register. If
/// branches captured the values separately, each fork would copy all values several times. These copies would cost more than the fork
/// itself.
struct Fork {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
    rest: u32,
    below: [u32; 4],
}

/// Returns the number of solutions in which this row's queen is in one of the `free` columns. `columns`, `left` and `right` are the
/// attacked columns and diagonals, as seen from this row.
fn row<C: Ctx>(ctx: C, all: u32, columns: u32, left: u32, right: u32, mut free: u32) -> u64 {
    let mut count = 0;
    while free != 0 {
        let place = free & free.wrapping_neg();
        free ^= place;
        let (c, l, r) = (columns | place, (left | place) << 1, (right | place) >> 1);
        let below = all & !(c | l | r);
        if below == 0 {
            count += u64::from(c == all);
            continue;
        }
        if free == 0 {
            return count + row(ctx, all, c, l, r, below);
        }
        let fork = &Fork {
            all,
            columns,
            left,
            right,
            rest: free,
            below: [c, l, r, below],
        };
        let (a, b) = ctx.join(
            |ctx| {
                let [c, l, r, below] = fork.below;
                row(ctx, fork.all, c, l, r, below)
            },
            |ctx| {
                row(
                    ctx,
                    fork.all,
                    fork.columns,
                    fork.left,
                    fork.right,
                    fork.rest,
                )
            },
        );
        return count + a + b;
    }
    count
}

#[derive(Clone)]
struct Run(u32);

impl Kernel for Run {
    type Out = u64;

    fn call<C: Ctx>(self, ctx: C) -> u64 {
        let all = (1 << self.0) - 1;
        row(ctx, all, 0, 0, 0, all)
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    let n = within("n", size.pick(12, 14), 1..=COUNTS.len() as u64)?;
    Ok(Box::new(Value::new(
        format!("n={n}"),
        Run(n as u32),
        COUNTS[n - 1],
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Serial;

    #[test]
    fn counts_are_as_published() {
        for (n, &count) in (1..=9).zip(&COUNTS) {
            assert_eq!(Run(n).call(Serial), count, "{n}");
        }
    }
}
