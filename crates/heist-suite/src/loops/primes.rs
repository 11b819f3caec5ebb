//! The primes below a number, by sieves of segments.

use heist::par::{Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::same;
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "primes",
        about: "lists the primes below a number: a sieve for each segment that fits into a cache, put together in order",
        source: "NESL's primes (Blelloch, Programming parallel algorithms, CACM 39(3), 1996), by segments",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, 1)?),
    },
    has_ropes: false,
    prepare,
};

/// The length of a segment. A segment needs a byte for each number, and fits into the first-level data cache.
const SEGMENT: usize = 1 << 15;

struct Primes {
    below: usize,
    expected: Vec<u32>,
}

fn prepare(size: Size, _: &Data, _: usize) -> Result<Box<dyn Looping>, String> {
    let below = within(
        "the number",
        size.pick(20_000_000, 200_000_000),
        2..=2_000_000_000,
    )?;
    Ok(Box::new(Looped::new(Primes::new(below))))
}

/// Returns the primes below a number, by a single sieve.
fn sieve(below: usize) -> Vec<u32> {
    let mut composite = vec![false; below];
    let mut primes = Vec::new();
    for number in 2..below {
        if composite[number] {
            continue;
        }
        primes.push(number as u32);
        let multiples = composite.iter_mut().skip(number * number);
        multiples.step_by(number).for_each(|is| *is = true);
    }
    primes
}

/// Returns the primes of a segment. `small` are the primes up to the square root of its end.
fn segment(small: &[u32], from: usize, end: usize) -> impl Iterator<Item = u32> + use<> {
    let mut composite = vec![false; end - from];
    for &prime in small {
        let prime = prime as usize;
        let first = (prime * prime).max(from.next_multiple_of(prime));
        let multiples = composite.iter_mut().skip(first - from);
        multiples.step_by(prime).for_each(|is| *is = true);
    }
    (from..end)
        .zip(composite)
        .filter(|&(number, composite)| number >= 2 && !composite)
        .map(|(number, _)| number as u32)
}

impl Primes {
    fn new(below: usize) -> Primes {
        Primes {
            below,
            expected: sieve(below),
        }
    }

    fn small(&self) -> Vec<u32> {
        sieve(self.below.isqrt() + 1)
    }

    fn segments(&self) -> usize {
        self.below.div_ceil(SEGMENT)
    }

    fn segment(&self, small: &[u32], number: usize) -> impl Iterator<Item = u32> + use<> {
        let from = number * SEGMENT;
        segment(small, from, (from + SEGMENT).min(self.below))
    }
}

impl Loop for Primes {
    type Out = Vec<u32>;

    fn params(&self) -> String {
        format!("below={} primes={}", self.below, self.expected.len())
    }

    fn serial(&self) -> Vec<u32> {
        let small = self.small();
        let segments = 0..self.segments();
        segments.flat_map(|i| self.segment(&small, i)).collect()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Vec<u32> {
        let small = self.small();
        let segments = (0..self.segments()).into_par().splitting(policy);
        segments
            .flat_map_iter(|i| self.segment(&small, i))
            .collect()
    }

    fn rayon(&self) -> Vec<u32> {
        let small = self.small();
        let segments = (0..self.segments()).into_par_iter();
        segments
            .flat_map_iter(|i| self.segment(&small, i))
            .collect()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Vec<u32> {
        let small = self.small();
        let parts: Vec<Vec<u32>> = joins::map(ctx, self.segments(), 1, &|i| {
            self.segment(&small, i).collect()
        });
        parts.concat()
    }

    fn check(&self, out: &Vec<u32>) -> Result<(), String> {
        same(out, &self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_primes_is_known() {
        for (below, count) in [(2, 0), (3, 1), (100, 25), (100_000, 9592)] {
            let program = Primes::new(below);
            assert_eq!(program.expected.len(), count);
            program.check(&program.serial()).unwrap();
        }
    }

    #[test]
    fn a_lost_or_false_prime_fails() {
        let program = Primes::new(70_000);
        let mut primes = program.serial();
        program.check(&primes).unwrap();
        let last = primes.pop().unwrap();
        assert!(program.check(&primes).is_err());
        primes.push(last - 2);
        assert!(program.check(&primes).is_err());
    }
}
