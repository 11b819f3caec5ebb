//! Queues of waiters in the order of arrival. The queues are linked lists of the waiters themselves.

use super::choice::Choice;
use crate::platform::shim::{AtomicBool, Ordering};
use crate::sync::orders;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::{NonNull, null, null_mut};
use std::task::Waker;

/// The progress of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    Idle,
    Queued,
    Over,
}

/// A waiter. The waiter is part of the future that waits. `G` is the type of the waiter's tag.
#[derive(Debug)]
pub(crate) struct Waiter<G = u64> {
    /// True once the waiter has been served. The serving thread sets this flag after it has taken the waiter out of the queue. After the
    /// flag is set, only the waiter's own future accesses the waiter. If the waiter belongs to a choice, the choice's word says whether the
    /// waiter has been served.
    served: AtomicBool,
    /// The progress of the wait. Only the waiter's own future uses this field. The progress is stored in the waiter because it fits into
    /// padding.
    pub(crate) stage: Cell<Stage>,
    /// True while a waiter of a choice is in a queue. The lock of that queue protects this field.
    queued: Cell<bool>,
    /// The choice of the waiter, or null if the waiter waits alone. The waiter's future writes this field before the waiter is
    /// queued. Threads that serve the waiter read this field.
    choice: Cell<*const Choice>,
    /// The waiter's links in the queue, and its tag. While the waiter is in a queue, the lock of that queue's monitor protects these
    /// fields. While the waiter is in no queue, the links and the tag belong to the waiter's future.
    node: UnsafeCell<Node<G>>,
    _pinned: PhantomPinned,
}

#[derive(Debug)]
struct Node<G> {
    older: *mut Waiter<G>,
    newer: *mut Waiter<G>,
    waker: Option<Waker>,
    tag: G,
}

// SAFETY: while the waiter is in a queue, the lock protects the node. Before and after, the node belongs to the future. The
// contents of the node can be sent: a waker, and addresses of waiters under the same lock. A tag is a number or the address of a
// part of the same future, and that future's own type says whether it can be sent.
unsafe impl<G> Send for Waiter<G> {}
// SAFETY: the lock excludes simultaneous accesses of `node` and of `queued`. The waiter's future writes `choice` before the waiter
// is queued, and other threads read it under the lock. Only the future uses `stage`. `served` is atomic.
unsafe impl<G> Sync for Waiter<G> {}

impl Waiter {
    #[inline]
    pub(crate) fn new() -> Self {
        Waiter::with_tag(0)
    }
}

impl<G> Waiter<G> {
    pub(crate) fn with_tag(tag: G) -> Self {
        Waiter {
            served: AtomicBool::new(false),
            stage: Cell::new(Stage::Idle),
            queued: Cell::new(false),
            choice: Cell::new(null()),
            node: UnsafeCell::new(Node {
                older: null_mut(),
                newer: null_mut(),
                waker: None,
                tag,
            }),
            _pinned: PhantomPinned,
        }
    }

    /// Returns true if the waiter has been served since it was queued. The waiter must belong to no choice.
    pub(crate) fn is_served(&self) -> bool {
        self.served.load(orders::IS_SERVED)
    }

    /// Returns the waiter's name. The choice's word has this value after the choice has been decided for this waiter.
    pub(crate) fn name(&self) -> u64 {
        std::ptr::from_ref(self).addr() as u64
    }

    /// Returns true if the waiter's choice has been decided for this waiter since the waiter was queued.
    pub(crate) fn is_chosen(&self) -> bool {
        // SAFETY: a future drops its choice after the waiters that refer to it, so the choice is live.
        unsafe { self.choice.get().as_ref() }.is_some_and(|choice| choice.winner() == self.name())
    }

    /// Returns true if the waiter is in a queue. The waiter must belong to a choice, and the caller must hold the queue's lock.
    pub(crate) fn is_queued(&self) -> bool {
        self.queued.get()
    }
}

/// The queue of waiters of a monitor. The monitor's lock protects this queue.
#[derive(Debug)]
pub(crate) struct Queue<G = u64> {
    oldest: *mut Waiter<G>,
    newest: *mut Waiter<G>,
}

// SAFETY: a queue moves between threads together with the state that the lock protects. Its waiters do not move, and the same lock
// protects them.
unsafe impl<G> Send for Queue<G> {}

/// The result of a search for a partner.
#[derive(Debug)]
pub(crate) enum Met {
    /// Both the searching choice and its partner's choice have been decided. The partner's waker must be called when the lock is
    /// free.
    Partner(Option<Waker>),
    /// The searching choice had already been decided for another branch.
    Decided,
    /// No partner waits.
    Alone,
}

impl<G: Copy> Queue<G> {
    pub(crate) const fn new() -> Self {
        Queue {
            oldest: null_mut(),
            newest: null_mut(),
        }
    }

