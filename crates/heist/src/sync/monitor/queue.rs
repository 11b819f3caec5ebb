//! Waiters, in the order of arrival: a list through the waiters themselves.

use super::choice::Choice;
use crate::platform::shim::{AtomicBool, Ordering};
use crate::sync::orders;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::{NonNull, null, null_mut};
use std::task::Waker;

/// Progress of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    Idle,
    Queued,
    Over,
}

/// A waiter, inside the future that waits. `G` is the type of its tag.
#[derive(Debug)]
pub(crate) struct Waiter<G = u64> {
    /// Set when it has been taken out of its queue by the thread that serves it. From then on no thread but its
    /// own future touches it. A waiter of a choice is served by the choice's word instead.
    served: AtomicBool,
    /// The own future's progress. Here it fills a gap.
    pub(crate) stage: Cell<Stage>,
    /// Whether a waiter of a choice is in a queue. Protected by that queue's lock.
    queued: Cell<bool>,
    /// The choice to which it belongs; null if it waits alone. Written by its own future before it is queued, read
    /// by the threads that serve it.
    choice: Cell<*const Choice>,
    /// Protected by the lock of the monitor in whose queue it is; while it is in no queue, it
    /// belongs to its own future.
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

// SAFETY: the lock, and before and after its time in a queue the ownership of the future, say which thread may
// touch the node. What it holds can be sent: a waker, and addresses of others under the same lock; a tag is a number or
// the address of a part of the same future, whose own type says whether that can be sent.
unsafe impl<G> Send for Waiter<G> {}
// SAFETY: the lock excludes two users of the node and of `queued`; `choice` is written by the own future before the waiter is queued,
// and read by others under the lock; `stage` is the own future's alone; `served` is an atomic.
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

    /// Whether it has been served since it was queued. For a waiter that waits alone.
    pub(crate) fn is_served(&self) -> bool {
        self.served.load(orders::IS_SERVED)
    }

    /// Number by which the word of its choice names it, once the choice has been decided for it.
    pub(crate) fn name(&self) -> u64 {
        std::ptr::from_ref(self).addr() as u64
    }

    /// Whether its choice has been decided for it, since it was queued.
    pub(crate) fn is_chosen(&self) -> bool {
        // SAFETY: a future keeps its choice for longer than the waiters in it.
        unsafe { self.choice.get().as_ref() }.is_some_and(|choice| choice.winner() == self.name())
    }

    /// Whether it is in a queue; for a waiter of a choice, and under the queue's lock.
    pub(crate) fn is_queued(&self) -> bool {
        self.queued.get()
    }
}

/// The queue of a monitor; the monitor's lock protects it.
#[derive(Debug)]
pub(crate) struct Queue<G = u64> {
    oldest: *mut Waiter<G>,
    newest: *mut Waiter<G>,
}

// SAFETY: it moves between threads with what the lock protects; the waiters that it leads to stay in
// place and are protected by the same lock.
unsafe impl<G> Send for Queue<G> {}

/// Result of looking for a partner.
#[derive(Debug)]
pub(crate) enum Met {
    /// The choice is decided, and so is its partner's; the partner's waker must be called once the lock is free.
    Partner(Option<Waker>),
    /// The searching choice has been decided for another branch before.
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
    /// The waiter must be in no queue. It and the choice must stay in place, and only methods of this queue may touch the waiter,
    /// until it has been [removed](Self::remove), or is found to be in no queue any more under this queue's lock, or its choice
    /// has been decided for it.
    pub(crate) unsafe fn push_for(&mut self, waiter: Pin<&mut Waiter<G>>, choice: &Choice, tag: G) {
        waiter.choice.set(choice);
        waiter.queued.set(true);
        // SAFETY: by contract.
        unsafe { self.append(waiter, None, tag) };
    }

