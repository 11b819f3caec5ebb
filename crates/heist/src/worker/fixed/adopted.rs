//! Threads of the program that temporarily act as workers.
//!
//! Thieves look at the thread-local words of every worker. The threads that a pool starts release their thread-local words only when all of
//! these threads have stopped looking for work. An adopted thread may end earlier, and it may continue to look after the pool's own threads
//! have ended. So in a pool with an adopted thread, each thread that looks at the words of other workers counts itself during the look
//! (`Lookers`). Every ending thread, adopted or not, first withdraws its words, and waits for the end of all looks that may have found
//! these words.

use crate::platform::is_initial_thread;
use crate::worker::local::local;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::{Context, WorkerThread};
use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::thread;

/// Counts the threads that now look at the words of other threads, in a pool in which a worker may end before the other workers.
#[derive(Debug, Default)]
pub(in crate::worker) struct Lookers {
    /// True if the pool has a worker that may end before the other workers. In other pools, threads do not count their looks.
    counted: AtomicBool,
    /// The index (modulo 2) of the count that new looks use. No new look uses the other count, so it reaches 0 even if many threads look.
    current: AtomicU64,
    counts: [AtomicU64; 2],
}

/// A guard of a look at the words of other workers. The words that the look finds remain valid while the guard exists.
pub(in crate::worker) struct Look<'a>(Option<&'a AtomicU64>);

impl Drop for Look<'_> {
    fn drop(&mut self) {
        if let Some(count) = self.0 {
            // Release pairs with the SeqCst load in `wait`: all reads of this look come before the
            // end of the wait.
            count.fetch_sub(1, Ordering::Release);
        }
    }
}

impl Lookers {
    #[inline]
    pub(in crate::worker) fn look(&self) -> Look<'_> {
        if !self.are_counted() {
            return Look(None);
        }
        let count = &self.counts[(self.current.load(Ordering::Relaxed) % 2) as usize];
        // SeqCst: `PoolInner::victim` reads a worker's `has_words` after this addition. Consider the total order of this addition, the
        // store of that flag in `PoolInner::withdraw_words`, and the loads in `wait`. Either this addition comes first, and `wait` sees it,
        // or this thread sees the flag cleared.
        count.fetch_add(1, Ordering::SeqCst);
        Look(Some(count))
    }

    /// Returns true if a worker of the pool may end before the other workers.
    pub(in crate::worker) fn are_counted(&self) -> bool {
        // Relaxed: the flag is set before there are other threads.
        self.counted.load(Ordering::Relaxed)
    }

    /// Waits until all looks that began before this call have ended.
    pub(in crate::worker) fn wait(&self) {
        // Waits for both counts, one after the other, because a thread that has read an old `current` may still add to the old count.
        for _ in 0..2 {
            let old = self.current.fetch_add(1, Ordering::SeqCst);
            while self.counts[(old % 2) as usize].load(Ordering::SeqCst) > 0 {
                thread::yield_now();
            }
        }
    }
}

/// A thread-local guard. When the thread ends, the drop of this value detaches the thread from its pool.
struct End(Cell<bool>);

thread_local! {
    static END: End = const { End(Cell::new(false)) };
}

impl Drop for End {
    fn drop(&mut self) {
        // The words of the initial thread stay valid until the process ends, and the process ends now.
        if self.0.get() && !is_initial_thread() {
            leave();
        }
    }
}

/// Makes the current thread the first worker of `pool`. The thread runs jobs of the pool only while it waits. If the pool has a fixed
/// number of threads, the thread stays a worker until the thread ends. Otherwise the thread stays a worker until it
/// [closes](PoolInner::close) the pool.
///
/// # Errors
/// Returns an error if there is no memory for the worker's deques.
pub(in crate::worker) fn adopt(pool: &Arc<PoolInner>) -> io::Result<()> {
    let local = local();
    assert!(
        local.worker().is_none(),
        "heist: this thread is a worker already"
    );
    pool.lookers.counted.store(true, Ordering::Relaxed);
    let worker = match WorkerThread::for_current_thread(pool, 0, 0, local) {
        Ok(mut worker) => {
            worker.adopted = true;
            pool.enlist(worker)
                .unwrap_or_else(|| unreachable!("a pool does not end before it begins"))
        }
        Err(error) => {
            let again = io::Error::new(error.kind(), error.to_string());
            pool.lose(0, 0, again, false);
            return Err(error);
        }
    };
    pool.count_adopted();
    local.attach(&worker.forks, worker.protocol.sharing());
    // The fence makes sure that a signal handler that finds the worker also finds all data that
    // belongs to the worker.
    compiler_fence(Ordering::SeqCst);
    local.worker.set(worker);
    // While the thread is a worker, its stack is never empty, because the program's code is on it.
    local.context.set(Context::ELSEWHERE);
    // The thread does not search, and a closing pool does not wait for the thread's work outside of the pool.
    worker.activity.end();
    pool.idle.stop_searching(&**pool);
    if pool.settings.wait_policy.keeps_adopted_threads() {
        END.with(|end| end.0.set(true));
        // The words of this thread point to the worker until the thread ends, so the worker's pool must live
        // until then.
        std::mem::forget(Arc::clone(pool));
    }
    Ok(())
}

impl WorkerThread {
    /// Counts the adopted thread as a worker that looks for work. The thread calls this function after its closure has ended and before it
    /// closes the pool. Otherwise another worker could find too early that no work is left.
    pub(in crate::worker) fn begin_to_end(&self) {
        self.activity.begin();
        self.pool().idle.start_searching();
    }

    /// Runs the remaining work of the closing pool, as the pool's other workers do. Then detaches the thread from the pool, so that the
    /// thread is not a worker any more.
    pub(in crate::worker) fn end_here(&self) {
        let (local, pool) = (local(), self.pool());
        local.context.set(Context::BASE);
        // Runs the jobs that the closure has left in this worker's own deques, because a search looks only
        // into the deques of other workers.
        self.run_own(local);
        self.work(local);
        pool.wake_to_end();
        pool.withdraw_words(self);
        local.detach();
    }
}

/// Ends the work of an adopted thread as a worker, because the thread is about to end. The function first gives the tasks of the worker's
/// deques to the injector.
fn leave() {
    let local = local();
    let Some(worker) = local.worker() else {
        return;
    };
    let pool = worker.pool();
    while let Some(task) = worker.pop_task(local, 0).or_else(|| worker.oldest_ready()) {
        pool.inject_job(crate::worker::queue::job::Job::Run(task));
    }
    pool.withdraw_words(worker);
    local.detach();
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::Lookers;
    use std::sync::atomic::Ordering;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_wait_ends_after_earlier_looks_and_ignores_later_ones() {
        let lookers = Lookers::default();
        lookers.counted.store(true, Ordering::Relaxed);
        let look = lookers.look();
        thread::scope(|scope| {
            let wait = scope.spawn(|| lookers.wait());
            thread::sleep(Duration::from_millis(10));
            assert!(!wait.is_finished());
            drop(look);
        });
        drop(lookers.look());
        lookers.wait();
    }
}
