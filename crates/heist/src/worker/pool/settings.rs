//! Settings of a pool.

use crate::fiber::Stacks;
use crate::policy::{Protocol, SpawnPolicy, StealAmount, VictimChoice};
use crate::task::discard;
use crate::worker::Hooks;
use crate::worker::ThreadStart;
use crate::worker::fixed::wait_policy::WaitPolicy;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

pub(crate) type Handler = Box<dyn Fn(usize) + Send + Sync>;
/// A function that returns a name for the thread with a given number.
pub(crate) type Namer = Box<dyn Fn(usize) -> String + Send + Sync>;
pub(crate) type HiddenWork = Box<dyn Fn(Idle) -> bool + Send + Sync>;
pub(crate) type PanicHandler = Box<dyn Fn(Box<dyn std::any::Any + Send>) + Send + Sync>;
pub(crate) type DeadlockHandler = Box<dyn Fn(&crate::waiting::DeadlockReport) + Send + Sync>;
/// A function that starts a new thread, which runs a worker's main function.
pub(crate) type SpawnHandler = Box<dyn Fn(ThreadStart) -> io::Result<()> + Send + Sync>;

/// The reason for a call of an [idle poll](crate::Builder::idle_poll).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Idle {
    /// The worker searches for work, and will call the function again if it finds none.
    Searches,
    /// The worker has found no work and is about to sleep.
    Sleeps,
}

/// The settings of a pool.
pub(crate) struct Settings {
    pub(crate) hooks: Hooks,
    pub(crate) threads: usize,
    pub(crate) name: String,
    /// The function that names the threads. Without it, a thread's name is `name` with the thread's number.
    pub(crate) thread_name: Option<Namer>,
    pub(crate) stack_size: usize,
    pub(crate) pin: bool,
    pub(crate) max_spares: usize,
    /// True if the thread that builds the pool becomes the pool's first worker.
    pub(crate) adopts: bool,
    /// Whether waiting workers keep their slots. With [`WaitPolicy::KeepsSlot`], `max_spares` is 0.
    pub(crate) wait_policy: WaitPolicy,
    pub(crate) spin: Duration,
    pub(crate) protocol: Protocol,
    /// The amount of work that a thief takes in one steal.
    pub(crate) amount: StealAmount,
    pub(crate) victims: VictimChoice,
    /// True if workers measure the time that they lose to thieves.
    pub(crate) timed: bool,
    /// The supply of stacks for fibers, if the pool has fibers.
    pub(crate) fibers: Option<Stacks>,
    /// True if fibers stay on the thread on which they began.
    pub(crate) pinned: bool,
    /// Number of workers that the pool uses at first, if it does not use all its workers.
    pub(crate) size: Option<usize>,
    /// The interval at which the pool checks how many CPUs the process may use, or `None` if the pool does not adapt its size to this
    /// number.
    pub(crate) follow: Option<Duration>,
    /// The spawn policy of scopes that choose no policy themselves.
    pub(crate) spawn_policy: SpawnPolicy,
    pub(crate) start: Option<Handler>,
    pub(crate) exit: Option<Handler>,
    pub(crate) panic: Option<PanicHandler>,
    /// The function that asks the program for work that is in no deque: see `Builder::idle_poll` and `embed::Plan`.
    pub(crate) hidden: Option<HiddenWork>,
    pub(crate) spawn: Option<SpawnHandler>,
    pub(crate) deadlock: Option<DeadlockHandler>,
}

impl Settings {
    /// Returns the name of thread `id`. Never unwinds, because the caller may be the scheduler, which must not be interrupted.
    pub(in crate::worker) fn name_of(&self, id: u16) -> String {
        let named = self.thread_name.as_ref().and_then(|name| {
            catch_unwind(AssertUnwindSafe(|| name(id.into())))
                .map_err(discard)
                .ok()
        });
        match named {
            Some(name) if !name.contains('\0') => name,
            _ => format!("{}-{id}", self.name),
        }
    }

    /// Returns true if the pool has fibers that may move from thread to thread.
    pub(crate) fn has_migrating_fibers(&self) -> bool {
        self.fibers.is_some() && !self.pinned
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("threads", &self.threads)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}
