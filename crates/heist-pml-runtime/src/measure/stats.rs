//! The costs of a run, counted by each worker.

use std::time::{Duration, Instant};

/// Costs of a run on one worker.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Bytes of the large objects, and of the young objects that were allocated before the last collection.
    pub allocated: u64,
    /// Number of collections of the young generation that were not promotions.
    pub minor: u64,
    /// Bytes and objects that minor collections without promotions copied.
    pub minor_bytes: u64,
    pub(crate) minor_objects: u64,
    /// Number of major collections that this worker has begun.
    pub major: u64,
    /// Bytes that all workers together copied in the major collections that this worker has begun.
    pub major_bytes: u64,
    /// Bytes that the busiest worker of each major collection copied: half of `major_bytes` if two workers share the work well.
    pub major_most: u64,
    /// Number of frames that collections scanned.
    pub frames: u64,
    /// Number of collections of the young generation that promoted objects for other workers.
    pub promotions: u64,
    /// Bytes of objects that promotions moved or copied out of the young generation.
    pub promoted: u64,
    /// Bytes of promoted objects whose originals stay.
    pub promoted_by_copy: u64,
    /// Number of promoted objects.
    pub promoted_objects: u64,
    /// Number of forks that this worker published.
    pub published: u64,
    /// Number of published forks that this worker took.
    pub stolen: u64,
    /// Number of threads that this worker made.
    pub spawned: u64,
    /// Number of times that a strand on this worker began to wait.
    pub suspended: u64,
    /// Time of minor collections.
    pub minor_time: Duration,
    /// Time of promotions. Promotions by copying are timed only with `--stats-json`.
    pub promotion_time: Duration,
    /// Time for which major collections stopped this worker.
    pub major_time: Duration,
    /// The longest time for which a collection stopped this worker.
    pub longest: Duration,
}

/// A clock for short durations. The clock does nothing if the run does not measure durations.
pub(crate) struct Clock(Option<Instant>);

impl Clock {
    pub(crate) fn start(wanted: bool) -> Clock {
        Clock(wanted.then(Instant::now))
    }

    pub(crate) fn stop(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |begin| begin.elapsed())
    }
}

impl Stats {
    /// Counts the time of a minor collection that ends now.
    pub(crate) fn minor(&mut self, begin: Instant) {
        let time = begin.elapsed();
        self.minor_time += time;
        self.longest = self.longest.max(time);
    }

    /// Counts the time of a major collection that ends now.
    pub(crate) fn global(&mut self, begin: Instant) {
        let time = begin.elapsed();
        self.major_time += time;
        self.longest = self.longest.max(time);
    }

    /// Counts the minor collection that has happened since `before` as a promotion.
    pub(crate) fn minor_was_promotion(&mut self, before: &Stats) {
        self.promotions += 1;
        self.promoted += self.minor_bytes - before.minor_bytes;
        self.promoted_objects += self.minor_objects - before.minor_objects;
        self.promotion_time += self.minor_time.saturating_sub(before.minor_time);
        self.minor = before.minor;
        self.minor_bytes = before.minor_bytes;
        self.minor_objects = before.minor_objects;
        self.minor_time = before.minor_time;
    }

    /// Returns the time of all collections.
    #[must_use]
    pub fn collecting(&self) -> Duration {
        self.minor_time + self.promotion_time + self.major_time
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: &Stats) {
        self.allocated += other.allocated;
        self.minor += other.minor;
        self.minor_bytes += other.minor_bytes;
        self.minor_objects += other.minor_objects;
        self.major += other.major;
        self.major_bytes += other.major_bytes;
        self.major_most += other.major_most;
        self.frames += other.frames;
        self.promotions += other.promotions;
        self.promoted += other.promoted;
        self.promoted_by_copy += other.promoted_by_copy;
        self.promoted_objects += other.promoted_objects;
        self.published += other.published;
        self.stolen += other.stolen;
        self.spawned += other.spawned;
        self.suspended += other.suspended;
        self.minor_time += other.minor_time;
        self.promotion_time += other.promotion_time;
        self.major_time += other.major_time;
        self.longest = self.longest.max(other.longest);
    }

    pub(crate) fn json(&self) -> String {
        let counts = [
            ("allocated", self.allocated),
            ("minor", self.minor),
            ("minor_bytes", self.minor_bytes),
            ("global", self.major),
            ("global_bytes", self.major_bytes),
            ("global_most_bytes", self.major_most),
            ("promotions", self.promotions),
            ("promoted", self.promoted),
            ("promoted_by_copy", self.promoted_by_copy),
            ("promoted_objects", self.promoted_objects),
            ("published", self.published),
            ("stolen", self.stolen),
            ("threads", self.spawned),
            ("suspended", self.suspended),
        ];
        let times = [
            ("minor_s", self.minor_time),
            ("promotion_s", self.promotion_time),
            ("global_s", self.major_time),
            ("longest_s", self.longest),
        ];
        let counts = counts.map(|(name, count)| format!("\"{name}\": {count}"));
        let times = times.map(|(name, time)| format!("\"{name}\": {:.6}", time.as_secs_f64()));
        let fields: Vec<String> = counts.into_iter().chain(times).collect();
        format!("{{{}}}", fields.join(", "))
    }

    /// Headings of the columns of [`Stats::row`].
    pub(crate) const HEADER: &str = "worker  allocated MiB   minor  copied MiB  global  promoted KiB   objects   copied KiB  longest ms  published  stolen  suspended\n";

    /// Returns the line of a worker in the table.
    pub(crate) fn row(&self, number: usize) -> String {
        format!(
            "{number:6} {:14.1} {:7} {:11.1} {:7} {:13.1} {:9} {:12.1} {:11.2} {:10} {:7} {:10}\n",
            mib(self.allocated),
            self.minor,
            mib(self.minor_bytes),
            self.major,
            self.promoted as f64 / 1024.0,
            self.promoted_objects,
            self.promoted_by_copy as f64 / 1024.0,
            ms(self.longest),
            self.published,
            self.stolen,
            self.suspended,
        )
    }
}

pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl std::fmt::Display for Stats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let copied = self.minor_bytes + self.major_bytes + self.promoted;
        writeln!(f, "allocated    {:10.1} MiB", mib(self.allocated))?;
        writeln!(f, "copied       {:10.1} MiB", mib(copied))?;
        writeln!(
            f,
            "collections  {:10} minor, {} major",
            self.minor, self.major
        )?;
        writeln!(
            f,
            "pauses       {:10.2} ms in all ({:.2} minor, {:.2} promotions, {:.2} major), {:.2} ms the longest",
            ms(self.collecting()),
            ms(self.minor_time),
            ms(self.promotion_time),
            ms(self.major_time),
            ms(self.longest)
        )?;
        writeln!(f, "frames       {:10} scanned", self.frames)?;
        if self.promotions > 0 || self.promoted > 0 {
            writeln!(
                f,
                "promoted     {:10.1} MiB, {:.1} of them copied, in {} collections",
                mib(self.promoted),
                mib(self.promoted_by_copy),
                self.promotions
            )?;
        }
        Ok(())
    }
}
