//! The pools of all contenders. All pools have the same number of threads.

use heist::policy::Protocol;
#[cfg(all(feature = "study", not(test)))]
use heist::policy::{ChaseLev, Polled, StopVictim, The};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::affinity::confine_this_thread;
use crate::contender::Contender;
#[cfg(all(feature = "study", not(test)))]
use crate::ctx::By;
use crate::ctx::{Ctx, Finish, Heist, HeistHint, HeistPolicy, Serial, Threads};
use crate::record::{Keep, Least, Recording, Tape};
use crate::rivals::{Chili, Rayon};

/// The size of the stacks of a pool's threads, in bytes. Only some contenders have a setting for this size. The binomial tree is 1572
/// levels deep.
const STACK: usize = 16 << 20;

/// A computation that any contender can run.
pub trait Kernel: Send {
    /// The result of the program.
    type Out: Send;

    /// Runs the computation, which forks by `ctx`.
    fn call<C: Ctx>(self, ctx: C) -> Self::Out;
}

/// A computation that needs [`Finish`].
pub(crate) trait FinishKernel: Send {
    /// Runs the computation, which forks by `ctx`.
    fn call<C: Finish>(self, ctx: C);
}

/// The reason why the pools did not start.
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
/// Threads without work sleep, and the calling thread sleeps while a contender runs. Serial code, and the code that calls chili, do not run
/// on the calling thread but on a separate thread, the *stage*. So the system wakes and places the threads of all contenders in the same
/// way. (On the calling thread, serial code would stay on that thread's CPU, whereas the system would wake the pools' threads on another
/// CPU. As a result, every difference between the two CPUs, such as a busy neighbour, would look like a difference between contenders.)
///
/// In a pinned runner each worker of each contender has a CPU of its own, and the stage is on the first CPU. Chili is an exception, because
/// it has no way to distinguish its workers. One of chili's workers is the stage, and all other workers of chili share the remaining CPUs.
/// With two threads, each worker of chili still has its own CPU. With more threads, the system places chili's other workers on the
/// remaining CPUs. Chili's heartbeat thread also runs on the remaining CPUs, or on any CPU if no CPU remains. The calling thread is not
/// pinned.
pub struct Runner {
    threads: usize,
    heist: heist::Pool,
    /// A pool with fibers, for the policies that need fibers.
    fibers: heist::Pool,
    rayon: rayon::ThreadPool,
    chili: chili::ThreadPool,
    /// The stage. The stage is a rayon pool of one thread, but the code that runs on it never forks with rayon.
    stage: rayon::ThreadPool,
    /// The CPUs on which threads run, if threads are pinned.
    cpus: Option<Vec<usize>>,
    /// Heist's pools under other protocols. A pool starts at its first use.
    protocols: Mutex<BTreeMap<Protocol, Arc<heist::Pool>>>,
    /// The kind of recording that serial runs make, and the state that the last run has left. `None` if the runner records no runs.
    tape: Option<(Keep, Mutex<Recorded>)>,
}

/// The state that a recorded serial run leaves.
#[derive(Default)]
struct Recorded {
    last: Option<Recording>,
    /// The duration of a tick of the clock, in seconds.
    tick: Option<f64>,
    least: Least,
}

impl Runner {
    /// Makes a runner with one thread that records its serial runs.
    pub fn recording(keep: Keep) -> Result<Runner, PoolError> {
        let mut runner = Runner::new(1)?;
        runner.tape = Some((keep, Mutex::default()));
        Ok(runner)
    }

    /// Takes the recording of the last serial run, if that run was recorded.
    pub fn take_recording(&self) -> Option<Recording> {
        let (_, last) = self.tape.as_ref()?;
        let mut recorded = last.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.last.take()
    }

    /// Makes the strands of all further recorded runs add up to `seconds`, the time of the serial program. Each strand counts with its
    /// shortest time in the runs so far, without the cost of recording.
    ///
    /// # Panics
    /// Panics if the runner does not record repeated runs, or has not recorded a run.
    pub fn fit(&self, seconds: f64) {
        let Some((Keep { repeats: true, .. }, recorded)) = &self.tape else {
            panic!("the runner does not record repeated runs");
        };
        let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let tick = recorded.tick.expect("the runner has recorded no run");
        recorded.least.fit((seconds / tick) as u64);
    }

    /// Starts pools of `threads` threads, which the system places.
    pub fn new(threads: usize) -> Result<Runner, PoolError> {
        Runner::start(threads, None)
    }

    /// Starts pools with one thread for each CPU of `cpus`, and pins each thread to its CPU. `cpus` must be in ascending order.
    pub fn pinned(cpus: &[usize]) -> Result<Runner, PoolError> {
        Runner::start(cpus.len(), Some(cpus))
    }

