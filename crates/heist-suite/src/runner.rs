//! The pools of every contender, of one size.

use std::fmt;
use std::num::NonZero;

use crate::contender::Contender;
use crate::ctx::{Ctx, Finish, Heist, HeistHint, Serial};
use crate::rivals::{Chili, Rayon};

/// Stack of a pool's threads where the contender lets us choose: the binomial tree is 1572 levels deep.
const STACK: usize = 16 << 20;

/// A computation that any contender can run.
pub trait Kernel: Send {
    /// What comes of it.
    type Out: Send;

    /// Computes with `ctx`.
    fn call<C: Ctx>(self, ctx: C) -> Self::Out;
}

/// A computation that needs [`Finish`].
pub(crate) trait FinishKernel: Send {
    /// Computes with `ctx`.
    fn call<C: Finish>(self, ctx: C);
}

/// Why the pools could not be started.
#[derive(Debug)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PoolError {}

/// One pool of each contender, all with the same number of threads.
///
/// They are started at once, not at first use: threads inherit the CPUs of the thread that creates them, and who
/// confines that thread must know when. All of them sleep while they have nothing to do.
pub struct Runner {
    threads: usize,
    heist: heist::Pool,
    rayon: rayon::ThreadPool,
    chili: chili::ThreadPool,
}

impl Runner {
    /// Starts pools of `threads` threads.
    pub fn new(threads: usize) -> Result<Runner, PoolError> {
        let count = NonZero::new(threads)
            .ok_or_else(|| PoolError("a pool needs at least one thread".to_owned()))?;
        let heist = heist::Pool::builder()
            .threads(threads)
            .stack_size(STACK)
            .build()
            .map_err(|error| PoolError(format!("heist: {error}")))?;
        let rayon = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK)
            .build()
            .map_err(|error| PoolError(format!("rayon: {error}")))?;
        let chili = chili::ThreadPool::with_config(chili::Config {
            thread_count: Some(count),
            ..chili::Config::default()
        });
        Ok(Runner {
            threads,
            heist,
            rayon,
            chili,
        })
    }

    /// Threads of each pool.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Heist's pool, for its counters.
    pub fn heist(&self) -> &heist::Pool {
        &self.heist
    }

    /// Runs the kernel as `who`: `Serial` on this thread; Chili, by its design, on this thread and the pool's others.
    pub fn run<K: Kernel>(&self, who: Contender, kernel: K) -> K::Out {
        match who {
            Contender::Serial => kernel.call(Serial),
            Contender::Heist => self.heist.install(|| kernel.call(Heist)),
            Contender::HeistHint => self.heist.install(|| kernel.call(HeistHint)),
            Contender::Rayon => self.rayon.install(|| kernel.call(Rayon)),
            Contender::Chili => Chili::enter(&mut self.chili.scope(), kernel),
        }
    }

    /// The same for a finish-style kernel. Hints are for joins, so both of Heist's contenders are one here.
    pub(crate) fn run_finish<K: FinishKernel>(&self, who: Contender, kernel: K) {
        match who {
            Contender::Serial => kernel.call(Serial),
            Contender::Heist | Contender::HeistHint => self.heist.install(|| kernel.call(Heist)),
            Contender::Rayon => self.rayon.install(|| kernel.call(Rayon)),
            Contender::Chili => Chili::enter_finish(&mut self.chili.scope(), kernel),
        }
    }
}
