//! The display of the measurement's progress on standard error, if that is a terminal.

use std::cell::Cell;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar over all runs.
///
/// The program draws the bar only between runs: a thread that wakes up to draw the bar would disturb the runs.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// The number of runs of the completed programs.
    before: Cell<u64>,
}

impl Progress {
    pub(crate) fn new(runs: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} runs, {eta} left  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        Progress {
            bar,
            before: Cell::new(0),
        }
    }

    /// Shows that the input of `program` is being made.
    pub(crate) fn preparing(&self, program: &str) {
        self.bar.set_message(format!("{program}: input"));
        self.bar.tick();
    }

    /// Shows that the next run begins.
    pub(crate) fn running(&self, program: &str, contender: &str, threads: usize) {
        if !self.bar.is_hidden() {
            self.bar
                .set_message(format!("{program}: {contender} on {threads}"));
        }
        self.bar.inc(1);
    }

    /// Advances the bar to the end of a program of at most `runs` runs.
    pub(crate) fn skip_to_program_end(&self, runs: usize) {
        self.before.set(self.before.get() + runs as u64);
        self.bar.set_position(self.before.get());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
