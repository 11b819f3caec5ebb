//! Addition of long numbers.

use super::{Kernel, Twin, Way, checksum, ready};
use crate::noise::word;

pub(super) const TWIN: Twin = Twin {
    name: "bignum_add",
    about: "adds two numbers of many words, whose carries are found by a scan",
    size: 2_000_000,
    prepare: |n| {
        let complement = |i| if i % 64 > 0 { !word(1, i) } else { word(2, i) };
        ready(BignumAdd {
            a: (0..n as u64).map(|i| word(1, i)).collect(),
            b: (0..n as u64).map(complement).collect(),
        })
    },
};

struct BignumAdd {
    a: Vec<u64>,
    b: Vec<u64>,
}

/// The effect of a sum of two digits on the carry.
#[derive(Clone, Copy, PartialEq)]
enum Carry {
    Stop,
    Make,
    Pass,
}

impl Kernel for BignumAdd {
    type Out = Vec<u64>;

    fn run<W: Way>(&self, way: W) -> Vec<u64> {
        let BignumAdd { a, b } = self;
        let effect = |i: usize| match a[i].overflowing_add(b[i]) {
            (_, true) => Carry::Make,
            (u64::MAX, _) => Carry::Pass,
            _ => Carry::Stop,
        };
        let carries = way.scan(a.len(), Carry::Pass, effect, |x, y| {
            if y == Carry::Pass { x } else { y }
        });
        way.tabulate(a.len(), |i| {
            let carry = u64::from(carries[i] == Carry::Make);
            a[i].wrapping_add(b[i]).wrapping_add(carry)
        })
    }

    fn checksum(&self, out: &Vec<u64>) -> u64 {
        checksum(out.iter().copied())
    }
}
