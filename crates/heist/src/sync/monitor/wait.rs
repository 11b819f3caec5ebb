//! Waits at a monitor.

use super::queue::{Queue, Stage, Waiter};
use super::{Guard, Locked};
use crate::suspend::{block_on, is_own, note_wait, still_waits};
use crate::timer::{Elapsed, timeout};
use crate::waiting::{Reason, Site};
use std::fmt;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A question about a state that a lock protects; a waiter can wait for its answer.
pub(crate) trait Condition {
    /// Whether queues are ordered by tag, and by arrival only among equal tags.
    const BY_TAG: bool = false;

    /// The state that the lock protects.
    type State;
    /// Result of a wait.
    type Output;

    /// Called before anything else, on the thread and on behalf of the task that polls the wait first.
    fn begin(&mut self) {}

    /// The lock.
    fn state(&self) -> &Locked<Self::State>;

    /// The construct's name, and where it was made.
    fn construct(&self) -> (&'static &'static str, &'static Location<'static>);

    /// Takes the awaited value, if it is there. Otherwise the waiter is queued with the tag.
    fn attempt(&mut self, state: &mut Self::State) -> Result<Self::Output, u64>;

    /// Called after the waiter was queued, with the lock free. Returns true if this may have made the condition true.
    fn announce(&mut self) -> bool {
        false
    }

    /// After it was queued as one of several waiters of a choice: serves the waiters that its other waiters have kept waiting.
    fn queued(&mut self, state: Guard<'_, Self::State>) {
        drop(state);
    }

    /// After an attempt that was successful: serves the waiters for which it has made the condition true.
    fn pass_on(&mut self, state: Guard<'_, Self::State>) {
        drop(state);
    }

    /// Queue of the waiters.
    fn queue<'s>(&self, state: &'s mut Self::State) -> &'s mut Queue;

    /// The output for a waiter that has been served.
    fn served(&mut self) -> Self::Output;

    /// A waiter that has been served gives up its share.
    fn forfeit(&mut self);

    /// A waiter with this tag, which has not been served, has left the queue.
    fn leave(&mut self, state: Guard<'_, Self::State>, tag: u64) {
        let _ = tag;
        drop(state);
    }
}

/// The future of a wait. Nothing happens before the first poll; dropping it gives up.
#[must_use = "a wait does nothing unless it is awaited"]
pub(crate) struct Wait<C: Condition> {
    condition: C,
    began: &'static Location<'static>,
    waiter: Waiter,
}

impl<C: Condition> fmt::Debug for Wait<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (construct, made) = self.condition.construct();
        f.debug_struct("Wait")
            .field("construct", &construct)
            .field("made", &made)
            .field("stage", &self.waiter.stage)
            .finish_non_exhaustive()
    }
}

impl<C: Condition> Wait<C> {
    #[track_caller]
    pub(crate) fn new(condition: C) -> Self {
        Wait::at(condition, Location::caller())
    }

    /// A wait that began there.
    pub(crate) fn at(condition: C, began: &'static Location<'static>) -> Self {
        Wait {
            condition,
            began,
            waiter: Waiter::new(),
        }
    }

    pub(crate) fn condition(&self) -> &C {
        &self.condition
    }

    /// Waits here and now.
    #[inline]
    pub(crate) fn block(self) -> C::Output {
        block_on(self)
    }

    /// Waits here and now, for at most that time. Afterwards the wait is out of the queue, and `late` computes the result from the
    /// condition.
    pub(crate) fn block_for<R>(
        self,
        limit: Duration,
        late: impl FnOnce(&mut C) -> R,
    ) -> Result<C::Output, R> {
        let mut wait = pin!(self);
        match block_on(timeout(limit, wait.as_mut())) {
            Ok(output) => Ok(output),
            Err(Elapsed) => wait.give_up().map_err(late),
        }
    }

    /// Ends the wait, served or not. Returns the condition if it was not.
    fn give_up(self: Pin<&mut Self>) -> Result<C::Output, &mut C> {
        // SAFETY: the waiter is not moved; nothing else is pinned.
        let this = unsafe { self.get_unchecked_mut() };
        let queued = this.waiter.stage.replace(Stage::Over) == Stage::Queued;
        if queued && !this.withdraw() {
            return Ok(this.condition.served());
        }
        Err(&mut this.condition)
    }

    /// Takes the waiter, which was queued, out of the queue. False if it has been served.
    fn withdraw(&mut self) -> bool {
        if self.waiter.is_served() {
            return false;
        }
        let lock: *const Locked<C::State> = self.condition.state();
        // SAFETY: the condition keeps the lock in place for as long as it lives, apart from the borrow of it that `leave` needs.
        let mut state = unsafe { &*lock }.lock();
        if self.waiter.is_served() {
            return false;
        }
        // SAFETY: queued and not served, under the lock.
        let (waker, tag) = unsafe { self.condition.queue(&mut state).remove(&self.waiter) };
        self.condition.leave(state, tag);
        drop(waker);
        true
    }

    fn tell(&self) {
        let (construct, made) = self.condition.construct();
        let waits = self.began;
        note_wait(Reason::Construct(Site {
            construct,
            made,
            waits,
        }));
    }

    /// The site of the wait, if its event has not come yet.
    pub(crate) fn site(&self) -> Option<Site> {
        if self.waiter.stage.get() != Stage::Queued || self.waiter.is_served() {
            return None;
        }
        let (construct, made) = self.condition.construct();
        Some(Site {
            construct,
            made,
            waits: self.began,
        })
    }
}

