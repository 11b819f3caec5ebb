//! Plans that force splits, and schedules for tests.

use crate::par::job::Job;
use crate::par::source::Source;
use crate::par::splitting::forced::{Forced, Place, Plan, Step};
use crate::par::splitting::{Drive, Innermost, Lazy, Short, Site, Splitting, sealed::Sealed};
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};

/// A plan of two functions. The first function decides whether and where to split the remaining positions. The second function
/// decides how many positions to process at a time.
struct By {
    cut: fn(usize) -> Option<usize>,
    take: fn(Place) -> usize,
}

impl Plan for By {
    fn next(&self, place: Place) -> Step {
        (self.cut)(place.left).map_or_else(|| Step::Take((self.take)(place)), Step::Cut)
    }
}

/// A plan that splits at random places. About every third of its steps is a split. A chunk has one position, a few positions, all positions
/// up to the end of the job's grain, or all contiguous positions. Each decision depends only on the place in the sequence, not on the
/// thread or on the order of the parts.
struct Chance(u64);

impl Plan for Chance {
    fn next(&self, place: Place) -> Step {
        let (at, left) = (place.at as u64, place.left as u64);
        let dice = mix(self.0 ^ mix(at ^ mix(left)));
        let (kind, more) = (dice % 12, (dice >> 32) as usize);
        match kind {
            0..4 if left > 1 => Step::Cut(1 + more % (place.left - 1)),
            0..7 => Step::Take(1),
            7..9 => Step::Take(1 + more % 40),
            9 => Step::Take(place.grain - place.at % place.grain),
            _ => Step::Take(place.reach),
        }
    }
}

/// Mixes the bits of a number.
pub(super) fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

/// A plan that runs each loop as one chunk, like a short loop.
struct Whole;

impl Plan for Whole {
    fn next(&self, place: Place) -> Step {
        Step::Take(place.reach)
    }

    fn takes_whole(&self, _len: usize) -> bool {
        true
    }
}

/// Plans of every kind. A plan never splits, or splits before each item (in halves, or with a single item on one side), or splits at
/// random. Each plan takes single items or whole chunks.
const PLANS: [&(dyn Plan + Sync); WAYS] = [
    &By {
        cut: |_| None,
        take: |_| 1,
    },
    &By {
        cut: |left| (left > 1).then_some(left / 2),
        take: |_| 1,
    },
    // The parts are nested as deep as the number of items, so long sequences are not split.
    &By {
        cut: |left| (2..=200).contains(&left).then_some(1),
        take: |_| 1,
    },
    &By {
        cut: |left| (2..=200).contains(&left).then_some(left - 1),
        take: |_| 3,
    },
    &By {
        cut: |left| (left > 5).then_some(left / 2),
        take: |place| place.reach,
    },
    &By {
        cut: |_| None,
        take: |_| 3,
    },
    &Whole,
    &Chance(1),
    &Chance(2),
    &Chance(3),
];

/// Number of plans.
pub(super) const WAYS: usize = 10;

/// Returns the policy that splits by the plan with index `way`.
pub(super) fn forced(way: usize) -> Forced<'static> {
    Forced(PLANS[way])
}

/// A policy that is chosen at run time. So the compiler compiles each test once, and not once for each policy.
#[derive(Clone, Copy)]
pub(super) enum Policy {
    Forced(Forced<'static>),
    Lazy,
    Innermost,
}

/// Returns the forced policy of each plan, and both lazy policies.
pub(super) fn policies() -> impl Iterator<Item = Policy> {
    (0..WAYS)
        .map(|way| Policy::Forced(forced(way)))
        .chain([Policy::Lazy, Policy::Innermost])
}

impl Sealed for Policy {}

impl Splitting for Policy {
    fn takes_whole(self, len: usize, site: Site) -> Short {
        match self {
            Policy::Forced(forced) => forced.takes_whole(len, site),
            Policy::Lazy => Lazy.takes_whole(len, site),
            Policy::Innermost => Innermost.takes_whole(len, site),
        }
    }

    fn run<S, J>(self, source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        match self {
            Policy::Forced(forced) => forced.run(source, at, state, drive),
            Policy::Lazy => Lazy.run(source, at, state, drive),
            Policy::Innermost => Innermost.run(source, at, state, drive),
        }
    }
}

/// A plan that follows given decisions. Each decision chooses among the options at that step. After the last given decision, the plan
/// always chooses the first option. The plan is for one thread only, because with several threads the schedule would determine which thread
/// gets which decision.
#[derive(Debug)]
pub(super) struct Choices {
    bounds: Bounds,
    made: Mutex<Made>,
}

/// Limits of the decisions.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Maximum number of cuts.
    cuts: usize,
    /// The number of positions that each step takes, or `None` if a step may take any number.
    take: Option<usize>,
}

#[derive(Debug, Default)]
struct Made {
    given: Vec<usize>,
    /// The decisions so far, each with the number of its options.
    choices: Vec<(usize, usize)>,
    steps: Vec<(Place, Step)>,
    cuts: usize,
}

impl Choices {
    fn new(bounds: Bounds, given: Vec<usize>) -> Self {
        let made = Mutex::new(Made {
            given,
            ..Made::default()
        });
        Choices { bounds, made }
    }

