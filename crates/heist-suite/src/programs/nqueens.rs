//! All ways to place n queens, without cutoff.

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::Kernel;
use crate::value::Value;

pub(super) const PROGRAM: Program = Program {
    name: "nqueens",
    about: "counts the ways to place n queens on a board, a fork for every candidate but a row's last",
    source: "Rainey's thesis, n-Queens",
    contenders: Contender::ALL,
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

/// Columns and diagonals that are attacked, as seen from the next row.
#[derive(Clone, Copy)]
struct Attacked {
    columns: u32,
    left: u32,
    right: u32,
}

/// Solutions from the next row on.
fn row<C: Ctx>(ctx: C, all: u32, attacked: Attacked) -> u64 {
    if attacked.columns == all {
        return 1;
    }
    match all & !(attacked.columns | attacked.left | attacked.right) {
        0 => 0,
        free => places(ctx, all, attacked, free),
    }
}

/// Solutions with this row's queen on one of the free places, of which there is one at least.
fn places<C: Ctx>(ctx: C, all: u32, attacked: Attacked, free: u32) -> u64 {
    let place = free & free.wrapping_neg();
    let rest = free ^ place;
    let below = Attacked {
        columns: attacked.columns | place,
        left: (attacked.left | place) << 1,
        right: (attacked.right | place) >> 1,
    };
    if rest == 0 {
        return row(ctx, all, below);
    }
    let (a, b) = ctx.join(|c| row(c, all, below), |c| places(c, all, attacked, rest));
    a + b
}

#[derive(Clone)]
struct Run(u32);

impl Kernel for Run {
    type Out = u64;

    fn call<C: Ctx>(self, ctx: C) -> u64 {
        row(
            ctx,
            (1 << self.0) - 1,
            Attacked {
                columns: 0,
                left: 0,
                right: 0,
            },
        )
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    let n = within("n", size.pick(11, 13), 1..=COUNTS.len() as u64)?;
    Ok(Box::new(Value::new(
        format!("n={n}"),
        Run(n as u32),
        COUNTS[n - 1],
    )))
}