impl<C: Condition> Future for Wait<C> {
    type Output = C::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<C::Output> {
        // SAFETY: the waiter is pinned below and not moved; nothing else is pinned.
        let this = unsafe { self.get_unchecked_mut() };
        match this.waiter.stage.get() {
            Stage::Idle => {
                this.condition.begin();
                let lock: *const Locked<C::State> = this.condition.state();
                // SAFETY: the condition keeps the lock in place for as long as it lives, and gives
                // the same one always; apart from the borrow of `condition` that `attempt` needs.
                let mut state = unsafe { &*lock }.lock();
                match this.condition.attempt(&mut state) {
                    Ok(output) => {
                        this.condition.pass_on(state);
                        this.waiter.stage.set(Stage::Over);
                        return Poll::Ready(output);
                    }
                    Err(tag) => {
                        // The clone of a foreign waker may come back to this construct: not under the lock.
                        let own = is_own(context.waker());
                        let waker = own.then(|| context.waker().clone());
                        // SAFETY: the waiter is part of a pinned future, whose drop takes it out.
                        // Until it is served only queue methods touch it, below and in `drop`.
                        unsafe {
                            let queue = this.condition.queue(&mut state);
                            let waiter = Pin::new_unchecked(&mut this.waiter);
                            if C::BY_TAG {
                                queue.insert(waiter, waker, tag);
                            } else {
                                queue.push(waiter, waker, tag);
                            }
                        }
                        this.waiter.stage.set(Stage::Queued);
                        drop(state);
                        let announced = this.condition.announce();
                        if !own && this.renew(context.waker())
                            || announced && this.waiter.is_served()
                        {
                            this.waiter.stage.set(Stage::Over);
                            return Poll::Ready(this.condition.served());
                        }
                    }
                }
            }
            Stage::Queued => {
                if !this.waiter.is_served() && !this.renew(context.waker()) {
                    still_waits(|| this.site());
                    this.tell();
                    return Poll::Pending;
                }
                this.waiter.stage.set(Stage::Over);
                return Poll::Ready(this.condition.served());
            }
            Stage::Over => panic!("heist: a wait was polled after it had ended"),
        }
        this.tell();
        Poll::Pending
    }
}

impl<C: Condition> Wait<C> {
    /// Still queued: takes the newer waker. True if it has been served meanwhile.
    fn renew(&mut self, waker: &Waker) -> bool {
        let mut state = self.condition.state().lock();
        if self.waiter.is_served() {
            return true;
        }
        // SAFETY: queued and not served, under the lock.
        if unsafe {
            self.condition
                .queue(&mut state)
                .will_wake(&self.waiter, waker)
        } {
            return false;
        }
        drop(state);
        // The clone may be foreign code, which may come back to this construct and serve this waiter.
        let waker = waker.clone();
        let mut state = self.condition.state().lock();
        let old = if self.waiter.is_served() {
            Err(waker)
        } else {
            // SAFETY: queued and not served, under the lock.
            Ok(unsafe { self.condition.queue(&mut state).renew(&self.waiter, waker) })
        };
        drop(state);
        // Here each is dropped with the lock free.
        old.is_err()
    }
}

impl<C: Condition> Drop for Wait<C> {
    fn drop(&mut self) {
        if self.waiter.stage.get() == Stage::Queued && !self.withdraw() {
            self.condition.forfeit();
        }
    }
}

/// Number of wakers that are called between two locks.
const BATCH: usize = 32;

/// Serves waiters for as long as `next` takes them out, and wakes them while the lock is free.
pub(crate) fn serve_all<S>(lock: &Locked<S>, next: impl FnMut(&mut S) -> Option<Waker>) {
    serve_more(lock, lock.lock(), next);
}

/// [`serve_all`], by a thread that holds the lock already.
#[inline]
pub(crate) fn serve_more<'a, S>(
    lock: &'a Locked<S>,
    mut state: Guard<'a, S>,
    mut next: impl FnMut(&mut S) -> Option<Waker>,
) {
    // Mostly there is one or none.
    let Some(first) = next(&mut state) else {
        return;
    };
    match next(&mut state) {
        None => {
            drop(state);
            ring(first);
        }
        Some(second) => serve_many(lock, state, [first, second], &mut next),
    }
}

#[inline(never)]
fn serve_many<'a, S>(
    lock: &'a Locked<S>,
    mut state: Guard<'a, S>,
    first: [Waker; 2],
    next: &mut dyn FnMut(&mut S) -> Option<Waker>,
) {
    let mut batch = Batch {
        called: 0,
        count: 0,
        wakers: [const { MaybeUninit::uninit() }; BATCH],
    };
    first.into_iter().for_each(|waker| batch.push(waker));
    loop {
        while batch.count < BATCH {
            let Some(waker) = next(&mut state) else {
                break;
            };
            batch.push(waker);
        }
        let full = batch.count == BATCH;
        drop(state);
        batch.call();
        if !full {
            return;
        }
        state = lock.lock();
    }
}

/// Wakers to be called.
struct Batch {
    /// Number that have been called.
    called: usize,
    /// Number of wakers.
    count: usize,
    wakers: [MaybeUninit<Waker>; BATCH],
}

impl Batch {
    fn push(&mut self, waker: Waker) {
        self.wakers[self.count].write(waker);
        self.count += 1;
    }

    fn call(&mut self) {
        while self.called < self.count {
            // SAFETY: the first `count` are there, and each is taken out once.
            let waker = unsafe { self.wakers[self.called].assume_init_read() };
            self.called += 1;
            ring(waker);
        }
        (self.called, self.count) = (0, 0);
    }
}

/// Calls a waker. A waker that panics must not keep others from being woken, nor stop the serving thread: the
/// panic hook has reported it.
pub(crate) fn ring(waker: Waker) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
        std::mem::forget(payload);
    }
}