    /// # Safety
    /// Like [`push_for`](Self::push_for).
    unsafe fn append(&mut self, waiter: Pin<&mut Waiter<G>>, waker: Option<Waker>, tag: G) {
        // SAFETY: nothing is moved out of it.
        let waiter: *mut Waiter<G> = unsafe { waiter.get_unchecked_mut() };
        // SAFETY: live, and the caller's until it is in the queue; its neighbour is under the lock.
        unsafe {
            // Relaxed: the waiter's own, and no other thread knows it yet.
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

    /// Looks for the oldest undecided waiter of a choice other than `me`, decides both choices, and calls `exchange` with the other's
    /// tag for the exchange that they met for. `me` is `None` for a choice that no other thread knows yet. Waiters whose choices have
    /// been decided otherwise are taken out on the way.
    pub(crate) fn meet(&mut self, me: Option<&Choice>, exchange: impl FnOnce(G)) -> Met {
        let mut waiter = self.oldest;
        while !waiter.is_null() {
            // SAFETY: it stands in the queue, so it and its choice are live: its future takes this lock, which is held here, before it goes
            // on from a choice that was not decided for this waiter.
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
            // SAFETY: it stands in the queue.
            unsafe { self.dequeue(waiter) };
            if claimed {
                exchange(tag);
                let waker = other.take_waker();
                // SAFETY: live until the next line, its last touch.
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

    /// Takes a waiter of a choice out.
    ///
    /// # Safety
    /// It must be in this queue.
    unsafe fn dequeue(&mut self, waiter: *mut Waiter<G>) {
        // SAFETY: it stands in this queue, so it is live and under the lock.
        unsafe {
            self.unlink(waiter);
            (*waiter).queued.set(false);
        }
    }

    /// Takes a waiter out that is served. Returns `None` if it belongs to a choice that has been decided otherwise.
    ///
    /// # Safety
    /// It must be in this queue.
    unsafe fn take(&mut self, waiter: *mut Waiter<G>) -> Option<Waker> {
        // SAFETY: it stands in the queue, so it is live and under the lock.
        unsafe {
            if let Some(choice) = (*waiter).choice.get().as_ref() {
                let claimed = choice.claim();
                self.dequeue(waiter);
                return claimed.then(|| {
                    let waker = choice.take_waker();
                    // The last touch.
                    choice.decide((*waiter).name());
                    waker
                });
            }
            let waker = (*(*waiter).node.get()).waker.take();
            self.unlink(waiter);
            // The last touch, after which the waiter may be gone.
            (*waiter).served.store(true, orders::SERVE);
            // Without one the waiter's future is still in the poll that has queued it, and looks again.
            Some(waker.unwrap_or_else(|| Waker::noop().clone()))
        }
    }

    /// Takes a waiter out that gives up; returns its waker, to be dropped once the lock is free, and
    /// its tag.
    ///
    /// # Safety
    /// It must be in this queue.
    pub(crate) unsafe fn remove(&mut self, waiter: &Waiter<G>) -> (Option<Waker>, G) {
        // SAFETY: by contract, and under the lock.
        unsafe {
            let node = &mut *waiter.node.get();
            let found = (node.waker.take(), node.tag);
            self.unlink(waiter);
            waiter.queued.set(false);
            found
        }
    }

    /// # Safety
    /// The waiter must be in this queue.
    unsafe fn unlink(&mut self, waiter: *const Waiter<G>) {
        // SAFETY: it and its neighbours are live and under the lock.
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

    /// Appends a waiter, to be woken by `waker` when it is served. `tag` is the caller's. Without a waker the caller gives it one by
    /// [`renew`](Self::renew), or finds that the waiter has been served, before it relies on being woken.
    ///
    /// # Safety
    /// The waiter must be in no queue. Until it is served or [removed](Self::remove), it must stay
    /// in place, and only methods of this queue may touch it.
    pub(crate) unsafe fn push(&mut self, waiter: Pin<&mut Waiter>, waker: Option<Waker>, tag: u64) {
        // SAFETY: by contract.
        unsafe { self.append(waiter, waker, tag) };
    }

    /// Puts a waiter, in the same way, behind the waiters whose tag is not above its own, in a queue ordered
    /// by tag. Mostly that is the end.
    ///
    /// # Safety
    /// Like [`push`](Self::push).
    pub(crate) unsafe fn insert(
        &mut self,
        waiter: Pin<&mut Waiter>,
        waker: Option<Waker>,
        tag: u64,
    ) {
        let mut newer = null_mut();
        let mut older = self.newest;
        // SAFETY: what stands in the queue is live and under the lock.
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
            // Relaxed: the waiter's own, and no other thread knows it yet.
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

    /// The tags of all, the oldest first.
    pub(crate) fn tags(&self) -> impl Iterator<Item = u64> + '_ {
        let mut waiter = self.oldest;
        std::iter::from_fn(move || {
            // SAFETY: what stands in the queue is live and under the lock that this reference shows.
            let node = unsafe { &*NonNull::new(waiter)?.as_ref().node.get() };
            waiter = node.newer;
            Some(node.tag)
        })
    }

    /// Returns true if a waiter has this tag, in a queue in the order of tags.
    pub(crate) fn has_tag(&self, tag: u64) -> bool {
        let mut waiter = self.oldest;
        // SAFETY: as above.
        unsafe {
            while !waiter.is_null() && (*(*waiter).node.get()).tag < tag {
                waiter = (*(*waiter).node.get()).newer;
            }
            !waiter.is_null() && (*(*waiter).node.get()).tag == tag
        }
    }

    /// Takes the oldest waiter out if its tag suits. The caller must call its waker once the lock is free. A choice may have several
    /// waiters at the front, of which the oldest suitable one is taken; waiters of choices that are over are taken out and not served.
    /// The last answer of `suits` concerns the waiter that is served.
    pub(crate) fn serve_if(&mut self, mut suits: impl FnMut(u64) -> bool) -> Option<Waker> {
        let mut waiter = self.oldest;
        // The choice of the waiters that were passed, if any.
        let mut passed: *const Choice = null();
        while !waiter.is_null() {
            // SAFETY: it stands in the queue, so it is live and under the lock, and so is its choice.
            unsafe {
                let (newer, tag) = ((*(*waiter).node.get()).newer, (*(*waiter).node.get()).tag);
                let choice = (*waiter).choice.get();
                if choice.as_ref().is_some_and(Choice::is_over) {
                    self.dequeue(waiter);
                } else if !passed.is_null() && choice != passed {
                    // Not before the choice that came first.
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

    /// Returns true if no waiter remains to be served: there is none, or only waiters of choices that are over.
    pub(crate) fn is_over(&self) -> bool {
        let mut waiter = self.oldest;
        while !waiter.is_null() {
            // SAFETY: it stands in the queue, so it is live and under the lock, and so is its choice.
            unsafe {
                if !(*waiter).choice.get().as_ref().is_some_and(Choice::is_over) {
                    return false;
                }
                waiter = (*(*waiter).node.get()).newer;
            }
        }
        true
    }

    /// Takes the oldest waiter with this tag out, of a queue in the order of tags.
    pub(crate) fn serve_tagged(&mut self, tag: u64) -> Option<Waker> {
        let mut waiter = self.oldest;
        // SAFETY: what stands in the queue is live and under the lock.
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
        // SAFETY: what stands in the queue is live and under the lock.
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

    /// Takes the oldest waiter out.
    pub(crate) fn serve(&mut self) -> Option<Waker> {
        self.serve_if(|_| true)
    }

    /// Returns true if both wakers wake the same task.
    ///
    /// # Safety
    /// It must be in this queue.
    pub(crate) unsafe fn will_wake(&self, waiter: &Waiter, waker: &Waker) -> bool {
        // SAFETY: under the lock.
        let node = unsafe { &*waiter.node.get() };
        node.waker.as_ref().is_some_and(|old| old.will_wake(waker))
    }

    /// Gives a waiter a newer waker; returns the old one, which the caller drops once the lock is free.
    ///
    /// # Safety
    /// It must be in this queue.
    pub(crate) unsafe fn renew(&mut self, waiter: &Waiter, waker: Waker) -> Option<Waker> {
        // SAFETY: under the lock.
        let node = unsafe { &mut *waiter.node.get() };
        node.waker.replace(waker)
    }
}
