//! Task parallelism by work stealing, for irregular work and for programs that wait.
//!
//! A program marks work that *may* run in parallel, and idle workers steal it. A fork that no worker steals becomes a plain call that
//! costs about 3 ns more, so most programs need no grain size.
//!
//! # Quick start
//!
//! ```
//! fn depth(tree: &Tree) -> u32 {
//!     match tree {
//!         Tree::Leaf => 0,
//!         Tree::Node(left, right) => {
//!             let (l, r) = heist::join(|| depth(left), || depth(right));
//!             1 + l.max(r)
//!         }
//!     }
//! }
//! enum Tree { Leaf, Node(Box<Tree>, Box<Tree>) }
//!
//! let leaf = || Box::new(Tree::Leaf);
//! let tree = Tree::Node(leaf(), Box::new(Tree::Node(leaf(), leaf())));
//! assert_eq!(depth(&tree), 2);
//! ```
//!
//! The example runs in the [global pool](global). The global pool needs no setup, and has a worker for each CPU that this process may use.
//! Build a [`Pool`] of your own to choose the number of threads, names, stacks, pinning or handlers. [`Pool::install`] runs a closure in
//! your pool, and all work that the closure forks also runs in this pool.
//!
//! # Which function when
//!
//! | you have | use | note |
//! | --- | --- | --- |
//! | two pieces of work | [`join`] | two results, always stealable, about 3 ns |
//! | two to twelve expressions | [`par!`] | nested `join`s |
//! | a loop over a slice, vector, range or string | [`par`](mod@par) | like an iterator, no grain size |
//! | sorting a slice | [`par::ParSort`] | the standard library's sorts, on all workers |
//! | very small pieces, none of which waits for another | [`join_hint`] | omits the fork while there is enough to steal |
//! | any number of tasks, which may borrow | [`finish`] and [`Finish::spawn`] | waits for all tasks at the end; tasks may spawn |
//! | tasks that run immediately; thieves can steal the rest of the spawner | [`finish_with`] | program order, little space; needs fibers |
//! | tasks of a scope, oldest first | [`finish_fifo`] | tasks start in the order of their spawns |
//! | a scope whose body is not `Send` | [`finish_in_place`] | the body stays on the calling thread |
//! | tasks that may be too small to be worth a spawn | [`Finish::spawn_seq`] | runs in place if a condition is true |
//! | a `'static` task whose result is needed later | [`spawn`] | returns a [`JoinHandle`], to be joined, or awaited in any executor |
//! | a `'static` task without a handle | [`spawn_detached`] | its panic goes to [`Builder::panic_handler`] |
//! | a growing set of items: graph searches, fixpoints | [`worklist`] | runs each item once, or more cheaply at least once |
//! | tasks that wait for each other, or for other events | [`spawn_async`], [`Finish::spawn_async`] | occupy no thread while they wait |
//! | closures that wait without occupying a thread | [`spawn_fiber`] | each fiber has a stack; `unsafe` to enable; see [`Fibers::pinned`] |
//! | values that are set later, barriers, locks, channels | [`sync`] | closures, async tasks, fibers and outside threads can wait |
//! | branches that look for one result, or a search tree | [`race`](race()), [`race_hint`] | the first `Some` cancels all other branches |
//! | work that may have to be stopped, or has a time limit | [`cancellable`], [`with_timeout`] | cancels a tree of work and its waits |
//! | waiting for a time, or with a time limit | [`sleep`], [`timeout`], [`interval`] | one timer for the process; no second runtime |
//! | running a closure once on every worker | [`Pool::broadcast`] | results in the order of the workers |
//!
//! # Guarantees
//!
//! - **A fork can always be stolen** while the pool has a second worker that is not blocked. A thief can steal the fork even if the forking
//!   worker never forks again or sleeps in a system call. So the left side of a `join` may wait for the right side. The right side must not
//!   wait for the left side: if no worker steals the right side, it begins only when the left side has ended. After [`join_hint`], neither
//!   side may wait for the other.
//! - **A waiter runs only the work for which it waits**: a `join` runs descendants of its stolen side, a scope runs
//!   its own tasks, and a [`JoinHandle`] runs its task. So unrelated work on the same thread never needs a lock or a
//!   borrowed cell that a waiting closure holds. There are two exceptions. [Pinned fibers](Fibers::pinned) run while
//!   any closure waits on their thread. A [start](Builder::start_handler) or [spawn handler](Builder::spawn_handler)
//!   that waits may run any task of its pool. (Pools of the module [`embed`] have rules of their own.)
//! - **No core idles because of a waiter.** If a waiter has no work to run, it gives its worker's slot to a
//!   spare thread. The waiter continues immediately when its wait is over.
//! - **Stacks are as deep as the program's recursion**, on every schedule. Tasks that spawn tasks do
//!   not deepen the stacks.
//! - **A closure ends on the thread on which it began.** The exceptions are unpinned fibers, and the bodies and tasks
//!   of [work-first](policy::SpawnPolicy) scopes.
//! - **Panics are deterministic.** If both sides of a `join` panic, the left panic wins. If several tasks of a scope panic, the first panic
//!   in the order of the serial elision wins. (In the serial elision, each task runs at the place of its spawn. Two kinds of tasks have no
//!   fixed position in this order: tasks that both sides of a `join` spawn through one handle, and tasks nested so deep that their position
//!   needs more than 128 bits.) After a panic, the call waits for all other work or drops it, and leaks nothing. The pool remains usable.
//! - **Dropping a pool** waits for its tasks, including suspended tasks, and joins its threads.
//! - **After `fork()`** (Unix), the child process panics if it uses the parent's pool. The message says that the pool belongs to the
//!   parent. If a task forked the process, and its closure returns to the pool in the child, the child aborts. A new pool works in the
//!   child.
//!
//! # Blocking
//!
//! An async task or a fiber that waits frees its worker. A fiber that waits at the end of a [`finish`] also frees its worker, but a fiber
//! that waits inside of its own [`join`] does not. A closure that waits through Heist gives its worker's slot to a spare thread
//! ([`Builder::spare_threads`]). A closure that blocks in the operating system (on a channel, a mutex, I/O) occupies its worker, because
//! the pool cannot see the wait. Other workers take the work from this worker's deque. Put such a wait into [`blocking`]: then another
//! thread takes the worker's slot until the closure returns.
//!
//! # Deadlocks
//!
//! If no thread can continue while some threads or tasks wait, Heist reports the deadlock within a second, on stderr or to the
//! [`Builder::deadlock_handler`]. The report names the constructs for which code waits, and the places where these constructs were created.
//! The report also lists the waiters (async tasks, fibers with their names, closures on workers, other threads), and the places where they
//! wait. After the report, all waits for constructs of [`sync`], in [`block_on`] and in [`JoinHandle::join`] panic, with a message that
//! names the construct. So the program ends or continues instead of hanging. (If all waits are of other kinds, the process aborts.) The
//! example `deadlocks` shows a dozen deadlocks.
//!
//! Heist reports only if all threads of the process are workers without work, or threads that wait through Heist. So a report is false in
//! only one case: all threads of a program wait, and a *signal handler* is going to wake one of them. Heist does **not** report a deadlock
//! in three cases: the main thread waits without Heist (as in the tests of `cargo test`), another thread runs or waits without Heist, or
//! some tasks can still run. Only Linux provides the information that the check for deadlocks needs.
//!
//! # Costs
//!
//! - Compared with two calls, a `join` takes a few more plain loads and stores, and two comparisons, as long as no worker has requested
//!   work. A `join` without such a request takes about 3 ns, and has no atomic read-modify-write, no fence and no allocation. If a worker
//!   has requested work, but none has stolen the right side, the `join` may take a lock and a compare-and-swap. Without an [asymmetric
//!   fence](asymmetric_fence_available), every `join` takes a short lock. The repository's `docs/performance.md` has all figures, with the
//!   commands that measure them.
//! - A [`Finish::spawn`] takes 10 to 20 ns. In the steady state, a spawn of a closure of up to about 80 bytes does not allocate.
//! - A suspending task takes an allocation of about 240 bytes (and a stack if it is a fiber). A wait and its wake-up
//!   take two atomic read-modify-writes, plus the operations of the construct.
//! - A steal takes a compare-and-swap. The first steal from a busy victim waits until the victim forks. If the victim does not fork within
//!   several microseconds, the thief makes a `membarrier` system call instead.
//! - A worker is a thread with its stack (8 MiB by default) and its deques. Stack and deques are
//!   reserved address space: only the pages that are used take memory.
//! - While the main thread waits through Heist, the check for deadlocks wakes this thread twice a second, for several microseconds. The
//!   check also takes 16 bytes for each suspending task.
//! - An idle pool costs nothing. Workers search for up to 50 us ([`IdlePolicy`]), then sleep.
//!
//! # Seeing what happens
//!
//! - [`Pool::counters`] returns totals of steals, exposures, sleeps and so on; the counters are
//!   always on.
//! - [`Pool::start_trace`] starts a [trace], which records what each thread runs, steals and waits for. <https://ui.perfetto.dev> shows the
//!   trace as a picture. While no trace is on, tracing costs a load and a branch on each slow path, and nothing on the path of a fork.
//! - With the cargo feature `tracing`, *spans follow work*. If a subscriber of the crate [`tracing`](https://docs.rs/tracing) is set, work
//!   that may run on another thread enters the span in which it was forked or spawned, and leaves the span when the work ends or panics.
//!   Work that may run on another thread is a stolen right side, a task, a closure given to a pool, or a poll of an async task or a fiber.
//!   A right side that no worker steals enters no span, because the thread of the fork is already inside that span. With a subscriber, each
//!   fork looks up the current span, which takes tens of nanoseconds. Without a subscriber, a fork costs one more relaxed load; without the
//!   feature, a fork costs nothing more. Set the subscriber for the whole process. A subscriber that is set for a single thread sees other
//!   threads enter its spans, but does not see the events of these threads. Tasks of [work-first](policy::SpawnPolicy) scopes run in the
//!   current spans of their threads, because these tasks move between threads. Work that was forked outside of all spans runs in the
//!   current spans of the thread that executes this work.
//!
//! # Environment
//!
//! | variable | meaning |
//! | --- | --- |
//! | `HEIST_NUM_THREADS` | default number of workers; if 0 or unset, affinity and cgroup quota determine the number |
//! | `HEIST_NO_MEMBARRIER` | any value turns the asymmetric fence off |
//!
//! # Platforms
//!
//! Linux has the asymmetric fence (`membarrier`, since 4.14), which makes forks cheap. Without the fence ([`asymmetric_fence_available`]
//! returns false), every join takes a short lock; the guarantees are the same. If a process has several threads when it builds its first
//! pool, the process begins without the fence, and gets the fence about 60 ms later. The kernel takes 8 to 18 ms to register the process,
//! and no thread waits for the registration. Pinning works only on Linux, and the check for `fork()` only on Unix.
//!
//! CI runs the tests on Linux on x86-64. CI also compiles Heist for Linux on AArch64 and on 32-bit x86, for macOS, Windows, FreeBSD and
//! WebAssembly. WebAssembly has no threads of its own. On WebAssembly, the thread that first uses the [global pool](global) is the pool's
//! only worker, and runs tasks while it waits for tasks. Other pools cannot be built on WebAssembly.
//!
//! The minimum Rust version is 1.85.