    /// Appends a waiter of a choice.
    ///
    /// # Safety
    /// The waiter must be in no queue. The caller must keep the waiter and the choice in place, and access the waiter only by methods of
    /// this queue. The caller's duty ends when one of three things has happened: the waiter has been [removed](Self::remove), a thread that
    /// holds this queue's lock has found the waiter to be in no queue, or the choice has been decided for the waiter.
    pub(crate) unsafe fn push_for(&mut self, waiter: Pin<&mut Waiter<G>>, choice: &Choice, tag: G) {
        waiter.choice.set(choice);
        waiter.queued.set(true);
        // SAFETY: this function has the same contract as `append`.
        unsafe { self.append(waiter, None, tag) };
    }

    /// Appends a waiter.
    ///
    /// # Safety
    /// The caller must keep the contract of [`push_for`](Self::push_for).
    unsafe fn append(&mut self, waiter: Pin<&mut Waiter<G>>, waker: Option<Waker>, tag: G) {
        // SAFETY: the waiter is pinned, and the pointer is not used to move it.
        let waiter: *mut Waiter<G> = unsafe { waiter.get_unchecked_mut() };
        // SAFETY: the waiter is live, and belongs to the caller until it is in the queue. The waiter's new neighbour is in the queue, so
        // the neighbour is live, and the lock protects it.
        unsafe {
            // Relaxed, because no other thread knows the waiter yet.
            (*waiter).served.store(false, Ordering::Relaxed);
            *(*waiter).node.get() = Node {
                older: self.newest,
                newer: null_mut(),
                waker,
                tag,
            };
            match NonNull::new(self.newest) {
                Some(older) => (*older.as_ref().node.get()).newer = waiter,
                None => self.oldest = waiter,
            }
        }
        self.newest = waiter;
    }

    /// Searches for a partner: the oldest waiter of an undecided choice other than `me`. Calls `exchange` with the partner's tag to pass
    /// the message, and decides both choices. `me` is `None` for a choice that no other thread knows yet. The search also removes the
    /// waiters ahead of the partner whose choices have been decided for other branches.
    pub(crate) fn meet(&mut self, me: Option<&Choice>, exchange: impl FnOnce(G)) -> Met {
        let mut waiter = self.oldest;
        while !waiter.is_null() {
            // SAFETY: the waiter is in the queue, so the waiter and its choice are live. If the choice is not decided for this waiter, the
            // waiter's future takes this lock before it continues, and the caller has the lock.
            let (newer, tag, other) = unsafe {
                let node = &*(*waiter).node.get();
                (node.newer, node.tag, &*(*waiter).choice.get())
            };
            let own = me.is_some_and(|me| std::ptr::eq(me, other));
            if own && !cfg!(heist_mutant = "sync_choice_self") {
                waiter = newer;
                continue;
            }
            let claimed = match me {
                None => other.claim(),
                Some(me) => match me.claim_with(other) {
                    Some(claimed) => claimed,
                    None => return Met::Decided,
                },
            };
            // SAFETY: the waiter is in the queue, and nothing has taken it out since the loop read it.
            unsafe { self.dequeue(waiter) };
            if claimed {
                exchange(tag);
                let waker = other.take_waker();
                // SAFETY: the waiter is live until `decide` in the next line, which is the last access to its choice.
                let name = unsafe { (*waiter).name() };
                other.decide(name);
                if let Some(me) = me {
                    me.decide(Choice::BY_ITSELF);
                }
                return Met::Partner(Some(waker));
            }
            waiter = newer;
        }
        Met::Alone
    }

    /// Takes a waiter of a choice out of the queue.
    ///
    /// # Safety
    /// The waiter must be in this queue.
    unsafe fn dequeue(&mut self, waiter: *mut Waiter<G>) {
        // SAFETY: by this function's contract the waiter is in this queue, so it is live, and the lock protects it.
        unsafe {
            self.unlink(waiter);
            (*waiter).queued.set(false);
        }
    }

    /// Takes out a waiter to serve it. Returns `None` if the waiter belongs to a choice that has been closed or decided for another
    /// branch.
    ///
    /// # Safety
    /// The waiter must be in this queue.
    unsafe fn take(&mut self, waiter: *mut Waiter<G>) -> Option<Waker> {
        // SAFETY: by this function's contract the waiter is in the queue. So the waiter and its choice are live until `decide` or
        // the store of `served`, and the lock protects the waiter.
        unsafe {
            if let Some(choice) = (*waiter).choice.get().as_ref() {
                let claimed = choice.claim();
                self.dequeue(waiter);
                return claimed.then(|| {
                    let waker = choice.take_waker();
                    // This is the last access to the waiter and its choice, after which they may be gone.
                    choice.decide((*waiter).name());
                    waker
                });
            }
            let waker = (*(*waiter).node.get()).waker.take();
            self.unlink(waiter);
            // This is the last access to the waiter, after which it may be gone.
            (*waiter).served.store(true, orders::SERVE);
            // If the waiter has no waker, its future is still in the poll that has queued it, and checks again before that poll
            // returns.
            Some(waker.unwrap_or_else(|| Waker::noop().clone()))
        }
    }

