//! Profiles: work and span, and the speed-up that they allow.

use super::sites::{Share, Sites};
use std::panic::Location;

/// The maximum number of fork sites that a profile distinguishes. All further sites count as the last of these sites.
const MOST_SITES: usize = 16;

/// The work and the span of a run. Times are in seconds.
///
/// The definitions of the measures come from Leiserson, *The Cilk++ concurrency platform* (DAC 2009), and from He, Leiserson and Leiserson,
/// *The Cilkview scalability analyzer* (SPAA 2010). The shares of the sites come from Schardl and others, *The Cilkprof scalability
/// profiler* (SPAA 2015).
#[derive(Clone, Debug)]
pub struct Profile {
    /// The time of all strands.
    pub work: f64,
    /// The time of the longest chain of strands.
    pub span: f64,
    /// The time of the longest chain if the burden is added to each right branch and each task, as if thieves stole all of these branches
    /// and tasks.
    pub burdened_span: f64,
    /// The burden, which is the cost of a steal.
    pub burden: f64,
    /// The number of forks and spawned tasks.
    pub forks: u64,
    /// The fork sites, ordered by their share of the longest chain, the largest first.
    pub sites: Vec<Share>,
}

/// The expected speed-up with a number of workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speedup {
    /// The number of workers.
    pub workers: usize,
    /// A lower bound of the speed-up. The lower bound holds if a steal costs at most the burden, and if the machine does not slow down when
    /// all workers run.
    pub at_least: f64,
    /// An upper bound of the speed-up, for every scheduler.
    pub at_most: f64,
}

impl Profile {
    /// Returns work divided by span. If the number of workers is larger than the quotient, some workers must be idle at times.
    pub fn parallelism(&self) -> f64 {
        self.work / self.span.max(f64::MIN_POSITIVE)
    }

    /// Returns work divided by burdened span. If the number of workers is larger than the quotient, the cost of steals is noticeable.
    pub fn burdened_parallelism(&self) -> f64 {
        self.work / self.burdened_span.max(f64::MIN_POSITIVE)
    }

    /// Returns bounds on the speed-up with `workers` workers. The upper bound comes from the work law and the span law, and the lower bound
    /// is Cilkview's estimate (section 4): `T_P <= T_1/P + 1.7 times the burdened span`.
    pub fn speedup(&self, workers: usize) -> Speedup {
        let workers_ = workers as f64;
        let slowest = self.work / workers_ + 1.7 * self.burdened_span;
        Speedup {
            workers,
            at_least: (self.work / slowest).min(workers_),
            at_most: workers_.min(self.parallelism()),
        }
    }
}

/// A chain of strands: its time, and the time at each site.
#[derive(Clone, Copy, Debug)]
struct Chain {
    span: u64,
    burdened: u64,
    sites: [u64; MOST_SITES],
}

const EMPTY: Chain = Chain {
    span: 0,
    burdened: 0,
    sites: [0; MOST_SITES],
};

impl Chain {
    fn add(&mut self, other: &Chain) {
        self.span += other.span;
        self.burdened += other.burdened;
        for (sum, more) in self.sites.iter_mut().zip(&other.sites) {
            *sum += more;
        }
    }

    /// Keeps the longer of two chains. The time with the burden and the time without the burden may come from different chains.
    fn or_longer(&mut self, other: &Chain) {
        let burdened = self.burdened.max(other.burdened);
        if other.span > self.span {
            *self = *other;
        }
        self.burdened = burdened;
    }
}

/// A branch, a task or the body of a scope that has not ended.
#[derive(Debug)]
struct Level {
    site: usize,
    /// The chain from the start of this branch, task or body until now.
    chain: Chain,
    /// The longest chain that is parallel to `chain`: the chain of the left branch, or of the tasks of the scope.
    beside: Chain,
}

/// The sums of a profile, in ticks, while its program runs.
#[derive(Debug)]
pub(super) struct Sums {
    burden: u64,
    levels: Vec<Level>,
    sites: Sites,
    work: [u64; MOST_SITES],
    /// The time of the strands outside of all branches.
    outside: u64,
    forks: [u64; MOST_SITES],
}

impl Sums {
    pub(super) fn new(burden: u64) -> Sums {
        Sums {
            burden,
            levels: vec![Level {
                // Strands outside of all branches belong to no site.
                site: MOST_SITES,
                chain: EMPTY,
                beside: EMPTY,
            }],
            sites: Sites::default(),
            work: [0; MOST_SITES],
            outside: 0,
            forks: [0; MOST_SITES],
        }
    }

    #[inline]
    fn top(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Adds the time of a strand that has ended.
    #[inline]
    pub(super) fn strand(&mut self, ticks: u64) {
        let level = self.top();
        level.chain.span += ticks;
        level.chain.burdened += ticks;
        let site = level.site;
        if let Some(part) = level.chain.sites.get_mut(site) {
            *part += ticks;
            self.work[site] += ticks;
        } else {
            self.outside += ticks;
        }
    }

    fn enter(&mut self, at: &'static Location<'static>) {
        let site = self.sites.number(at).min(MOST_SITES - 1);
        self.levels.push(Level {
            site,
            chain: EMPTY,
            beside: EMPTY,
        });
    }

    pub(super) fn fork(&mut self, at: &'static Location<'static>) {
        self.enter(at);
        let site = self.top().site;
        self.forks[site] += 1;
    }

    pub(super) fn next(&mut self) {
        let level = self.top();
        level.beside = std::mem::replace(&mut level.chain, EMPTY);
    }

    pub(super) fn join(&mut self) {
        let burden = self.burden;
        self.top().chain.burdened += burden;
        self.close();
    }

    pub(super) fn open(&mut self, at: &'static Location<'static>) {
        self.enter(at);
    }

    pub(super) fn spawn(&mut self) {
        let site = self.top().site;
        self.forks[site] += 1;
        self.levels.push(Level {
            site,
            chain: EMPTY,
            beside: EMPTY,
        });
    }

    pub(super) fn done(&mut self) {
        if let Some(task) = self.levels.pop() {
            let burden = self.burden;
            let body = self.top();
            let mut path = body.chain;
            path.add(&task.chain);
            path.burdened += burden;
            body.beside.or_longer(&path);
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(Level {
            mut chain, beside, ..
        }) = self.levels.pop()
        {
            chain.or_longer(&beside);
            self.top().chain.add(&chain);
        }
    }

    /// Returns the sums as a profile, in seconds.
    pub(super) fn profile(&mut self, seconds_a_tick: f64) -> Profile {
        let chain = self.top().chain;
        let seconds = |ticks: u64| ticks as f64 * seconds_a_tick;
        let mut sites: Vec<Share> = self
            .sites
            .all()
            .take(MOST_SITES)
            .enumerate()
            .map(|(number, site)| Share {
                site,
                forks: self.forks[number],
                work: seconds(self.work[number]),
                on_span: seconds(chain.sites[number]),
            })
            .collect();
        sites.sort_by(|a, b| b.on_span.total_cmp(&a.on_span));
        Profile {
            work: seconds(self.work.iter().sum::<u64>() + self.outside),
            span: seconds(chain.span),
            burdened_span: seconds(chain.burdened),
            burden: seconds(self.burden),
            forks: self.forks.iter().sum(),
            sites,
        }
    }
}
