//! Building pools.

mod current_thread;
mod fibers;
mod names;

pub use fibers::Fibers;

use crate::policy::{Protocol, SpawnPolicy, StealAmount, VictimChoice};
use crate::pool::BuildError;
use crate::pool::Pool;
use crate::waiting::DeadlockReport;
use crate::worker::ThreadStart;
use crate::worker::{Hooks, Idle, PoolInner, Settings, WaitPolicy};
use std::any::Any;
use std::fmt;
use std::io;
use std::time::Duration;

/// The maximum number of workers of a pool.
pub const MAX_THREADS: usize = 4096;
/// The default number of threads that a pool may start to replace workers that wait.
const SPARES: usize = 1024;
/// The maximum number of spare threads. Workers and spare threads share one numbering, with numbers of 16 bits.
const MAX_SPARES: usize = u16::MAX as usize - MAX_THREADS;
/// The default stack size of a worker. The size allows deeply nested forks, and unused stack costs only address space.
const STACK_SIZE: usize = 8 << 20;
/// The maximum stack size of a worker, in bytes.
pub const MAX_STACK: usize = if usize::BITS == 64 {
    (1_u64 << 34) as usize
} else {
    1 << 30
};
/// The environment variable that sets the number of workers of a pool, if the program does not set this number.
const VARIABLE: &str = "HEIST_NUM_THREADS";
const SPIN: Duration = Duration::from_micros(50);

/// The functions of higher layers that the scheduler calls.
const HOOKS: Hooks = Hooks {
    count_finished: crate::finish::count_finished,
    run_apart: |work| crate::suspend::apart(work),
    drop_entry: crate::suspend::Core::drop_entry,
};

/// The behaviour of an idle worker before it sleeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum IdlePolicy {
    /// A worker searches for up to 50 us. The time adapts to the lengths of the last sleeps: if a
    /// longer search would have found no work, the time is shorter.
    #[default]
    Adaptive,
    /// A worker searches as under `Adaptive`, but for up to this duration.
    SearchFor(Duration),
    /// A worker looks for work once, and then sleeps.
    Sleep,
}

/// A builder of a [`Pool`].
///
/// ```
/// let pool = heist::Pool::builder()
///     .threads(2)
///     .name("render")
///     .stack_size(16 << 20)
///     .build()?;
/// assert_eq!(pool.threads(), 2);
/// # Ok::<(), heist::BuildError>(())
/// ```
#[doc(alias = "ThreadPoolBuilder")]
#[must_use]
pub struct Builder {
    threads: usize,
    most: usize,
    settings: Settings,
    amount: Option<StealAmount>,
    fibers: Option<Fibers>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            threads: 0,
            most: 0,
            amount: None,
            fibers: None,
            settings: Settings {
                hooks: HOOKS,
                threads: 0,
                name: "heist".to_owned(),
                thread_name: None,
                stack_size: STACK_SIZE,
                pin: false,
                max_spares: SPARES,
                wait_policy: WaitPolicy::GivesSlot,
                spin: SPIN,
                protocol: Protocol::default(),
                amount: StealAmount::Half,
                victims: VictimChoice::default(),
                timed: false,
                fibers: None,
                pinned: false,
                adopts: false,
                size: None,
                follow: None,
                spawn_policy: SpawnPolicy::default(),
                start: None,
                exit: None,
                panic: None,
                hidden: None,
                spawn: None,
                deadlock: None,
            },
        }
    }
}

impl Builder {
    /// Sets the number of workers. 0, the default, means [`default_threads`](crate::default_threads).
    #[doc(alias = "num_threads")]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the number of workers to which the pool can [grow](Pool::resize). The default, and the minimum, is the
    /// number of [threads](Self::threads) with which the pool starts. The pool starts the threads of all these workers
    /// when it is built; unused threads sleep.
    ///
    /// ```
    /// let pool = heist::Pool::builder().threads(1).max_threads(4).build()?;
    /// assert_eq!((pool.size(), pool.threads()), (1, 4));
    /// pool.resize(3);
    /// assert_eq!(pool.size(), 3);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn max_threads(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Makes the pool check at this interval how many CPUs the process may use. The pool then [resizes](Pool::resize) itself to
    /// [`default_threads`](crate::default_threads) workers, but to no more than the [maximum](Self::max_threads). `default_threads`
    /// considers `HEIST_NUM_THREADS`, affinity and the quota of a cgroup. If the value of `HEIST_NUM_THREADS` is not a number, the pool
    /// keeps its size. By default, the pool never checks the number of CPUs. A separate thread makes the checks.
    ///
    /// ```
    /// let pool = heist::Pool::builder().follow_cpus(std::time::Duration::from_secs(5)).build()?;
    /// assert!(pool.size() <= pool.threads());
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn follow_cpus(mut self, interval: Duration) -> Self {
        self.settings.follow = Some(interval);
        self
    }

