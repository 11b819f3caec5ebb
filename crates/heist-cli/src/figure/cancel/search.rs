//! Searches for solutions of the n-queens problem in a tree of races or of forks, until the search is cancelled or a branch claims a
//! result.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heist::{CancelToken, Cancelled, Pool};

use super::Sample;

/// The way in which the branches of a node race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// [`heist::race`]: each node is a race.
    Race,
    /// [`heist::race_hint`]: a node is a race only if other workers have nothing to steal.
    RaceHint,
    /// [`heist::join`]: the whole search is one cancel scope. When a branch finds a solution, it cancels this scope.
    Join,
    /// [`heist::try_race`]: each node is a race. If the node is cancelled, it returns an error and does not unwind.
    TryRace,
    /// [`heist::try_race_hint`]: like `race_hint`, but a cancelled node returns an error and does not unwind.
    TryRaceHint,
    /// [`heist::try_join`]: the whole search is one cancel scope. If a fork is cancelled, it returns an error and does not unwind.
    TryJoin,
}

impl Form {
    pub(super) const ALL: [Form; 6] = [
        Form::Race,
        Form::RaceHint,
        Form::Join,
        Form::TryRace,
        Form::TryRaceHint,
        Form::TryJoin,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Race => "race",
            Form::RaceHint => "race_hint",
            Form::Join => "join",
            Form::TryRace => "try_race",
            Form::TryRaceHint => "try_race_hint",
            Form::TryJoin => "try_join",
        }
    }
}

/// The way in which a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Another thread cancels the search.
    Cancel,
    /// A branch claims a solution, which cancels the other branches.
    Win,
}

impl End {
    pub(super) const ALL: [End; 2] = [End::Cancel, End::Win];

    pub(super) fn name(self) -> &'static str {
        match self {
            End::Cancel => "cancel",
            End::Win => "win",
        }
    }
}

/// The state of one search. A set of columns or diagonals is a number with one bit for each square of the row.
struct Search {
    form: Form,
    token: CancelToken,
    all: u32,
    begun: Instant,
    /// A duration after `begun`. The first branch that reaches a dead end after this time claims a result. If the field is `None`, no
    /// branch claims a result.
    until: Option<Duration>,
    /// The time at which a branch claimed a result, in nanoseconds after `begun`. The value is 0 if no branch has claimed a result.
    won: AtomicU64,
    /// The number of branches that have begun or can be stolen.
    opened: AtomicU64,
    /// The number of branches in `opened` that have ended without being cancelled.
    closed: AtomicU64,
}

impl Search {
    fn new(form: Form, n: u32, until: Option<Duration>) -> Search {
        Search {
            form,
            token: CancelToken::new(),
            all: (1 << n) - 1,
            begun: Instant::now(),
            until,
            won: AtomicU64::new(0),
            opened: AtomicU64::new(0),
            closed: AtomicU64::new(0),
        }
    }