    fn start(threads: usize, cpus: Option<&[usize]>) -> Result<Runner, PoolError> {
        // Threads inherit the CPUs of the thread that creates them. Start the pools on a separate thread, so that the calling thread keeps
        // its CPUs.
        thread::scope(|scope| {
            thread::Builder::new()
                .spawn_scoped(scope, || Runner::start_here(threads, cpus))
                .map_err(|error| PoolError(format!("a thread: {error}")))?
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Starts the pools. `cpus` has a CPU for each thread.
    fn start_here(threads: usize, cpus: Option<&[usize]>) -> Result<Runner, PoolError> {
        let count = NonZero::new(threads)
            .ok_or_else(|| PoolError("a pool needs at least one thread".to_owned()))?;
        let rayon = rayon_pool(threads, cpus)?;
        let stage = rayon_pool(1, cpus)?;
        // The stage is the first of Chili's workers.
        if let Some([_, others @ ..]) = cpus
            && !others.is_empty()
        {
            confine(others)?;
        }
        let chili = chili::ThreadPool::with_config(chili::Config {
            thread_count: Some(count),
            ..chili::Config::default()
        });
        if let Some(cpus) = cpus {
            confine(cpus)?;
        }
        // Heist pins each worker to one of the CPUs of the thread that starts the pool.
        let builder = || heist_builder(threads, cpus);
        let heist = built(builder())?;
        // SAFETY: the tasks in the programs' scopes keep no value that belongs to a thread, so another thread may resume them.
        let fibers = built(unsafe { builder().fibers(heist::Fibers::new()) })?;
        Ok(Runner {
            threads,
            heist,
            fibers,
            rayon,
            chili,
            stage,
            cpus: cpus.map(<[usize]>::to_vec),
            protocols: Mutex::default(),
            tape: None,
        })
    }

    /// Returns the number of threads of each pool.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns Heist's pool, whose counters the caller can read.
    pub fn heist(&self) -> &heist::Pool {
        &self.heist
    }

    /// Returns Heist's pool under the given protocol. The pool measures the time of steals. The first call for a protocol starts
    /// its pool.
    ///
    /// # Errors
    /// Returns an error if the pool cannot be started.
    pub fn under(&self, protocol: Protocol) -> Result<Arc<heist::Pool>, PoolError> {
        let mut protocols = self
            .protocols
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = protocols.get(&protocol) {
            return Ok(Arc::clone(pool));
        }
        let cpus = self.cpus.as_deref();
        let builder = heist_builder(self.threads, cpus)
            .protocol(protocol)
            .timed(true);
        // Start the pool on a separate thread, which confines itself, because the pool pins its workers to the CPUs of the thread that
        // starts it.
        let pool = thread::scope(|scope| {
            let start = || {
                cpus.map_or(Ok(()), confine)?;
                built(builder)
            };
            scope
                .spawn(start)
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic))
        })?;
        let pool = Arc::new(pool);
        protocols.insert(protocol, Arc::clone(&pool));
        Ok(pool)
    }

    fn pool_under(&self, protocol: Protocol) -> Arc<heist::Pool> {
        self.under(protocol)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    #[cfg(any(not(feature = "study"), test))]
    fn run_under<K: Kernel>(&self, protocol: Protocol, _: K) -> K::Out {
        panic!("{protocol:?} needs the feature `study`")
    }

    #[cfg(all(feature = "study", not(test)))]
    fn run_under<K: Kernel>(&self, protocol: Protocol, kernel: K) -> K::Out {
        let pool = self.pool_under(protocol);
        pool.install(|| match protocol {
            // This is the fork path of `heist::join`.
            Protocol::ReturnBarrier(_) => kernel.call(Heist),
            Protocol::StopVictim => kernel.call(By::<StopVictim>::new()),
            Protocol::Polled(_) => kernel.call(By::<Polled>::new()),
            Protocol::ChaseLev => kernel.call(By::<ChaseLev>::new()),
            Protocol::The => kernel.call(By::<The>::new()),
            other => unreachable!("{other:?} has no path"),
        })
    }

    /// Returns the pool in which a contender with a spawn policy runs programs that need [`Finish`]. Returns `None` for all other
    /// contenders.
    pub fn heist_of(&self, who: Contender) -> Option<&heist::Pool> {
        who.spawn_policy().map(|policy| match policy {
            heist::policy::SpawnPolicy::WorkFirst | heist::policy::SpawnPolicy::Adaptive => {
                &self.fibers
            }
            _ => &self.heist,
        })
    }

    /// Returns true if serial runs are recorded.
    pub(crate) fn records(&self) -> bool {
        self.tape.is_some()
    }

    /// Runs serial code on the stage.
    pub(crate) fn on_stage<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        self.stage.install(run)
    }

    /// Runs code that uses rayon in rayon's pool.
    pub(crate) fn on_rayon<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        self.rayon.install(run)
    }