    /// Returns a plan with a decision for each of the test's random numbers.
    pub(super) fn of(numbers: &[u16]) -> Self {
        let bounds = Bounds {
            cuts: usize::MAX,
            take: None,
        };
        Choices::new(bounds, numbers.iter().copied().map(usize::from).collect())
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap()
    }
}

impl Plan for Choices {
    fn next(&self, place: Place) -> Step {
        let mut made = self.made();
        let takes = self.bounds.take.map_or(place.left, |_| 1);
        // The first split may come before all positions, as when a thief comes before the owner has begun. Such a split is allowed only
        // once, because otherwise the splits would never end.
        let first = usize::from(!made.choices.is_empty());
        let cuts = if made.cuts < self.bounds.cuts {
            2 * place.left.saturating_sub(first)
        } else {
            0
        };
        let choice = match made.given.get(made.choices.len()) {
            Some(given) => given % (takes + cuts),
            None => 0,
        };
        made.choices.push((choice, takes + cuts));
        let step = match choice.checked_sub(takes) {
            None => Step::Take(self.bounds.take.unwrap_or(place.left - choice)),
            Some(cut) if cut % 2 == 0 => Step::Cut(first + cut / 2),
            Some(cut) => Step::CutLate(first + cut / 2),
        };
        made.cuts += usize::from(choice >= takes);
        made.steps.push((place, step));
        step
    }
}

/// A guard that prints the decisions if the test fails.
struct Told<'a>(&'a str, &'a Choices);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: {:#?}", self.0, self.1.made().steps);
        }
    }
}

/// Runs a test with a plan of decisions, and prints the decisions if the test fails.
pub(super) fn by_choices(name: &str, choices: &Choices, run: impl FnOnce(Forced<'_>)) {
    let told = Told(name, choices);
    run(Forced(choices));
    drop(told);
}

/// The maximum number of schedules that a test tries for one value of [`Bounds`]. A test that should try all schedules must have fewer
/// schedules than this number.
const MOST: usize = 3000;

/// Runs a test with every sequence of decisions within the bounds.
fn by_all_choices(name: &str, bounds: Bounds, run: &mut dyn FnMut(Forced<'_>)) {
    let mut given = Vec::new();
    for _ in 0..MOST {
        let choices = Choices::new(bounds, given);
        by_choices(name, &choices, &mut *run);
        let mut made = choices.made.into_inner().unwrap().choices;
        let Some(last) = made.iter().rposition(|(choice, of)| choice + 1 < *of) else {
            return;
        };
        made.truncate(last + 1);
        made[last].0 += 1;
        given = made.into_iter().map(|(choice, _)| choice).collect();
    }
}

/// Runs an operation on about `n` positions under every schedule for this number of positions. A schedule determines the cuts of parts, the
/// chunks that are processed before each cut, and which side of a cut runs first. For up to 4 positions, the function tries all schedules.
/// For more positions, it tries only schedules with one or two cuts.
pub(super) fn under_every_schedule(name: &str, n: usize, run: &mut dyn FnMut(Forced<'_>)) {
    let any = Bounds {
        cuts: if n <= 4 { usize::MAX } else { 0 },
        take: None,
    };
    by_all_choices(name, any, run);
    for take in [1, 2, usize::MAX] {
        let cuts = match n {
            0..=4 => continue,
            5 | 6 => 2,
            _ => 1,
        };
        let take = Some(take);
        by_all_choices(name, Bounds { cuts, take }, run);
    }
    for way in 0..WAYS {
        run(forced(way));
    }
}

/// Maximum number of positions for which tests try all schedules, or all schedules with a few cuts.
pub(super) const FEW: usize = if cfg!(miri) {
    2
} else if cfg!(debug_assertions) {
    7
} else {
    8
};

/// Asserts that two values are equal.
pub(super) fn assert_same<T: PartialEq + Debug>(ours: &T, theirs: &T) {
    assert_eq!(ours, theirs);
}

#[test]
fn schedules_are_counted() {
    use crate::par::prelude::*;
    let count = |n: usize, cuts: usize, take: Option<usize>| {
        let mut runs = 0;
        super::pool(1).install(|| {
            by_all_choices("count", Bounds { cuts, take }, &mut |by| {
                runs += 1;
                assert_eq!((0..n).par().splitting(by).count(), n);
            });
        });
        runs
    };
    // A schedule consists of chunks, and of cuts, each with one of two orders of the sides. Each schedule is counted again with a
    // cut before it that has no positions on the left.
    let mut all = vec![1_usize, 1];
    for n in 2..=4 {
        let chunks: usize = all.iter().sum();
        let cuts: usize = (1..n).map(|keep| 2 * all[keep] * all[n - keep]).sum();
        all.push(chunks + cuts);
    }
    for (n, all) in all.into_iter().enumerate() {
        let again = if n == 0 { 0 } else { 2 * all };
        assert_eq!(count(n, usize::MAX, None), all + again, "{n}");
    }
    // The single cut comes after each number of items, and at each place.
    let places: usize = (1..7).sum();
    assert_eq!(count(7, 1, Some(1)), 1 + 2 * (1 + places));
}
