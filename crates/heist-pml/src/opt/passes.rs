//! The passes of the optimiser in their order, and the driver that runs them.
//!
//! The optimiser works in rounds, because the result of each pass allows the other passes to do more. Each pass has a range of rounds in
//! which it runs. The passes of one round run in the order of [`PASSES`].

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::census::Census;
use super::{
    contify, forks, invariant, loops, pairs, range, refs, simplify, turns, unbox, uncurry, unroll,
};
use crate::anf::{self, Program};

/// A pass of the optimiser.
pub struct Pass {
    /// The name by which users choose the pass.
    pub name: &'static str,
    /// A description of the pass's effect, in a few words for users.
    pub about: &'static str,
    /// The rounds in which the pass runs.
    rounds: RangeInclusive<u32>,
    run: fn(&mut Program, &mut Walks),
}

impl Pass {
    /// Returns the number of rounds in which the pass runs.
    #[must_use]
    pub fn runs(&self) -> u32 {
        1 + self.rounds.end() - self.rounds.start()
    }
}

/// The runs of `simplify` that have not begun.
struct Walks {
    left: u32,
    /// The size of the code that the next run may add by copies. Each run may add half as much code as the run before it.
    budget: usize,
}

/// All passes, in the order in which they run within a round.
///
/// - `simplify` is the first pass of every round except round 0, so it sees the results of all other passes. In the last round, `simplify`
///   is the only pass.
/// - `invariant` runs early, because it makes wrappers that later walks of `simplify` inline.
/// - `turns` runs after `contify` has run twice, and transforms functions that call themselves in tail position and that `contify` could
///   not transform.
/// - `unroll`, `forks` and `loops` choose functions and loops by the size of the body. So these three passes run after the other passes
///   have turned functions into loops and made bodies smaller. `simplify` runs only once after them.
pub static PASSES: [Pass; 12] = [
    Pass {
        name: "simplify",
        about: "Copies, constants, known conditions and fields, inlining, unused code",
        rounds: 1..=4,
        run: |program, walks| {
            let census = Census::of(program);
            walks.left -= 1;
            simplify::simplify(program, census, walks.budget, walks.left == 0);
            walks.budget /= 2;
        },
    },
    Pass {
        name: "pairs",
        about: "Loops of two functions that call each other",
        rounds: 1..=1,
        run: |program, _| pairs::pairs(program),
    },
    Pass {
        name: "invariant",
        about: "Arguments that never change, out of recursive functions",
        rounds: 1..=1,
        run: |program, _| invariant::invariant(program),
    },
    Pass {
        name: "range",
        about: "Bounds of integers: fewer checks of overflow, cheaper divisions",
        rounds: 3..=3,
        run: |program, _| range::range(program),
    },
    Pass {
        name: "uncurry",
        about: "Curried functions that take all arguments at once",
        rounds: 0..=3,
        run: |program, _| uncurry::uncurry(program),
    },
    Pass {
        name: "contify",
        about: "Join points and loops in place of local functions",
        rounds: 1..=3,
        run: |program, _| contify::contify(program),
    },
    Pass {
        name: "refs",
        about: "Variables in place of local references",
        rounds: 1..=3,
        run: |program, _| refs::refs(program),
    },
    Pass {
        name: "unbox",
        about: "Objects that are passed on in parts",
        rounds: 1..=3,
        run: |program, _| unbox::unbox(program),
    },
    Pass {
        name: "turns",
        about: "Loops of functions that are turns of the Basis' parallel loops",
        rounds: 2..=2,
        run: |program, _| turns::turns(program),
    },
    Pass {
        name: "unroll",
        about: "One copy of a small recursive function in itself",
        rounds: 3..=3,
        run: |program, _| unroll::unroll(program),
    },
    Pass {
        name: "forks",
        about: "Forks whose left side is a few instructions, as sequential code",
        rounds: 3..=3,
        run: |program, _| forks::forks(program),
    },
    Pass {
        name: "loops",
        about: "Several turns of a small loop in one",
        rounds: 3..=3,
        run: |program, _| loops::loops(program),
    },
];

/// A finished run of a pass.
#[derive(Clone, Copy)]
pub struct Ran {
    /// The pass.
    pub pass: &'static Pass,
    /// The number of the run, among all runs of this pass. The first run has the number 1.
    pub run: u32,
    /// The time that the run took.
    pub time: Duration,
}

/// Runs all passes. After each run of a pass, calls `observe` with the program that the pass has produced.
///
/// # Panics
///
/// With debug assertions, or with the environment variable `HEIST_PML_PASSES`, this function checks the program before the first pass and
/// after each run. The panic shows the name of the pass after which the program is not well formed.
pub fn optimise_with(program: &mut Program, mut observe: impl FnMut(Ran, &Program)) {
    let checked = cfg!(debug_assertions) || std::env::var_os("HEIST_PML_PASSES").is_some();
    let check = |program: &Program, maker: &dyn Fn() -> String| {
        if checked && let Err(why) = anf::check(program) {
            panic!("{} made a program that is not well formed: {why}", maker());
        }
    };
    check(program, &|| "lowering".to_owned());
    let mut walks = Walks {
        left: PASSES[0].runs(),
        budget: 1_000 + program.vars.len(),
    };
    let rounds = PASSES.iter().map(|pass| *pass.rounds.end()).max();
    for round in 0..=rounds.unwrap_or(0) {
        for pass in PASSES.iter().filter(|pass| pass.rounds.contains(&round)) {
            let begin = Instant::now();
            (pass.run)(program, &mut walks);
            let time = begin.elapsed();
            let run = 1 + round - pass.rounds.start();
            check(program, &|| {
                format!("run {run} of the pass `{}`", pass.name)
            });
            observe(Ran { pass, run, time }, program);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::tests::lowered;

    /// Compares the order of the passes with a second list, because the passes rely on this order.
    #[test]
    fn passes_run_in_rounds() {
        let mut program = lowered("", false);
        let mut order: Vec<(&str, u32)> = Vec::new();
        optimise_with(&mut program, |ran, _| order.push((ran.pass.name, ran.run)));
        let expected = "uncurry \
            simplify pairs invariant uncurry contify refs unbox \
            simplify uncurry contify refs unbox turns \
            simplify range uncurry contify refs unbox unroll forks loops \
            simplify";
        let names: Vec<&str> = order.iter().map(|it| it.0).collect();
        assert_eq!(names.join(" "), expected);
        for pass in &PASSES {
            let runs = order.iter().filter(|it| it.0 == pass.name).map(|it| it.1);
            assert!(runs.eq(1..=pass.runs()), "{}", pass.name);
        }
    }
}