    /// Runs the kernel under the contender `who`. A spawn policy concerns only scopes, so contenders that differ only in the policy of
    /// Heist's scopes run a kernel in the same way.
    ///
    /// # Panics
    /// Panics if `who` is [`Contender::Threads`], which has no joins, or if it is [`Contender::Under`] and the feature `study` is off.
    pub fn run<K: Kernel>(&self, who: Contender, kernel: K) -> K::Out {
        match who {
            Contender::Serial => self.stage.install(|| match &self.tape {
                None => kernel.call(Serial),
                Some((keep, last)) => {
                    let mut recorded = last.lock().unwrap_or_else(PoisonError::into_inner);
                    let (out, recording) =
                        Tape::record(*keep, &mut recorded.least, |record| kernel.call(record));
                    recorded.tick = Some(recording.tick);
                    recorded.last = Some(recording);
                    out
                }
            }),
            Contender::Heist
            | Contender::HeistWorkFirst
            | Contender::HeistAdaptive
            | Contender::HeistWorkSharing => self.heist.install(|| kernel.call(Heist)),
            Contender::HeistHint => self.heist.install(|| kernel.call(HeistHint)),
            Contender::Rayon => self.rayon.install(|| kernel.call(Rayon)),
            Contender::Chili => self
                .stage
                .install(|| Chili::enter(&mut self.chili.scope(), kernel)),
            Contender::Threads => panic!("threads run programs of scopes only"),
            Contender::Under(protocol) => self.run_under(protocol, kernel),
        }
    }

    /// Runs a kernel that needs [`Finish`] under the contender `who`. A hint concerns only joins, so [`Contender::Heist`] and
    /// [`Contender::HeistHint`] run the kernel in the same way.
    pub(crate) fn run_finish<K: FinishKernel>(&self, who: Contender, kernel: K) {
        match who {
            Contender::Serial => self.stage.install(|| match &self.tape {
                None => kernel.call(Serial),
                Some((keep, last)) => {
                    let mut recorded = last.lock().unwrap_or_else(PoisonError::into_inner);
                    let ((), recording) =
                        Tape::record(*keep, &mut recorded.least, |record| kernel.call(record));
                    recorded.tick = Some(recording.tick);
                    recorded.last = Some(recording);
                }
            }),
            Contender::Heist | Contender::HeistHint => self.heist.install(|| kernel.call(Heist)),
            Contender::Rayon => self.rayon.install(|| kernel.call(Rayon)),
            Contender::Chili => self
                .stage
                .install(|| Chili::enter_finish(&mut self.chili.scope(), kernel)),
            Contender::HeistWorkSharing => self.heist.install(|| {
                kernel.call(HeistPolicy(heist::policy::SpawnPolicy::WorkSharing));
            }),
            Contender::HeistWorkFirst => self.fibers.install(|| {
                kernel.call(HeistPolicy(heist::policy::SpawnPolicy::WorkFirst));
            }),
            Contender::HeistAdaptive => self.fibers.install(|| {
                kernel.call(HeistPolicy(heist::policy::SpawnPolicy::Adaptive));
            }),
            Contender::Threads => self.stage.install(|| kernel.call(Threads)),
            Contender::Under(protocol) => self.pool_under(protocol).install(|| kernel.call(Heist)),
        }
    }
}

fn heist_builder(threads: usize, cpus: Option<&[usize]>) -> heist::Builder {
    heist::Pool::builder()
        .threads(threads)
        .stack_size(STACK)
        .pin(cpus.is_some())
}

fn built(builder: heist::Builder) -> Result<heist::Pool, PoolError> {
    builder
        .build()
        .map_err(|error| PoolError(format!("heist: {error}")))
}

fn rayon_pool(threads: usize, cpus: Option<&[usize]>) -> Result<rayon::ThreadPool, PoolError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build()
        .map_err(|error| PoolError(format!("rayon: {error}")))?;
    if let Some(cpus) = cpus {
        pool.broadcast(|worker| confine(&cpus[worker.index()..=worker.index()]))
            .into_iter()
            .collect::<Result<(), _>>()?;
    }
    Ok(pool)
}

fn confine(cpus: &[usize]) -> Result<(), PoolError> {
    confine_this_thread(cpus).map_err(|error| PoolError(format!("CPUs {cpus:?}: {error}")))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::affinity::allowed;

    #[test]
    fn pinned_workers_keep_to_their_cpus() {
        thread::spawn(|| {
            let all = allowed().unwrap();
            for threads in 1..=all.len().min(3) {
                let cpus = &all[all.len() - threads..];
                let runner = Runner::pinned(cpus).unwrap();
                assert_eq!(allowed().unwrap(), all, "the caller keeps its CPUs");
                let each: Vec<Vec<usize>> = cpus.iter().map(|&cpu| vec![cpu]).collect();
                assert_eq!(runner.rayon.broadcast(|_| allowed().unwrap()), each);
                assert_eq!(runner.heist.broadcast(|_| allowed().unwrap()), each);
                assert_eq!(runner.stage.broadcast(|_| allowed().unwrap()), each[..1]);
            }
        })
        .join()
        .unwrap();
    }
}
