//! Waiters, in the order of arrival: a list through the waiters themselves.

use crate::platform::shim::{AtomicBool, Ordering};
use crate::sync::orders;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::{NonNull, null_mut};
use std::task::Waker;

/// Progress of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Idle,
    Queued,
    Over,
}

/// A waiter, inside the future that waits.
#[derive(Debug)]
pub(crate) struct Waiter {
    /// Set when it has been taken out of its queue by the thread that serves it. From then on no thread but its
    /// own future touches it.
    served: AtomicBool,
    /// The own future's progress. Here it fills a gap.
    pub(super) stage: Cell<Stage>,
    /// Under the lock of the monitor whose queue it stands in; its own future's while it stands in
    /// none.
    node: UnsafeCell<Node>,
    _pinned: PhantomPinned,
}

#[derive(Debug)]
struct Node {
    older: *mut Waiter,
    newer: *mut Waiter,
    waker: Option<Waker>,
    tag: u64,
}

// SAFETY: the lock, and before and after its time in a queue the ownership of the future, say which thread may
// touch the node. What it holds can be sent: a waker, and addresses of others under the same lock.
unsafe impl Send for Waiter {}
// SAFETY: as above; shared references give access to `served`, and the own future to its stage.
unsafe impl Sync for Waiter {}

impl Waiter {
    pub(crate) fn new() -> Self {
        Waiter {
            served: AtomicBool::new(false),
            stage: Cell::new(Stage::Idle),
            node: UnsafeCell::new(Node {
                older: null_mut(),
                newer: null_mut(),
                waker: None,
                tag: 0,
            }),
            _pinned: PhantomPinned,
        }
    }

    /// Whether it has been served since it was queued.
    pub(crate) fn is_served(&self) -> bool {
        self.served.load(orders::IS_SERVED)
    }
}

/// The queue of a monitor; part of what its lock protects.
#[derive(Debug)]
pub(crate) struct Queue {
    oldest: *mut Waiter,
    newest: *mut Waiter,
}

// SAFETY: it moves between threads with what the lock protects; the waiters that it leads to stay in
// place and are protected by the same lock.
unsafe impl Send for Queue {}

impl Queue {
    pub(crate) const fn new() -> Self {
        Queue {
            oldest: null_mut(),
            newest: null_mut(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.oldest.is_null()
    }

    /// Appends a waiter, to be woken by `waker` when it is served. `tag` is the caller's.
    ///
    /// # Safety
    /// The waiter stands in no queue. Until it is served or [removed](Self::remove) it stays in
    /// place, and nothing but methods of this queue touches it.
    pub(crate) unsafe fn push(&mut self, waiter: Pin<&mut Waiter>, waker: &Waker, tag: u64) {
        // SAFETY: nothing is moved out of it.
        let waiter: *mut Waiter = unsafe { waiter.get_unchecked_mut() };
        // SAFETY: live, and the caller's until it is in the queue; its neighbour is under the lock.
        unsafe {
            // Relaxed: the waiter's own, and no other thread knows it yet.
            (*waiter).served.store(false, Ordering::Relaxed);
            *(*waiter).node.get() = Node {
                older: self.newest,
                newer: null_mut(),
                waker: Some(waker.clone()),
                tag,
            };
            match NonNull::new(self.newest) {
                Some(older) => (*older.as_ref().node.get()).newer = waiter,
                None => self.oldest = waiter,
            }
        }
        self.newest = waiter;
    }

    /// Puts a waiter, in the same way, behind those whose tag is not above its own, in a queue that is in this
    /// order. Mostly that is the end.
    ///
    /// # Safety
    /// As [`push`](Self::push).
    pub(crate) unsafe fn insert(&mut self, waiter: Pin<&mut Waiter>, waker: &Waker, tag: u64) {
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
                waker: Some(waker.clone()),
                tag,
            };
            (*(*newer).node.get()).older = waiter;
            match NonNull::new(older) {
                Some(older) => (*older.as_ref().node.get()).newer = waiter,
                None => self.oldest = waiter,
            }
        }
    }

    /// The oldest waiter's tag.
    pub(crate) fn oldest_tag(&self) -> Option<u64> {
        // SAFETY: what stands in the queue is live and under the lock that this reference shows.
        NonNull::new(self.oldest).map(|waiter| unsafe { (*waiter.as_ref().node.get()).tag })
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

    /// Takes the oldest waiter out if its tag suits. Its waker is to be called once the lock is free.
    pub(crate) fn serve_if(&mut self, suits: impl FnOnce(u64) -> bool) -> Option<Waker> {
        if !suits(self.oldest_tag()?) {
            return None;
        }
        // SAFETY: it stands in the queue.
        unsafe { self.take(self.oldest) }
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
            self.take(waiter)
        }
    }

    /// Takes the oldest waiter out whose tag suits.
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
            self.take(waiter)
        }
    }

    /// Takes a waiter out that is served.
    ///
    /// # Safety
    /// It stands in this queue.
    unsafe fn take(&mut self, waiter: *mut Waiter) -> Option<Waker> {
        // SAFETY: it stands in the queue, so it is live and under the lock.
        let waker = unsafe {
            let waker = (*(*waiter).node.get()).waker.take();
            self.unlink(waiter);
            // The last touch, after which the waiter may be gone.
            (*waiter).served.store(true, orders::SERVE);
            waker
        };
        debug_assert!(waker.is_some());
        waker
    }

    /// Takes the oldest waiter out.
    pub(crate) fn serve(&mut self) -> Option<Waker> {
        self.serve_if(|_| true)
    }

    /// Gives a waiter a newer waker; returns the old one, to be dropped once the lock is free.
    ///
    /// # Safety
    /// It stands in this queue.
    pub(crate) unsafe fn renew(&mut self, waiter: &Waiter, waker: &Waker) -> Option<Waker> {
        // SAFETY: under the lock.
        let node = unsafe { &mut *waiter.node.get() };
        match &node.waker {
            Some(old) if old.will_wake(waker) => None,
            _ => node.waker.replace(waker.clone()),
        }
    }

    /// Takes a waiter out that gives up; returns its waker, to be dropped once the lock is free, and
    /// its tag.
    ///
    /// # Safety
    /// It stands in this queue.
    pub(crate) unsafe fn remove(&mut self, waiter: &Waiter) -> (Option<Waker>, u64) {
        // SAFETY: by contract, and under the lock.
        unsafe {
            let node = &mut *waiter.node.get();
            let found = (node.waker.take(), node.tag);
            self.unlink(waiter);
            found
        }
    }

    /// # Safety
    /// The waiter stands in this queue.
    unsafe fn unlink(&mut self, waiter: *const Waiter) {
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