    fn nanos(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Repeats a search through all boards until a branch claims a result or the search is cancelled.
    fn run(&self) {
        let once = || match self.form {
            Form::Race | Form::RaceHint | Form::Join => Ok(self.queens(0, 0, 0)),
            _ => self.try_queens(0, 0, 0),
        };
        while let Ok(None) = once() {
            // A search of a small board does not fork, so the loop must check for cancellation.
            heist::check_cancelled();
        }
    }

    fn queens(&self, columns: u32, left: u32, right: u32) -> Option<()> {
        let free = self.all & !(columns | left | right);
        if free == 0 {
            return self.dead_end();
        }
        self.row(columns, left, right, free)
    }

    /// Opens a branch for each free place.
    fn row(&self, columns: u32, left: u32, right: u32, free: u32) -> Option<()> {
        let place = free & free.wrapping_neg();
        let below = || self.queens(columns | place, (left | place) << 1, (right | place) >> 1);
        let others = free & !place;
        if others == 0 {
            return below();
        }
        // Relaxed is enough in all functions of this search: the counts are read when the search is over, and the pool orders that read
        // after all these operations.
        self.opened.fetch_add(2, Ordering::Relaxed);
        let one = || self.ended(below());
        let rest = || self.ended(self.row(columns, left, right, others));
        match self.form {
            Form::Race => heist::race(one, rest),
            Form::RaceHint => heist::race_hint(one, rest),
            _ => {
                let (one, rest) = heist::join(one, rest);
                one.or(rest)
            }
        }
    }

    /// Like [`queens`](Self::queens), for the forms that return an error when they are cancelled.
    fn try_queens(&self, columns: u32, left: u32, right: u32) -> Result<Option<()>, Cancelled> {
        let free = self.all & !(columns | left | right);
        if free == 0 {
            return Ok(self.dead_end());
        }
        self.try_row(columns, left, right, free)
    }

    /// Opens a branch for each free place.
    fn try_row(
        &self,
        columns: u32,
        left: u32,
        right: u32,
        free: u32,
    ) -> Result<Option<()>, Cancelled> {
        let place = free & free.wrapping_neg();
        let below = || self.try_queens(columns | place, (left | place) << 1, (right | place) >> 1);
        let others = free & !place;
        if others == 0 {
            return below();
        }
        // Relaxed is enough: the counts are read when the search is over, and the pool orders that read after this operation.
        self.opened.fetch_add(2, Ordering::Relaxed);
        let one = || Ok(self.ended(below()?));
        let rest = || Ok(self.ended(self.try_row(columns, left, right, others)?));
        match self.form {
            Form::TryRace => heist::try_race(one, rest),
            Form::TryRaceHint => heist::try_race_hint(one, rest),
            _ => {
                let (one, rest) = heist::try_join(one, rest)?;
                Ok(one.or(rest))
            }
        }
    }

    fn ended(&self, found: Option<()>) -> Option<()> {
        self.closed.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Ends a branch at a dead end. A solution does not end the search, so a full board is also a dead end.
    fn dead_end(&self) -> Option<()> {
        if self.begun.elapsed() < self.until? {
            return None;
        }
        let now = self.nanos().max(1);
        // Relaxed is enough: only one branch wins, and the value is read when the search is over.
        let first = self
            .won
            .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        first.ok()?;
        if matches!(self.form, Form::Join | Form::TryJoin) {
            self.token.cancel();
        }
        Some(())
    }

    /// Returns the number of branches that were cancelled. The search must have ended.
    fn cancelled(&self) -> u64 {
        self.opened.load(Ordering::Relaxed) - self.closed.load(Ordering::Relaxed)
    }
}

/// Runs a search for `time`, then ends the search, and returns the time that the end takes.
pub(super) fn measure(pool: &Pool, form: Form, end: End, n: u32, time: Duration) -> Sample {
    match end {
        End::Cancel => cancel(pool, form, n, time),
        End::Win => win(pool, form, n, time),
    }
}

fn win(pool: &Pool, form: Form, n: u32, time: Duration) -> Sample {
    let search = Search::new(form, n, Some(time));
    let over = pool.install(|| {
        // The result has no meaning: the scope of forks is cancelled, and a branch of a race claims a result.
        let _ = search.token.run(|| search.run());
        search.nanos()
    });
    let won = search.won.load(Ordering::Relaxed);
    Sample {
        seconds: (over - won) as f64 * 1e-9,
        tasks: search.cancelled() as f64,
    }
}

fn cancel(pool: &Pool, form: Form, n: u32, time: Duration) -> Sample {
    let search = Search::new(form, n, None);
    let seconds = thread::scope(|scope| {
        scope.spawn(|| pool.install(|| search.token.run(|| search.run())));
        // The search has begun as soon as branches are open.
        while search.opened.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        thread::sleep(time);
        let begun = Instant::now();
        search.token.cancel_and_wait();
        begun.elapsed().as_secs_f64()
    });
    Sample {
        seconds,
        tasks: search.cancelled() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_end_either_way_and_count_branches() {
        let pool = Pool::new(2).unwrap();
        for form in Form::ALL {
            for end in End::ALL {
                for n in [6, 9] {
                    let sample = measure(&pool, form, end, n, Duration::from_micros(300));
                    // On its way down, each worker has at most two open branches for each place of a row, except for the last place. A
                    // search that starts again may have no open branch for a moment.
                    let most = f64::from(2 * 2 * n * n);
                    let fine = sample.seconds > 0.0 && sample.tasks <= most;
                    assert!(fine, "{form:?} {end:?} {n}: {sample:?}");
                }
            }
        }
    }

    #[test]
    fn a_search_that_is_cancelled_leaves_branches() {
        let pool = Pool::new(1).unwrap();
        let tasks = || measure(&pool, Form::Race, End::Cancel, 12, Duration::from_millis(1)).tasks;
        assert!((0..20).any(|_| tasks() > 0.0));
    }
}