mod cancel;
mod cancellable;
mod deadlock;
pub mod embed;
// On platforms without a way to switch stacks, `absent.rs` has the same interface, and reports that there are no fibers.
#[cfg_attr(
    not(all(
        unix,
        not(miri),
        any(
            target_arch = "x86",
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "loongarch64"
        )
    )),
    path = "fiber/absent.rs"
)]
mod fiber;
mod finish;
mod join;
mod latch;
pub mod par;
mod park;
mod platform;
pub mod policy;
mod pool;
mod race;
pub mod rayon;
mod spans;
mod spawn;
mod suspend;
pub mod sync;
mod task;
mod timer;
pub mod trace;
mod waiting;
mod worker;
pub mod worklist;

pub use cancel::{Cancelled, is_cancelled};
pub use cancellable::{CancelToken, cancellable, check_cancelled, with_deadline, with_timeout};
pub use finish::{Finish, finish, finish_fifo, finish_in_place, finish_in_place_fifo, finish_with};
pub use join::{join, join_hint, try_join};
pub use platform::{allowed_cpus, asymmetric_fence_available, ticks_per_second};
pub use pool::{
    BuildError, Builder, Fibers, Idle, IdlePolicy, MAX_STACK, MAX_THREADS, Pool, current_threads,
    current_worker_index, default_threads, global,
};
pub use race::{race, race_all, race_hint, race_ok, try_race, try_race_hint};
pub use spawn::{JoinHandle, Priority, WithPriority, spawn, spawn_detached, with_priority};
pub use suspend::{block_on, blocking, yield_now};
pub use sync::{spawn_async, spawn_fiber, spawn_named_fiber};
pub use timer::{
    Elapsed, Interval, Sleep, Timeout, interval, sleep, sleep_until, timeout, timeout_at,
};
pub use waiting::{DeadlockReport, Stuck, WaiterKind, Waiters};
pub use worker::ThreadStart;
pub use worker::{Counters, Latencies};

#[cfg(doctest)]
mod pages;