    /// Takes out a waiter whose wait has been given up. Returns its waker and its tag. The caller must drop the waker when the lock
    /// is free.
    ///
    /// # Safety
    /// The waiter must be in this queue.
    pub(crate) unsafe fn remove(&mut self, waiter: &Waiter<G>) -> (Option<Waker>, G) {
        // SAFETY: by this function's contract the waiter is in this queue, so it is live. The caller has a mutable reference to the queue,
        // so the caller has the lock.
        unsafe {
            let node = &mut *waiter.node.get();
            let found = (node.waker.take(), node.tag);
            self.unlink(waiter);
            waiter.queued.set(false);
            found
        }
    }

    /// Unlinks a waiter from its neighbours.
    ///
    /// # Safety
    /// The waiter must be in this queue.
    unsafe fn unlink(&mut self, waiter: *const Waiter<G>) {
        // SAFETY: by this function's contract the waiter is in this queue, so the waiter and its neighbours are live, and the lock
        // protects them.
        unsafe {
            let node = &mut *(*waiter).node.get();
            match NonNull::new(node.older) {
                Some(older) => (*older.as_ref().node.get()).newer = node.newer,
                None => self.oldest = node.newer,
            }
            match NonNull::new(node.newer) {
                Some(newer) => (*newer.as_ref().node.get()).older = node.older,
                None => self.newest = node.older,
            }
            (node.older, node.newer) = (null_mut(), null_mut());
        }
    }
}

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.oldest.is_null()
    }

    /// Appends a waiter. When the waiter is served, `waker` wakes it. The caller chooses the meaning of `tag`. If `waker` is
    /// `None`, the caller must not rely on a wake-up until it has set a waker with [`renew`](Self::renew). If the caller finds that
    /// the waiter has been served, it need not set a waker.
    ///
    /// # Safety
    /// The waiter must be in no queue. Until the waiter is served or [removed](Self::remove), the caller must keep it in place, and
    /// access it only by methods of this queue.
    pub(crate) unsafe fn push(&mut self, waiter: Pin<&mut Waiter>, waker: Option<Waker>, tag: u64) {
        // SAFETY: the contract of this function implies that of `append`.
        unsafe { self.append(waiter, waker, tag) };
    }

    /// Queues a waiter like [`push`](Self::push), in a queue that is ordered by tag. Inserts the waiter behind all waiters that have the
    /// same tag or a smaller tag. In most cases this place is at the end of the queue.
    ///
    /// # Safety
    /// The caller must keep the contract of [`push`](Self::push).
    pub(crate) unsafe fn insert(
        &mut self,
        waiter: Pin<&mut Waiter>,
        waker: Option<Waker>,
        tag: u64,
    ) {
        let mut newer = null_mut();
        let mut older = self.newest;
        // SAFETY: waiters in the queue are live, and the lock protects them. By this function's contract the new waiter is live,
        // too.
        unsafe {
            while !older.is_null() && (*(*older).node.get()).tag > tag {
                newer = older;
                older = (*(*older).node.get()).older;
            }
            if newer.is_null() {
                self.push(waiter, waker, tag);
                return;
            }
            let waiter: *mut Waiter = waiter.get_unchecked_mut();
            // Relaxed, because no other thread knows the waiter yet.
            (*waiter).served.store(false, Ordering::Relaxed);
            *(*waiter).node.get() = Node {
                older,
                newer,
                waker,
                tag,
            };
            (*(*newer).node.get()).older = waiter;
            match NonNull::new(older) {
                Some(older) => (*older.as_ref().node.get()).newer = waiter,
                None => self.oldest = waiter,
            }
        }
    }

    /// Returns the tags of all waiters, the oldest first.
    pub(crate) fn tags(&self) -> impl Iterator<Item = u64> + '_ {
        let mut waiter = self.oldest;
        std::iter::from_fn(move || {
            // SAFETY: waiters in the queue are live. The caller has a reference to the queue, so the caller has the lock that protects the
            // waiters.
            let node = unsafe { &*NonNull::new(waiter)?.as_ref().node.get() };
            waiter = node.newer;
            Some(node.tag)
        })
    }

    /// Returns true if a waiter has this tag. The queue must be ordered by tag.
    pub(crate) fn has_tag(&self, tag: u64) -> bool {
        let mut waiter = self.oldest;
        // SAFETY: waiters in the queue are live. The caller has a reference to the queue, so the caller has the lock that protects the
        // waiters.
        unsafe {
            while !waiter.is_null() && (*(*waiter).node.get()).tag < tag {
                waiter = (*(*waiter).node.get()).newer;
            }
            !waiter.is_null() && (*(*waiter).node.get()).tag == tag
        }
    }

    /// Takes out and serves the oldest waiter if `suits` returns true for its tag. The caller must call the waker when the lock is free. A
    /// choice may have several waiters at the front. In this case the function takes the oldest suitable waiter of this choice. Waiters of
    /// choices that are over are taken out without being served. The last tag that is passed to `suits` is the tag of the served waiter.
    pub(crate) fn serve_if(&mut self, mut suits: impl FnMut(u64) -> bool) -> Option<Waker> {
        let mut waiter = self.oldest;
        // The choice of the unsuitable waiters at the front, or null if there are none.
        let mut passed: *const Choice = null();
        while !waiter.is_null() {
            // SAFETY: the waiter is in the queue, so the waiter and its choice are live. The caller has a reference to the queue,
            // so it has the lock that protects the waiter.
            unsafe {
                let (newer, tag) = ((*(*waiter).node.get()).newer, (*(*waiter).node.get()).tag);
                let choice = (*waiter).choice.get();
                if choice.as_ref().is_some_and(Choice::is_over) {
                    self.dequeue(waiter);
                } else if !passed.is_null() && choice != passed {
                    // This waiter came later than a choice at the front, so this waiter must not be served first.
                    return None;
                } else if suits(tag) {
                    if let Some(waker) = self.take(waiter) {
                        return Some(waker);
                    }
                } else if choice.is_null() {
                    return None;
                } else {
                    passed = choice;
                }
                waiter = newer;
            }
        }
        None
    }

    /// Returns true if no waiter remains to be served. If the result is true, the queue is empty, or all its waiters belong to choices that
    /// are over.
    pub(crate) fn is_over(&self) -> bool {
        let mut waiter = self.oldest;
        while !waiter.is_null() {
            // SAFETY: the waiter is in the queue, so the waiter and its choice are live. The caller has a reference to the queue,
            // so it has the lock that protects the waiter.
            unsafe {
                if !(*waiter).choice.get().as_ref().is_some_and(Choice::is_over) {
                    return false;
                }
                waiter = (*(*waiter).node.get()).newer;
            }
        }
        true
    }

    /// Takes out the oldest waiter with this tag. The queue must be ordered by tag.
    pub(crate) fn serve_tagged(&mut self, tag: u64) -> Option<Waker> {
        let mut waiter = self.oldest;
        // SAFETY: waiters in the queue are live. The caller has a reference to the queue, so the caller has the lock that protects the
        // waiters.
        unsafe {
            while !waiter.is_null() && (*(*waiter).node.get()).tag < tag {
                waiter = (*(*waiter).node.get()).newer;
            }
            if waiter.is_null() || (*(*waiter).node.get()).tag != tag {
                return None;
            }
            debug_assert!((*waiter).choice.get().is_null(), "no event waits by tags");
            self.take(waiter)
        }
    }

    /// Takes out the oldest waiter with a suitable tag.
    pub(crate) fn serve_where(&mut self, suits: impl Fn(u64) -> bool) -> Option<Waker> {
        let mut waiter = self.oldest;
        // SAFETY: waiters in the queue are live. The caller has a reference to the queue, so the caller has the lock that protects the
        // waiters.
        unsafe {
            while !waiter.is_null() && !suits((*(*waiter).node.get()).tag) {
                waiter = (*(*waiter).node.get()).newer;
            }
            if waiter.is_null() {
                return None;
            }
            debug_assert!((*waiter).choice.get().is_null(), "no event waits by tags");
            self.take(waiter)
        }
    }

    /// Takes out the oldest waiter.
    pub(crate) fn serve(&mut self) -> Option<Waker> {
        self.serve_if(|_| true)
    }

    /// Returns true if the waiter's waker and `waker` wake the same task.
    ///
    /// # Safety
    /// The waiter must be in this queue.
    pub(crate) unsafe fn will_wake(&self, waiter: &Waiter, waker: &Waker) -> bool {
        // SAFETY: by this function's contract the waiter is in this queue, so the lock, which the caller has, protects its node.
        let node = unsafe { &*waiter.node.get() };
        node.waker.as_ref().is_some_and(|old| old.will_wake(waker))
    }

    /// Replaces the waker of a waiter by a newer waker. Returns the old waker, which the caller must drop when the lock is free.
    ///
    /// # Safety
    /// The waiter must be in this queue.
    pub(crate) unsafe fn renew(&mut self, waiter: &Waiter, waker: Waker) -> Option<Waker> {
        // SAFETY: by this function's contract the waiter is in this queue, so the lock, which the caller has, protects its node.
        let node = unsafe { &mut *waiter.node.get() };
        node.waker.replace(waker)
    }
}
