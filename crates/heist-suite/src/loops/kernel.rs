//! Kernels: the parts of a program of loops that contenders run.

use heist::par::Splitting;

use super::entrant::{Entrant, How};
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::noise::word;
use crate::program::Instance;
use crate::runner::{Kernel, Runner};
use crate::stack;

/// A program with its input. The program has a function for each way to write its loops. All these functions do the same work on the same
/// items.
pub(crate) trait Loop: Send + Sync {
    /// The result of a run.
    type Out: Send;

    /// Returns a description of the input.
    fn params(&self) -> String;

    /// Runs the program with iterators over slices.
    fn serial(&self) -> Self::Out;

    /// Runs the program with Heist's sequences over slices. All sequences split according to `policy`.
    fn slices<X: Splitting>(&self, policy: X) -> Self::Out;

    /// Runs the program with iterators over ropes. Returns `None` if the program has no ropes.
    fn serial_ropes(&self) -> Option<Self::Out> {
        None
    }

    /// Runs the program with Heist's sequences over ropes. Returns `None` if the program has no ropes.
    fn ropes<X: Splitting>(&self, _policy: X) -> Option<Self::Out> {
        None
    }

    /// Runs the program with rayon's parallel iterators, without a grain size.
    fn rayon(&self) -> Self::Out;

    /// Runs the program with joins, down to a grain size.
    fn joins<C: Ctx>(&self, ctx: C) -> Self::Out;

    /// Checks a result. Returns a one-line error that describes the fault if the result is wrong.
    fn check(&self, out: &Self::Out) -> Result<(), String>;
}

/// A program of loops with its input and the result of its last run.
pub(crate) struct Looped<K: Loop> {
    kernel: K,
    last: Option<K::Out>,
    /// The number of runs so far.
    runs: u64,
}

/// A program of loops with its input, which any contender can run.
pub trait Looping: Instance {
    /// Runs the kernel once. The caller times this call.
    ///
    /// # Panics
    /// Panics if `who` runs on ropes but the program has no ropes, or if `who` does not split lazily and the feature `study` is off.
    fn run_as(&mut self, who: Entrant, on: &Runner);
}

impl<K: Loop> Looped<K> {
    pub(crate) fn new(kernel: K) -> Self {
        Looped {
            kernel,
            last: None,
            runs: 0,
        }
    }
}

/// The version of a program with joins, as a kernel that a runner can run.
struct Joins<'k, K>(&'k K);

impl<K: Loop> Kernel for Joins<'_, K> {
    type Out = K::Out;

    fn call<C: Ctx>(self, ctx: C) -> K::Out {
        self.0.joins(ctx)
    }
}

/// Calls `$run` with the policy that `$how` names.
macro_rules! by {
    ($how:expr, $run:expr) => {
        match $how {
            How::Lazy => $run(heist::par::Lazy),
            #[cfg(all(feature = "study", not(test)))]
            How::Innermost => $run(heist::par::Innermost),
            #[cfg(all(feature = "study", not(test)))]
            How::Eager(threshold) => $run(heist::par::Eager(threshold)),
            #[cfg(all(feature = "study", not(test)))]
            How::Tary(pieces) => $run(heist::par::Tary(pieces)),
            #[cfg(all(feature = "study", not(test)))]
            How::Structural => $run(heist::par::Structural),
            #[cfg(any(not(feature = "study"), test))]
            other => panic!("{other:?} needs the feature `study`"),
        }
    };
}

impl<K: Loop> Looping for Looped<K> {
    fn run_as(&mut self, who: Entrant, on: &Runner) {
        let kernel = &self.kernel;
        // Drop the last result now, because the time of a run should not include this drop.
        drop(self.last.take());
        self.runs += 1;
        let place = word(8, self.runs);
        let out = match who {
            Entrant::Serial => Some(on.on_stage(|| stack::at(place, || kernel.serial()))),
            Entrant::SerialRopes => on.on_stage(|| stack::at(place, || kernel.serial_ropes())),
            Entrant::Slices(how) => Some(
                on.heist()
                    .install(|| stack::at(place, || by!(how, |policy| kernel.slices(policy)))),
            ),
            Entrant::Ropes(how) => on
                .heist()
                .install(|| stack::at(place, || by!(how, |policy| kernel.ropes(policy)))),
            Entrant::Rayon => Some(on.on_rayon(|| stack::at(place, || kernel.rayon()))),
            Entrant::Chili => Some(on.run(Contender::Chili, Joins(kernel))),
        };
        self.last = Some(out.expect("a program that has ropes"));
    }
}

impl<K: Loop> Instance for Looped<K> {
    fn params(&self) -> String {
        self.kernel.params()
    }

    fn reset(&mut self) {
        self.last = None;
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        if who == Contender::Serial && on.records() {
            // A recording contains joins, so it needs the version of the program with joins.
            self.last = Some(on.run(who, Joins(&self.kernel)));
            return;
        }
        let who = match who {
            Contender::Serial => Entrant::Serial,
            Contender::Rayon => Entrant::Rayon,
            Contender::Chili => Entrant::Chili,
            _ => Entrant::Slices(How::Lazy),
        };
        self.run_as(who, on);
    }

    fn check(&mut self) -> Result<(), String> {
        let Some(out) = &self.last else {
            return Err("nothing has been run".to_owned());
        };
        self.kernel.check(out)
    }

    /// Returns `None`, because the number of forks of a loop depends on the thieves.
    fn forks(&self) -> Option<u64> {
        None
    }
}
