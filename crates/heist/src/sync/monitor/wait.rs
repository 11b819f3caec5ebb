//! The future of a wait at a monitor.

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

/// A condition on a state that a lock protects. A waiter can wait until the condition is true.
pub(crate) trait Condition {
    /// True if queues are ordered by tag. Waiters with equal tags are ordered by arrival.
    const BY_TAG: bool = false;

    /// The state that the lock protects.
    type State;
    /// The result of a wait.
    type Output;

    /// Prepares the wait. The first poll calls this method before all other methods, on the polling thread.
    fn begin(&mut self) {}

    /// Returns the lock and the state that it protects.
    fn state(&self) -> &Locked<Self::State>;

    /// Returns the name of the construct, and the place in the program where it was made.
    fn construct(&self) -> (&'static &'static str, &'static Location<'static>);

    /// Takes the awaited value, if it is ready. If the value is not ready, returns the tag for the waiter that is to be queued.
    fn attempt(&mut self, state: &mut Self::State) -> Result<Self::Output, u64>;

    /// Tells other threads that the waiter is queued: a phaser's party signals, and a reader of an I-structure sweeps. The call comes after
    /// the waiter was queued, while the lock is free. Returns true if the call may have made the condition true.
    fn announce(&mut self) -> bool {
        false
    }

    /// Serves waiters of a choice that older waiters of the same choice have kept waiting. The call comes after a waiter of the choice was
    /// queued.
    fn queued(&mut self, state: Guard<'_, Self::State>) {
        drop(state);
    }

    /// Serves the waiters whose condition a successful attempt has made true. A phaser's party signals instead, if it has not signalled
    /// yet. The call comes after the attempt.
    fn pass_on(&mut self, state: Guard<'_, Self::State>) {
        drop(state);
    }

    /// Returns the queue of the waiters.
    fn queue<'s>(&self, state: &'s mut Self::State) -> &'s mut Queue;

    /// Returns the output for a waiter that has been served.
    fn served(&mut self) -> Self::Output;

    /// Gives up the share of a waiter that has been served.
    fn forfeit(&mut self);

    /// Handles the departure of a waiter that has left the queue without being served. `tag` is the waiter's tag.
    fn leave(&mut self, state: Guard<'_, Self::State>, tag: u64) {
        let _ = tag;
        drop(state);
    }
}

/// The future of a wait. Nothing happens before the first poll. Dropping the future gives up the wait.
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

    /// Creates a wait that begins at the place `began`.
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

    /// Blocks until the wait ends.
    #[inline]
    pub(crate) fn block(self) -> C::Output {
        block_on(self)
    }

    /// Blocks for at most the given time. If the wait has not ended by then, takes the waiter out of the queue and calls `late`,
    /// which computes the result from the condition.
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

    /// Ends the wait. Returns the output if the waiter was served. If the waiter was not served, returns the condition.
    fn give_up(self: Pin<&mut Self>) -> Result<C::Output, &mut C> {
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        let queued = this.waiter.stage.replace(Stage::Over) == Stage::Queued;
        if queued && !this.withdraw() {
            return Ok(this.condition.served());
        }
        Err(&mut this.condition)
    }

    /// Takes the waiter out of the queue. The waiter must have been queued. Returns false if the waiter has been served.
    fn withdraw(&mut self) -> bool {
        if self.waiter.is_served() {
            return false;
        }
        let lock: *const Locked<C::State> = self.condition.state();
        // SAFETY: the lock stays in place while the condition lives, which is longer than this function runs. The reference must
        // not borrow the condition, because `leave` borrows it mutably.
        let mut state = unsafe { &*lock }.lock();
        if self.waiter.is_served() {
            return false;
        }
        // SAFETY: the waiter has been queued and has not been served, so it is in this queue, and this thread has the lock.
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

    /// Returns the site of the wait, if the waiter is queued and has not been served.
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
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        match this.waiter.stage.get() {
            Stage::Idle => {
                this.condition.begin();
                let lock: *const Locked<C::State> = this.condition.state();
                // SAFETY: the condition always returns the same lock, which stays in place while the condition lives, that is,
                // longer than this poll. The reference must not borrow the condition, because `attempt` borrows it mutably.
                let mut state = unsafe { &*lock }.lock();
                match this.condition.attempt(&mut state) {
                    Ok(output) => {
                        this.condition.pass_on(state);
                        this.waiter.stage.set(Stage::Over);
                        return Poll::Ready(output);
                    }
                    Err(tag) => {
                        // The clone of a foreign waker may call this construct, so it must not run while this thread has the lock.
                        let own = is_own(context.waker());
                        let waker = own.then(|| context.waker().clone());
                        // SAFETY: the waiter is part of a pinned future, whose drop takes the waiter out of the queue. Until the
                        // waiter is served, only methods of the queue access it, called below and in `drop`.
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
    /// Stores the newer waker of a queued waiter. Returns true if the waiter was served before this function could store the waker.
    fn renew(&mut self, waker: &Waker) -> bool {
        let mut state = self.condition.state().lock();
        if self.waiter.is_served() {
            return true;
        }
        // SAFETY: the waiter has been queued and has not been served, so it is in this queue, and this thread has the lock.
        if unsafe {
            self.condition
                .queue(&mut state)
                .will_wake(&self.waiter, waker)
        } {
            return false;
        }
        drop(state);
        // The clone may be foreign code that calls this construct and serves this waiter.
        let waker = waker.clone();
        let mut state = self.condition.state().lock();
        let old = if self.waiter.is_served() {
            Err(waker)
        } else {
            // SAFETY: the waiter has been queued and has not been served, so it is in this queue, and this thread has the lock.
            Ok(unsafe { self.condition.queue(&mut state).renew(&self.waiter, waker) })
        };
        drop(state);
        // Both wakers are dropped while the lock is free.
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

/// The maximum number of wakers that are called before the lock is taken again.
const BATCH: usize = 32;

/// Serves waiters until `next` returns `None`, and wakes them while the lock is free.
pub(crate) fn serve_all<S>(lock: &Locked<S>, next: impl FnMut(&mut S) -> Option<Waker>) {
    serve_more(lock, lock.lock(), next);
}

/// Serves waiters like [`serve_all`], on a thread that holds the lock already.
#[inline]
pub(crate) fn serve_more<'a, S>(
    lock: &'a Locked<S>,
    mut state: Guard<'a, S>,
    mut next: impl FnMut(&mut S) -> Option<Waker>,
) {
    // In most calls there is at most one waiter to serve.
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

/// A batch of wakers to call.
struct Batch {
    /// Number of wakers that have been called.
    called: usize,
    /// Number of wakers in the batch.
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
            // SAFETY: the first `count` wakers are initialised. `called` advances before the next wake-up, so each waker is taken
            // out once.
            let waker = unsafe { self.wakers[self.called].assume_init_read() };
            self.called += 1;
            ring(waker);
        }
        (self.called, self.count) = (0, 0);
    }
}

/// Calls a waker. Catches a panic of the waker, because the panic must neither prevent other wake-ups nor stop the serving thread. The
/// panic hook has reported the panic.
pub(crate) fn ring(waker: Waker) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
        std::mem::forget(payload);
    }
}
