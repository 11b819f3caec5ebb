//! Task parallelism by work stealing, for irregular work and for programs that wait.
//!
//! Say what *may* run at the same time; idle workers take it. A fork that nobody steals becomes a plain
//! call that costs about 3 ns more, so most programs need no grain size.
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
//! That used the [global pool](global): a worker for each CPU that this process may use. Nothing has
//! to be set up. A [`Pool`] of your own is for other numbers of threads, names, stacks, pinning or
//! handlers; [`Pool::install`] runs a closure in it, and everything the closure forks stays there.
//!
//! # Which function when
//!
//! | you have | use | because |
//! | --- | --- | --- |
//! | two pieces of work | [`join`] | two results, always stealable, about 3 ns |
//! | two to twelve expressions | [`par!`] | `join`, nested for you |
//! | a slice to sort | [`par::ParSort`] | the standard library's sorts, on all workers |
//! | very small pieces, none of which waits for another | [`join_hint`] | leaves the fork out while there is enough to steal |
//! | a number of tasks known only as you go, with borrows | [`finish`] and [`Finish::spawn`] | waits for all, at the end; tasks may spawn |
//! | the same, but each task runs at once and the spawner can be stolen | [`finish_with`] | program order, little space; needs fibers |
//! | tasks of a scope, oldest first | [`finish_fifo`] | tasks start in the order of their spawns |
//! | the same, with a body that is not `Send` | [`finish_in_place`] | the body stays on this thread |
//! | tasks some of which are too small | [`Finish::spawn_seq`] | runs in place if the condition holds |
//! | a `'static` task whose result is wanted later | [`spawn`] | gives a [`JoinHandle`], to be joined or awaited, in any executor |
//! | a `'static` task that nobody waits for | [`spawn_detached`] | its panic goes to [`Builder::panic_handler`] |
//! | a growing set of items: graph searches, fixpoints | [`worklist`] | each item once, or cheaper, at least once |
//! | tasks that wait for each other, or for anything else | [`spawn_async`], [`Finish::spawn_async`] | they hold no thread meanwhile |
//! | the same as closures | [`spawn_fiber`] | a stack each; `unsafe` to ask for; they may stay on a thread ([`Fibers::pinned`]) |
//! | values that are there later, tasks in step, locks, channels | [`sync`] | closures, async tasks, fibers and outside threads can wait |
//! | something once on every worker | [`Pool::broadcast`] | results in the order of the workers |
//!
//! # What is guaranteed
//!
//! - **A fork can always be stolen** while there is a second worker that is not blocked: also when its
//!   worker never forks again, or sleeps in a system call. So the left side of a `join` may wait
//!   for the right side. The other way round it cannot be promised: if nobody steals, the right side
//!   begins when the left one has ended. [`join_hint`] promises neither.
//! - **A waiter runs only what it waits for**: a `join`, descendants of its stolen side; a scope, its own
//!   tasks; a [`JoinHandle`], its task. So what a waiting closure holds (a lock, a borrowed cell) is
//!   never asked for by something unrelated on the same thread. The exception is to be asked for: in a
//!   pool with [pinned fibers](Fibers::pinned) these run on top of whatever waits on their thread.
//! - **No core idles because of a waiter.** With nothing of its own to run, it gives its worker's place to
//!   a spare thread, and goes on at once when what it waits for is done.
//! - **Stacks are as deep as the program's recursion**, on every schedule. Tasks that spawn tasks do
//!   not deepen them.
//! - **A closure ends on the thread on which it began**, but for fibers that are not pinned, and for bodies and tasks
//!   of [work-first](policy::SpawnPolicy) scopes.
//! - **Panics are deterministic.** Of several in a `join` the left one wins; of several in a scope, the
//!   first that the serial elision would have met, in which each task runs at the place of its spawn. (Not ordered: tasks spawned through one handle from both sides of a `join`, and
//!   nestings so deep that a place needs more than 128 bits.) All else is awaited or dropped, never
//!   leaked, and the pool goes on.
//! - **Dropping a pool** finishes what was given to it, suspended tasks too, and joins its threads.
//! - **After `fork()`** (Unix), a child that uses a pool of its parent gets a panic that says so, and
//!   a task that returns to its pool there aborts the child. A new pool works.
//!
//! # Blocking
//!
//! An async task or a fiber that waits gives its worker back, a fiber at the end of a [`finish`] too, but not inside a
//! [`join`] of its own. A closure that waits through Heist gives its place to a spare thread ([`Builder::spare_threads`]). One that blocks in the operating system
//! (a channel, a mutex, I/O) holds its worker, as the pool cannot see it; others take what it left in
//! its deque. Give such programs more workers than waits that happen at a time.
//!
//! # Deadlocks
//!
//! If nothing can run any more, but something waits, that is found out within a second. A report goes to
//! stderr, or to [`Builder::deadlock_handler`]: what is waited for and where it was made, by whom (async tasks,
//! fibers with their names, closures on workers, threads outside), and where. Then all waits for constructs of
//! [`sync`], in [`block_on`] and in [`JoinHandle::join`] panic with a line that names what they waited for, so that the
//! program ends, or goes on, and does not hang. (If none of these is among them, it aborts.) The example `deadlocks` shows
//! a dozen of them.
//!
//! There are no false reports: the process must consist of nothing but workers without work and threads that wait through
//! Heist. So a deadlock is **not** reported while any other thread is alive, whatever it does, nor if the main thread
//! waits in another way, as it does in the tests of `cargo test`; nor among some of the tasks while others can still run. Only
//! Linux tells what this needs. A program all of whose threads wait for a *signal handler* to wake one of them would be
//! reported wrongly.
//!
//! # What it costs
//!
//! - `join` that nobody steals: a few plain loads and stores and two comparisons more than the calls; no
//!   atomic read-modify-write, no fence, no allocation: about 3 ns. The repository's `docs/performance.md`
//!   has all figures, with the commands that measure them.
//! - [`Finish::spawn`]: 10 to 20 ns, no allocation in the steady state if the closure is not
//!   larger than about 80 bytes.
//! - A suspending task: an allocation of some 200 bytes (a stack more if it is a fiber); to wait and be woken, two atomic
//!   read-modify-writes and those of the construct.
//! - A steal: a compare-and-swap; the first one from a busy victim, about as long as the victim takes to
//!   its next fork, or a `membarrier` system call if it takes too long.
//! - A worker: a thread with its stack (8 MiB unless asked otherwise) and its deques. All are reserved
//!   address space, of which only what is touched takes memory.
//! - Looking for deadlocks: two wake-ups a second of the main thread while it waits through Heist, and
//!   some microseconds each time; 16 bytes a suspending task.
//! - An idle pool: nothing. Workers search for up to 50 us ([`IdlePolicy`]), then sleep.
//!
//! # Seeing what happens
//!
//! - [`Pool::counters`]: totals of steals, exposures, sleeps and so on; always on.
//! - [`Pool::start_trace`]: a [trace] of what each thread ran, stole and waited for, as a picture for
//!   <https://ui.perfetto.dev>. While off it costs a load and a branch at each slow path, and nothing on that of a fork.
//! - The cargo feature `tracing`: *spans follow work*. With a subscriber of the crate [`tracing`](https://docs.rs/tracing)
//!   set, what another worker runs (stolen right sides, tasks, closures given to a pool, each poll of an async task or a
//!   fiber) is inside the span that was current where it was forked or spawned, and leaves it when it ends, by a panic too.
//!   A right side that nobody steals enters nothing: it runs on its own thread, where the span is current. Each fork
//!   then looks for the current span (tens of nanoseconds). If no subscriber is set, that is one relaxed load; without
//!   the feature it is nothing. The subscriber should be that of the process: one set for a thread alone hears of what
//!   others run that they enter its spans, but of none of their events. Tasks of [work-first](policy::SpawnPolicy) scopes
//!   are left in whatever spans they meet, since they go on on other threads in between. Work forked where no span was current runs in
//!   whatever spans the thread is in that waits for it.
//!
//! # Environment
//!
//! | variable | meaning |
//! | --- | --- |
//! | `HEIST_NUM_THREADS` | workers of pools that ask for no number; 0 or unset: as many as affinity and cgroup quota allow |
//! | `HEIST_NO_MEMBARRIER` | set to anything: do without the asymmetric fence |
//!
//! # Platforms
//!
//! Linux has the asymmetric fence (`membarrier`, since 4.14) on which the cheap fork rests. Where it is
//! missing ([`asymmetric_fence_available`] tells), every join takes a short lock; the guarantees are the
//! same. A process that has threads already when it builds its first pool begins without, and has it some 60 ms later: to
//! register takes the kernel 8 to 18 ms then, for which nobody waits. Pinning works on Linux only, the check for `fork()` on Unix. 32-bit targets are not supported.
//! The minimum Rust version is 1.85.

mod builder;
mod deadlock;
pub mod embed;
mod error;
// Without a way to switch stacks, the same interface, which says so.
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
mod spans;
mod spawn;
mod suspend;
pub mod sync;
mod task;
mod thread_start;
pub mod trace;
mod waiting;
mod worker;
pub mod worklist;

pub use builder::{Builder, Fibers, IdlePolicy, MAX_STACK, MAX_THREADS, default_threads};
pub use deadlock::{DeadlockReport, Stuck, WaiterKind, Waiters};
pub use error::BuildError;
pub use finish::{Finish, finish, finish_fifo, finish_in_place, finish_in_place_fifo, finish_with};
pub use join::{join, join_hint};
pub use platform::{allowed_cpus, asymmetric_fence_available, ticks_per_second};
pub use pool::{Pool, current_threads, current_worker_index, global};
pub use spawn::{JoinHandle, Outcome, spawn, spawn_detached};
pub use suspend::block_on;
pub use sync::{spawn_async, spawn_fiber, spawn_named_fiber};
pub use thread_start::ThreadStart;
pub use worker::{Counters, Latencies};

#[cfg(doctest)]
mod pages;