    /// Sets the stack size of each worker in bytes; the default is 8 MiB, and the minimum is 64 KiB.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.settings.stack_size = bytes;
        self
    }

    /// Sets whether each worker is bound to one of the CPUs that this process may use; the default
    /// is `false`.
    pub fn pin(mut self, pin: bool) -> Self {
        self.settings.pin = pin;
        self
    }

    /// Sets the number of threads that the pool may start to replace workers that wait. The default
    /// is 1024, the maximum 61,439. The pool starts a spare thread when there is work for it, and
    /// keeps the thread.
    ///
    /// When all spare threads wait, work may stop until one of the waiting threads continues. The pool reports once, on stderr, that all
    /// its spare threads wait. If the system refuses a thread, the pool reports the refusal once. The pool tries to start the thread again
    /// when work arrives. While there is work, the pool also tries again after pauses of up to 100 ms.
    pub fn spare_threads(mut self, most: usize) -> Self {
        self.settings.max_spares = most.min(MAX_SPARES);
        self
    }

    /// Enables [fibers](crate::spawn_fiber) in the pool: closures that wait without occupying a thread. A fiber
    /// may resume on another thread, unless the fibers are [pinned](Fibers::pinned).
    ///
    /// ```
    /// use heist::{Fibers, Pool};
    /// // SAFETY: the fibers below keep nothing across their waits that belongs to a thread.
    /// let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) }.build()?;
    /// let barrier = std::sync::Arc::new(heist::sync::Barrier::new(1000));
    /// let all: Vec<_> = (0..1000)
    ///     .map(|i| {
    ///         let barrier = barrier.clone();
    ///         pool.spawn_fiber(move || {
    ///             barrier.wait(); // a thousand of them wait, on two threads
    ///             i
    ///         })
    ///     })
    ///     .collect();
    /// assert_eq!(all.iter().map(|fiber| *fiber.get()).sum::<u32>(), 499_500);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Safety
    /// In the following, a wait means a wait through Heist: any blocking method of [`sync`](crate::sync),
    /// [`block_on`](crate::block_on), [`JoinHandle::join`](crate::JoinHandle::join), and the ends of
    /// [`join`](crate::join), of [`finish`](crate::finish) and of a [worklist](crate::worklist). In a scope whose
    /// [policy](SpawnPolicy) is work-first or adaptive, each spawn into the scope by its body or tasks is also a wait.
    /// The following rules treat the body and the tasks of such a scope as fibers. [`finish_with`](crate::finish_with)
    /// chooses the policy of one scope. [`Builder::spawn_policy`] chooses the policy for all scopes of a pool,
    /// including the scopes of libraries.
    ///
    /// *All fibers*, whether pinned or not, run while other code waits on the same thread. The waiting code may be another fiber or, if the
    /// fibers are pinned, any closure of this pool. Some values are sound only if the thread runs no other code during a wait, or if the
    /// thread leaves scopes in the reverse order of their entries. Examples are a mutable reference into thread-local storage, and a
    /// thread-local scope that is sound only if scopes nest. No such value may be live across a wait in a fiber, or in code that waits
    /// while a fiber runs on its thread. If code enters a span or runtime and waits inside, the span or runtime also applies to the code
    /// that runs on the thread during the wait.
    ///
    /// *If the fibers are pinned*, no further rules apply. (Two more effects do not concern safety. First, suppose that a closure waits
    /// while it holds a lock, of `std` or of Heist, or waits at a join inside of an isolated section. Code that runs on the thread during
    /// this wait cannot take that lock or enter that section. If this code blocks the thread until it gets the lock, the closure and this
    /// code both wait forever. A fiber that waits inside a join or a poll that it has begun, or while it unwinds, blocks its thread. So
    /// such a fiber also blocks all code that waits on this thread. Second, while a thread unwinds, [`panicking`](std::thread::panicking)
    /// returns true in the fibers that run on this thread, so these fibers poison locks.)
    ///
    /// *If the fibers are not pinned*, a further rule applies: in every closure that runs as a fiber of this
    /// pool, nothing that depends on the thread may be live across a wait. The rule excludes:
    ///
    /// - values that are not `Send`, such as a guard of `std::sync::Mutex`, or an `Rc` that is shared
    ///   with code outside of the fiber;
    /// - references into thread-local storage, and everything that a thread-local scope protects, such as an
    ///   entered span or runtime;
    /// - *addresses* of thread-local words that the compiler may keep. If code between two waits of one function
    ///   forks ([`join`](crate::join)), spawns into a scope other than its own, or uses thread-local storage, this
    ///   code must be in a separate function with `#[inline(never)]`.
    pub unsafe fn fibers(mut self, fibers: Fibers) -> Self {
        self.fibers = Some(fibers);
        self
    }

    /// Sets the behaviour of idle workers; the default is [`IdlePolicy::Adaptive`].
    pub fn idle(mut self, policy: IdlePolicy) -> Self {
        self.settings.spin = match policy {
            IdlePolicy::Adaptive => SPIN,
            // The limit keeps sums of such times from overflowing; a longer search has no use.
            IdlePolicy::SearchFor(most) => most.min(Duration::from_secs(3600)),
            IdlePolicy::Sleep => Duration::ZERO,
        };
        self
    }

    /// Sets a function that a worker without work calls repeatedly while it [searches](Self::idle) for work, and once more before it
    /// sleeps. The function looks for events outside of the pool, such as messages or completed I/O. The function returns true if it has
    /// given work to the pool; then the worker continues to search.
    ///
    /// So the worker that finds an event runs the event's task, without a wake-up of another thread (4 to 50 us). Several workers may call
    /// the function at the same time. No worker calls the function while all workers run tasks or sleep, and a worker that the pool does
    /// not need any more stops without a last call. So another thread must look for events when no worker has called the function for a
    /// while, and immediately after a call with [`Idle::Sleeps`].
    ///
    /// The function must take a few microseconds at most, and must not wait or fork through Heist: it spawns tasks instead. A panic of the
    /// function goes to the [panic handler](Self::panic_handler), and later searches call the function again.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use std::sync::mpsc;
    /// use std::time::Duration;
    ///
    /// let (events, arrived) = mpsc::channel::<u32>();
    /// let arrived = Mutex::new(arrived);
    /// let (results, sums) = mpsc::channel();
    /// let pool = heist::Pool::builder()
    ///     .threads(1)
    ///     .idle(heist::IdlePolicy::SearchFor(Duration::from_secs(10)))
    ///     .idle_poll(move |_| {
    ///         let Ok(event) = arrived.lock().unwrap().try_recv() else { return false };
    ///         let results = results.clone();
    ///         heist::spawn_detached(move || results.send(event + 1).unwrap());
    ///         true
    ///     })
    ///     .build()?;
    /// events.send(41).unwrap();
    /// assert_eq!(sums.recv(), Ok(42));
    /// # drop(pool);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn idle_poll(mut self, poll: impl Fn(Idle) -> bool + Send + Sync + 'static) -> Self {
        self.settings.hidden = Some(Box::new(poll));
        self
    }

    /// Sets the protocol by which workers steal; the default is [`Protocol::ReturnBarrier`] with
    /// [`Delivery::Fence`](crate::policy::Delivery::Fence). See [`policy`](crate::policy).
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.settings.protocol = protocol;
        self
    }

    /// Sets the amount of work that a thief gets in one steal. The default is [`StealAmount::Half`] under [`Protocol::ReturnBarrier`] and
    /// [`Protocol::The`], and otherwise [`StealAmount::One`]. Two protocols ignore the amount: under [`Protocol::Polled`], a victim hands
    /// over one frame or task, and under [`Protocol::ChaseLev`], a thief takes one frame or task.
    pub fn steal_amount(mut self, amount: StealAmount) -> Self {
        self.amount = Some(amount);
        self
    }

    /// Sets the order of victims; the default is [`VictimChoice::Random`].
    pub fn victims(mut self, victims: VictimChoice) -> Self {
        self.settings.victims = victims;
        self
    }

    /// Sets whether the pool measures the time that victims lose to thieves and the duration of thieves' requests, for
    /// [`Counters`](crate::Counters) and [`Pool::steal_latency`]; the default is `false`. Each measurement reads the
    /// clock twice, which takes about 20 ns. Work that no thief steals is not slowed down.
    pub fn timed(mut self, timed: bool) -> Self {
        self.settings.timed = timed;
        self
    }

    /// Sets a function that each thread calls when it starts, with the thread's number. Workers are numbered from 0,
    /// and spare threads follow. Spare threads call the handler, too. So a handler that counts threads, or keeps a
    /// value for each thread, should use this number instead of [`current_worker_index`](crate::current_worker_index).
    ///
    /// A handler may bind its thread to CPUs. On Linux, Heist records the CPUs to which a worker is bound when its
    /// handler ends. A thread that takes over this worker's slot, such as a spare thread, is then bound to these CPUs,
    /// even if the handler has bound that thread to other CPUs.
    ///
    /// The handler may wait through Heist, even for tasks of this pool. While the handler waits, its thread works
    /// for the pool: the thread may run any task, and no other thread takes its slot. So the handler must not hold a
    /// lock while it waits through Heist if the pool's tasks take that lock.
    pub fn start_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.settings.start = Some(Box::new(handler));
        self
    }

    /// Sets a function that each thread calls when it ends, with the thread's number. The thread is
    /// not a worker any more when it calls the function: forks and spawns of the handler go to the
    /// global pool.
    pub fn exit_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.settings.exit = Some(Box::new(handler));
        self
    }

    /// Sets a function that receives the panics of detached tasks, and of the start and exit handlers, because no caller can receive these
    /// panics. Without this function, the pool drops such panics after the panic hook has printed them. If the handler itself panics, the
    /// process aborts.
    pub fn panic_handler(
        mut self,
        handler: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.panic = Some(Box::new(handler));
        self
    }

    /// Sets a function that receives the report of a [deadlock](crate#deadlocks). If such a function is set, the report does not go to
    /// stderr. The pool must exist at the time of the deadlock. The thread that found the deadlock calls this function before Heist ends
    /// the waits. The function may end the process instead. If the function panics, Heist ignores the panic and prints the report.
    ///
    /// ```
    /// let pool = heist::Pool::builder()
    ///     .deadlock_handler(|report| {
    ///         for stuck in report.stuck() {
    ///             eprintln!("{} wait for {}", stuck.waiting(), stuck.what());
    ///         }
    ///     })
    ///     .build()?;
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn deadlock_handler(
        mut self,
        handler: impl Fn(&DeadlockReport) + Send + Sync + 'static,
    ) -> Self {
        self.settings.deadlock = Some(Box::new(handler));
        self
    }

    /// Sets a function that starts threads: it must arrange for [`ThreadStart::run`] to be called
    /// on a new thread, or return an error.
    ///
    /// Any thread may call the function. After an error, the thread of Heist's timers may call the function again. So
    /// the function must not wait for a timer, and timers are late while the function runs. If a worker of the pool
    /// calls the function, and the function waits through Heist, the worker may run any task of the pool meanwhile.
    ///
    /// ```
    /// let pool = heist::Pool::builder()
    ///     .threads(1)
    ///     .spawn_handler(|start| {
    ///         std::thread::Builder::new().stack_size(1 << 20).spawn(|| start.run())?;
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.install(|| 7), 7);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn spawn_handler(
        mut self,
        handler: impl Fn(ThreadStart) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.settings.spawn = Some(Box::new(handler));
        self
    }

    /// Sets the order of spawner and task in scopes ([`finish`](crate::finish)) of this pool; the
    /// default is [`SpawnPolicy::HelpFirst`]. The documentation of [`SpawnPolicy`] lists the scopes
    /// that cannot follow a policy.
    ///
    /// ```
    /// use heist::{Fibers, Pool, policy::SpawnPolicy};
    /// // SAFETY: nothing below keeps what belongs to a thread across a spawn.
    /// let fibers = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) };
    /// let pool = fibers.spawn_policy(SpawnPolicy::WorkFirst).build()?;
    /// let mut ran = [false; 10];
    /// pool.finish(|f| {
    ///     for ran in &mut ran {
    ///         f.spawn(move |_| *ran = true);
    ///     }
    /// });
    /// assert_eq!(ran, [true; 10]);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn spawn_policy(mut self, policy: SpawnPolicy) -> Self {
        self.settings.spawn_policy = policy;
        self
    }

    /// Returns the settings that this builder has.
    pub(crate) fn into_settings(self) -> Settings {
        self.settings
    }

    /// Starts the pool.
    ///
    /// # Errors
    /// Returns [`BuildError::TooManyThreads`] for more than [`MAX_THREADS`] threads, [`BuildError::StackTooLarge`] for a stack of more than
    /// [`MAX_STACK`] bytes, and [`BuildError::Name`] for a name with a NUL in it. Returns [`BuildError::Variable`] if the number of threads
    /// is not set and [`default_threads`] returns this error. Returns [`BuildError::Fibers`] if fibers are not possible, and
    /// [`BuildError::SpawnPolicy`] if the policy needs fibers and the pool has none. Returns [`BuildError::Spawn`] if the operating system
    /// refuses a thread or its memory; in this case, `build` returns after all threads that had already started have ended.
    pub fn build(self) -> Result<Pool, BuildError> {
        let asked = self.threads;
        if asked.max(self.most) > MAX_THREADS {
            let asked = asked.max(self.most);
            return Err(BuildError::TooManyThreads { asked });
        }
        let mut settings = self.settings;
        if settings.name.contains('\0') {
            return Err(BuildError::Name {
                name: settings.name,
            });
        }
        if settings.stack_size > MAX_STACK {
            return Err(BuildError::StackTooLarge {
                asked: settings.stack_size,
            });
        }
        if let Some(fibers) = &self.fibers {
            let stacks = crate::fiber::stacks(fibers.stack_size);
            settings.pinned = fibers.pinned;
            settings.fibers = Some(stacks.map_err(|error| BuildError::Fibers {
                reason: error.to_string(),
            })?);
        }
        if settings.spawn_policy.needs_fibers() && !settings.has_migrating_fibers() {
            return Err(BuildError::SpawnPolicy {
                policy: settings.spawn_policy,
            });
        }
        settings.amount = self.amount.unwrap_or(settings.protocol.usual_amount());
        settings.threads = if asked == 0 {
            default_threads()?
        } else {
            asked
        };
        settings.size = Some(settings.threads);
        settings.threads = settings.threads.max(self.most);
        PoolInner::start(settings)
            .inspect(crate::deadlock::enlist)
            .inspect(crate::pool::follow::start)
            .map(Pool::from_inner)
            .map_err(|failure| BuildError::Spawn {
                started: failure.started,
                source: failure.error,
            })
    }

    /// Starts the [global pool](crate::global) with these settings, before its first use.
    ///
    /// Call this function at the beginning of `main`. A library should not call `build_global`: the choice belongs to the program, and the
    /// call fails if the pool already runs.
    ///
    /// ```
    /// heist::Pool::builder()
    ///     .threads(3)
    ///     .name("app")
    ///     .build_global()?;
    /// assert_eq!(heist::current_threads(), 3);
    /// assert!(heist::Pool::builder().build_global().is_err()); // it runs already
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`BuildError::GlobalPoolAlreadyInitialized`] if the global pool runs already, and otherwise the errors
    /// of [`build`](Self::build). An error does not change the global pool, and the program may try again.
    ///
    /// # Panics
    /// Panics in a [`spawn_handler`](Self::spawn_handler) of the global pool itself.
    pub fn build_global(self) -> Result<(), BuildError> {
        crate::pool::build_global(self)
    }
}

/// Returns the default number of workers of a pool: `HEIST_NUM_THREADS` if the variable is set and not 0. If the variable is not set or 0,
/// the default is the number of CPUs that this process may use according to its affinity and cgroup quota.
///
/// # Errors
/// Returns [`BuildError::Variable`] if `HEIST_NUM_THREADS` is not a number up to [`MAX_THREADS`].
pub fn default_threads() -> Result<usize, BuildError> {
    if let Some(value) = std::env::var_os(VARIABLE) {
        match value.to_str().map(|value| value.trim().parse::<usize>()) {
            Some(Ok(0)) => {}
            Some(Ok(asked)) if asked <= MAX_THREADS => return Ok(asked),
            _ => {
                return Err(BuildError::Variable {
                    value: value.to_string_lossy().into_owned(),
                });
            }
        }
    }
    // The count of `std` already considers the affinity mask and cgroup v1/v2 quotas.
    Ok(std::thread::available_parallelism().map_or(1, usize::from))
}
