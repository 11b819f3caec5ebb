//! n queens as a tree of races or of forks, which goes on until it is cancelled or a branch says that it has found something.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heist::{CancelToken, Cancelled, Pool};

use super::Sample;

/// Ways to race the branches of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// [`heist::race`]: each node is a race.
    Race,
    /// [`heist::race_hint`]: a node is a race where others have nothing to steal.
    RaceHint,
    /// [`heist::join`]: all is one cancel scope, which the branch that finds something cancels.
    Join,
    /// [`heist::try_race`]: a race that passes an error on where the others unwind.
    TryRace,
    /// [`heist::try_race_hint`].
    TryRaceHint,
    /// [`heist::try_join`].
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

/// Ways in which a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Another thread cancels it.
    Cancel,
    /// A branch finds something, which cancels the others.
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

/// One search. A set of columns or diagonals is a number; its bits are the places of the row.
struct Search {
    form: Form,
    token: CancelToken,
    all: u32,
    begun: Instant,
    /// The time after `begun` at which the first branch that comes to a dead end says that it has found something; none if no branch does.
    until: Option<Duration>,
    /// Nanoseconds after `begun` at which a branch said so; 0 before that.
    won: AtomicU64,
    /// Branches that have begun or can be stolen.
    opened: AtomicU64,
    /// Branches of them that have ended by themselves.
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

    /// Searches, and begins again if nothing was found.
    fn run(&self) {
        let once = || match self.form {
            Form::Race | Form::RaceHint | Form::Join => Ok(self.queens(0, 0, 0)),
            _ => self.try_queens(0, 0, 0),
        };
        while let Ok(None) = once() {
            // A board so small that nothing forks has to look by itself.
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

    /// A branch for each place that is free.
    fn row(&self, columns: u32, left: u32, right: u32, free: u32) -> Option<()> {
        let place = free & free.wrapping_neg();
        let below = || self.queens(columns | place, (left | place) << 1, (right | place) >> 1);
        let others = free & !place;
        if others == 0 {
            return below();
        }
        // Relaxed, here and below: the numbers are read when all is over, which the pool orders behind all of this.
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

    /// [`queens`](Self::queens) in the forms that return an error when they are cancelled.
    fn try_queens(&self, columns: u32, left: u32, right: u32) -> Result<Option<()>, Cancelled> {
        let free = self.all & !(columns | left | right);
        if free == 0 {
            return Ok(self.dead_end());
        }
        self.try_row(columns, left, right, free)
    }

    /// A branch for each place that is free.
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
        // Relaxed: as in `row`.
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

    /// No solution counts, so a full board is a dead end too.
    fn dead_end(&self) -> Option<()> {
        if self.begun.elapsed() < self.until? {
            return None;
        }
        let now = self.nanos().max(1);
        // Relaxed: the winner is one, and what it writes is read when all is over.
        let first = self
            .won
            .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        first.ok()?;
        if matches!(self.form, Form::Join | Form::TryJoin) {
            self.token.cancel();
        }
        Some(())
    }

    /// Branches that were cancelled. To be called when all is over.
    fn cancelled(&self) -> u64 {
        self.opened.load(Ordering::Relaxed) - self.closed.load(Ordering::Relaxed)
    }
}

/// Searches for that time, and measures what the end takes.
pub(super) fn measure(pool: &Pool, form: Form, end: End, n: u32, time: Duration) -> Sample {
    match end {
        End::Cancel => cancel(pool, form, n, time),
        End::Win => win(pool, form, n, time),
    }
}

fn win(pool: &Pool, form: Form, n: u32, time: Duration) -> Sample {
    let search = Search::new(form, n, Some(time));
    let over = pool.install(|| {
        // Forks are cancelled with their scope, races by one of their branches: the result says nothing.
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
        // It has begun when branches are open.
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
                    // Two branches for each place of a row but its last, on each worker's way down. None may be left between two searches.
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
