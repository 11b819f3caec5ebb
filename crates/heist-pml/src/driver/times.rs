//! Measures the times of the compiler's phases and passes, for `--time-passes`.

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::Settings;
use super::compile::say;
use crate::opt::Ran;

/// A phase of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reads the lists of files and the source files.
    Read,
    /// Parses all files, including the files of the Basis.
    Parse,
    /// Elaborates all files.
    Elaborate,
    /// Checks that matches are exhaustive and have no redundant rule.
    Matches,
    /// Monomorphises.
    Mono,
    /// Lowers to A-normal form.
    Lower,
    /// Converts closures.
    Close,
    /// Makes machine code.
    Code,
    /// Links, or writes an object file.
    Link,
}

/// The phases before the optimiser, with their names in the table.
const BEFORE: [(Phase, &str); 6] = [
    (Phase::Read, "read"),
    (Phase::Parse, "parse"),
    (Phase::Elaborate, "elaborate"),
    (Phase::Matches, "matches"),
    (Phase::Mono, "mono"),
    (Phase::Lower, "lower"),
];

/// The phases after the optimiser.
const AFTER: [(Phase, &str); 3] = [
    (Phase::Close, "close"),
    (Phase::Code, "code"),
    (Phase::Link, "link"),
];

/// The number of runs of a phase or pass, and their total time.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    runs: u32,
    time: Duration,
}

impl Sum {
    fn add(&mut self, time: Duration) {
        self.runs += 1;
        self.time += time;
    }
}

/// The times of the phases and passes of a compilation.
#[derive(Debug)]
pub struct Times {
    begin: Instant,
    phases: Vec<(Phase, Sum)>,
    passes: Vec<(&'static str, Sum)>,
}

impl Times {
    /// Begins to measure.
    #[must_use]
    pub fn new() -> Times {
        Times {
            begin: Instant::now(),
            phases: Vec::new(),
            passes: Vec::new(),
        }
    }

    /// Measures a phase, or a part of the phase.
    pub fn phase<R>(&mut self, phase: Phase, body: impl FnOnce() -> R) -> R {
        let begin = Instant::now();
        let result = body();
        entry(&mut self.phases, phase).add(begin.elapsed());
        result
    }

    /// Adds the time of one run of a pass of the optimiser.
    pub fn pass(&mut self, ran: Ran) {
        entry(&mut self.passes, ran.pass.name).add(ran.time);
    }

    /// Prints the table, if the settings ask for it.
    pub fn print(&self, settings: &Settings) {
        if settings.time_passes {
            say(&self.table(self.begin.elapsed()));
        }
    }

    /// Returns the table of all phases and passes that ran, with their shares of `all`. The row `other` has the remaining time: dumps,
    /// messages, and the compiler's checks of its own results.
    fn table(&self, all: Duration) -> String {
        let phases: Duration = self.phases.iter().map(|it| it.1.time).sum();
        let optimise: Duration = self.passes.iter().map(|it| it.1.time).sum();
        let mut table = Table {
            text: format!(
                "{:<15}{:>6}{:>13}{:>8}\n",
                "phase, pass", "runs", "ms", "share"
            ),
            all,
        };
        table.phases(self, &BEFORE);
        if !self.passes.is_empty() {
            table.row("optimise", Some(1), optimise);
        }
        for (name, sum) in &self.passes {
            table.row(&format!("  {name}"), Some(sum.runs), sum.time);
        }
        table.phases(self, &AFTER);
        table.row("other", None, all.saturating_sub(phases + optimise));
        table.row("all", None, all);
        table.text
    }
}

/// A table of times: its text, and the total time, of which each row shows a share.
struct Table {
    text: String,
    all: Duration,
}

impl Table {
    fn phases(&mut self, times: &Times, names: &[(Phase, &str)]) {
        for (phase, name) in names {
            if let Some((_, sum)) = times.phases.iter().find(|it| it.0 == *phase) {
                self.row(name, Some(sum.runs), sum.time);
            }
        }
    }

    fn row(&mut self, name: &str, runs: Option<u32>, time: Duration) {
        let runs = runs.map_or_else(String::new, |runs| runs.to_string());
        let share = 100.0 * time.as_secs_f64() / self.all.as_secs_f64().max(f64::MIN_POSITIVE);
        let time = 1e3 * time.as_secs_f64();
        let _ = writeln!(self.text, "{name:<15}{runs:>6}{time:>13.2}{share:>7.1}%");
    }
}

/// Returns the entry of a phase or pass. If there is no such entry, adds an entry with the time 0.
fn entry<K: Copy + PartialEq>(sums: &mut Vec<(K, Sum)>, key: K) -> &mut Sum {
    let at = sums.iter().position(|it| it.0 == key);
    let at = at.unwrap_or_else(|| {
        sums.push((key, Sum::default()));
        sums.len() - 1
    });
    &mut sums[at].1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::PASSES;

    #[test]
    fn the_table_has_times_and_shares() {
        let milliseconds = Duration::from_millis;
        let mut times = Times::new();
        times.phases = [(Phase::Code, 500), (Phase::Parse, 120)]
            .map(|(phase, time)| {
                let sum = Sum {
                    runs: 1,
                    time: milliseconds(time),
                };
                (phase, sum)
            })
            .to_vec();
        for (run, time) in [(1, 200), (2, 50)] {
            times.pass(Ran {
                pass: &PASSES[0],
                run,
                time: milliseconds(time),
            });
        }
        let expected = "\
phase, pass      runs           ms   share
parse               1       120.00   12.0%
optimise            1       250.00   25.0%
  simplify          2       250.00   25.0%
code                1       500.00   50.0%
other                       130.00   13.0%
all                        1000.00  100.0%
";
        assert_eq!(times.table(milliseconds(1_000)), expected);
    }

    #[test]
    fn parts_of_a_phase_add_up() {
        let mut times = Times::new();
        for expected in 1..=3 {
            assert_eq!(times.phase(Phase::Read, || expected), expected);
            assert_eq!(times.phases[0].1.runs, expected);
        }
        assert_eq!(times.phases.len(), 1);
    }
}
