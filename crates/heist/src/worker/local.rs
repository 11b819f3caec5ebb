//! The thread-local words that every fork touches. Because of the layout of these words, code can access them without a register or a load
//! for their address, and without a test whether the thread is a worker.

use crate::cancel::{self, ANSWER, Node, REQUEST};
use crate::finish::Track;
use crate::task::Header;
use crate::worker::thread::{Context, WorkerThread};
use heist_deque::split::{Sharing, Slot, SplitDeque, Top, Words};
use std::cell::Cell;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering, compiler_fence};

/// Number of stealable frames that a worker needs before [`join_hint`](crate::join_hint) omits forks. So this number of thieves can steal a
/// frame each before the worker forks again and answers requests.
const ENOUGH_FRAMES: usize = 8;

/// Number of stealable frames that a worker needs before [`race_hint`](crate::race_hint()) omits forks. This number is smaller than
/// [`ENOUGH_FRAMES`], because the forks of `race_hint` open cancel scopes, and so cost more than those of `join_hint`.
const FEW_FRAMES: usize = 2;

/// Value of the request word: no thief requests frames.
const SATED: u32 = 0;
/// No thief requests frames, but the owner offers its next fork.
const OFFERED: u32 = 1;
/// A thief that is awake requests frames.
const ASKED: u32 = 2;
/// A thief may have gone to sleep, and relies on the owner to see the request.
const ANNOUNCED: u32 = 3;
/// A thief may be asleep, and no fence has followed the store of this value: either the owner has taken a request and had no work to give,
/// or the platform has no heavy fence.
const OWED: u32 = 4;

/// The deque cells to which threads that are not workers push. No code reads these cells.
static SCRATCH: [Slot<Header>; 2] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];

/// The track that runs on a thread, or null.
pub(crate) type TrackPointer = *const Track;

/// The words that thieves access, too. All of them are atomics.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SharedLocal {
    /// The tail and the return barrier of the fork deque, which the owner touches at every push and pop.
    pub(crate) forks: Words<Header>,
    /// The request word. If the value of the word is not [`SATED`], the next fork should be public, or the thread is not a worker. Every
    /// fork reads the word. All accesses are Relaxed, because the word is a hint. If a thief sets the word before it sleeps, the thief's
    /// heavy fence orders this store against the owner's pushes.
    request: AtomicU32,
    /// The limit for `join_hint`: if the tail is above this deque cell, `join_hint` does not fork.
    enough: AtomicPtr<Slot<Header>>,
    /// The tail and the return barrier of the task deque, which the owner touches at every push and pop.
    pub(crate) tasks: Words<Header>,
    /// The tail and the return barrier of the ready deque, which the owner touches at every push and pop.
    pub(crate) ready: Words<Header>,
}

/// The current thread's thread-local words.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct WorkerLocal {
    pub(crate) shared: SharedLocal,
    /// The worker of this thread, or null if the thread is not a worker.
    pub(crate) worker: Cell<*const WorkerThread>,
    /// The context, which determines which spawns may now go to this worker's own task deque.
    pub(crate) context: Cell<Context>,
    /// The suspending task that this thread polls now, or null if it polls no task.
    pub(crate) polled: Cell<*const crate::suspend::Core>,
    /// The fiber that runs on this thread now. The pointer is null if no fiber runs, or if the thread has begun other code on the fiber's
    /// stack.
    pub(crate) fiber: Cell<*const crate::suspend::Strand>,
    /// The track that runs on this thread now, even if the thread has begun other code on the track's stack. The pointer is null if no
    /// track runs, or if the track is not known.
    pub(crate) track: Cell<TrackPointer>,
    /// True if the current job is the first of an [epoch](crate::worker::fixed::ancestry) and has not declared its parent.
    pub(super) fresh: Cell<bool>,
    /// The top of the fork deque in a pool with Chase and Lev's protocol. The next field is the top in a pool with the protocol THE. Under
    /// all other protocols, both tops are closed. These two fields come last, so that the offsets of the other fields do not depend on
    /// them.
    chase_lev: Cell<Top<Header>>,
    cilk5: Cell<Top<Header>>,
}

thread_local! {
    static LOCAL: WorkerLocal = const {
        let scratch = (&raw const SCRATCH).cast_mut().cast::<Slot<Header>>();
        WorkerLocal {
            shared: SharedLocal {
                forks: Words::detached(scratch),
                request: AtomicU32::new(ASKED),
                enough: AtomicPtr::new(without_provenance_mut(usize::MAX)),
                tasks: Words::detached(scratch),
                ready: Words::detached(scratch),
            },
            worker: Cell::new(std::ptr::null()),
            context: Cell::new(Context::ELSEWHERE),
            polled: Cell::new(std::ptr::null()),
            fiber: Cell::new(std::ptr::null()),
            track: Cell::new(std::ptr::null()),
            fresh: Cell::new(false),
            chase_lev: Cell::new(Top::closed()),
    cilk5: Cell::new(Top::closed()),
        }
    };
}

/// Returns the current thread's thread-local words.
///
/// Code that may have moved to another thread since its last call must call this function again. Code that cannot move, such as a closure
/// that starts and finishes on one thread, may keep the result.
#[inline(always)]
pub(crate) fn local() -> &'static WorkerLocal {
    let local = LOCAL.with(std::ptr::from_ref);
    // SAFETY: `WorkerLocal` has no destructor, so the storage is valid until the thread's end, and the
    // reference cannot leave the thread: `WorkerLocal` is not `Sync`.
    unsafe { &*local }
}

/// Returns the same words as [`local`]. Call this function in code that may be inlined into a fiber's code, between two waits.
///
/// Within one function, the compiler may keep the address of a thread-local word across a wait, although the fiber may move to another
/// thread during the wait.
#[inline(never)]
pub(crate) fn local_now() -> &'static WorkerLocal {
    local()
}

/// Returns true if the caller runs on the small stack of a track.
#[inline(never)]
pub(crate) fn on_track() -> bool {
    !local_now().track.get().is_null()
}

/// The height of a thread's fork deque, its context, and its cancel scope: together, a point of the thread's execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The tail of the thread's fork deque.
    tail: *mut Slot<Header>,
    context: Context,
    /// The innermost cancel scope.
    scope: *const Node,
}

impl Place {
    /// The place of a thread that is not a worker.
    pub(crate) const NOWHERE: Place = Place {
        tail: std::ptr::null_mut(),
        context: Context::ELSEWHERE,
        scope: std::ptr::null(),
    };

    /// Returns the place of the current thread.
    pub(crate) fn here(local: &WorkerLocal) -> Self {
        Place {
            tail: local.shared.forks.tail(),
            context: local.context.get(),
            scope: cancel::current(),
        }
    }
}

impl SharedLocal {
    /// Returns true if a fork must take the slow path: a thief requests frames, the owner offers its next fork, or the thread is not a
    /// worker. Relaxed: the word is a hint, see `request`.
    #[inline(always)]
    pub(crate) fn must_look_up(&self) -> bool {
        self.request.load(Ordering::Relaxed) != SATED
    }

    /// Returns true if a thief requests frames. Relaxed: the word is a hint.
    #[inline(always)]
    pub(crate) fn is_requested(&self) -> bool {
        self.request.load(Ordering::Relaxed) >= ASKED
    }

    /// Returns true if the owner must not delay its answer, because the thief that waits for the answer may be asleep. (A thief that is
    /// awake uses force instead of waiting.)
    pub(crate) fn is_urgent(&self) -> bool {
        self.request.load(Ordering::Relaxed) >= ANNOUNCED
    }

    /// Requests that the owner exposes frames at its next fork. Any thread may call this function.
    pub(crate) fn ask(&self) {
        // This access never lowers the value of the word: see `is_urgent`.
        if self.request.fetch_max(ASKED, Ordering::Relaxed) < ASKED {
            self.forget_enough();
        }
    }

    /// Asks the owner to check whether its scope was cancelled. Any thread may call this function.
    pub(crate) fn ask_after_cancel(&self) {
        // Release publishes the scope's flag. Acquire orders this access after the store to `enough` that precedes the owner's answer.
        if self.request.fetch_max(ASKED, REQUEST) < ASKED {
            self.forget_enough();
        }
    }

    /// Makes the owner's next fork public, although no thief has requested frames. Only the owner may call this function.
    pub(crate) fn offer(&self) {
        self.request.fetch_max(OFFERED, Ordering::Relaxed);
    }

    /// Records that a thief may be asleep. No fence follows the store. The owner calls this function after it has taken a request and had
    /// no work to give. On a platform without a heavy fence, a thief calls this function before it sleeps.
    pub(crate) fn owe(&self) {
        self.set_request(OWED);
    }

    /// Requests frames for a thief that is about to sleep. The thief must then order this store against the owner's pushes with a heavy
    /// fence. Returns false if another thief has announced a request since the owner's last answer, or announces one at this moment.
    pub(crate) fn announce(&self) -> bool {
        if self.request.load(Ordering::Relaxed) == ANNOUNCED {
            return false;
        }
        self.set_request(ANNOUNCED);
        true
    }

    fn set_request(&self, how: u32) {
        // This access is a read-modify-write, so that the owner still acquires the earlier release of a canceller.
        self.request.swap(how, Ordering::Relaxed);
        self.forget_enough();
    }

    fn forget_enough(&self) {
        self.enough
            .store(without_provenance_mut(usize::MAX), Ordering::Relaxed);
    }

    /// Clears the request word, and allows `join_hint` to fork up to [`ENOUGH_FRAMES`] frames above the current tail. Only the owner may
    /// call this function.
    pub(crate) fn answer(&self) {
        // This store comes first, so that a canceller whose request comes after the swap can reset
        // the value.
        self.enough.store(
            self.forks.tail().wrapping_add(ENOUGH_FRAMES),
            Ordering::Relaxed,
        );
        // This access is a read-modify-write that acquires: either the owner then sees a canceller's flag, or the canceller's request stays
        // in the word.
        self.request.swap(SATED, ANSWER);
    }

    /// Returns true if a `join_hint` may omit its fork now. Returns false on threads that are not workers.
    #[inline(always)]
    pub(crate) fn has_enough(&self) -> bool {
        self.forks.tail() > self.enough.load(Ordering::Relaxed)
    }

    /// Returns true if a `race_hint` may omit its fork now. [`FEW_FRAMES`] stealable frames suffice, because a fork of `race_hint` costs a
    /// hundred times as much as a fork of `join_hint`.
    #[inline(always)]
    pub(crate) fn has_a_few(&self) -> bool {
        let less = ENOUGH_FRAMES - FEW_FRAMES;
        self.forks.tail().wrapping_add(less) > self.enough.load(Ordering::Relaxed)
    }
}

impl WorkerLocal {
    /// Returns the top of this thread's forks if their deque is open and has the protocol `sharing`. Otherwise returns a
    /// closed top.
    #[inline(always)]
    pub(crate) fn top(&self, sharing: Sharing) -> Top<Header> {
        match sharing {
            Sharing::The => self.cilk5.get(),
            _ => self.chase_lev.get(),
        }
    }

    /// Makes `deque`, which has the protocol `sharing`, this thread's fork deque.
    pub(super) fn attach(&self, deque: &SplitDeque<Header>, sharing: Sharing) {
        let of = |wanted| {
            if sharing == wanted {
                deque.top()
            } else {
                Top::closed()
            }
        };
        self.chase_lev.set(of(Sharing::ChaseLev));
        self.cilk5.set(of(Sharing::The));
    }

    /// Restores the words of a thread that is not a worker.
    pub(crate) fn detach(&self) {
        self.chase_lev.set(Top::closed());
        self.cilk5.set(Top::closed());
        self.worker.set(std::ptr::null());
        // If a signal handler still finds the worker, the fence makes sure that the handler also finds the worker's words.
        compiler_fence(Ordering::SeqCst);
        self.context.set(Context::ELSEWHERE);
        let scratch = (&raw const SCRATCH).cast_mut().cast::<Slot<Header>>();
        // SAFETY: these are the current thread's own words, and no thief uses the deques that these
        // words describe any more.
        unsafe {
            self.shared.forks.detach(scratch);
            self.shared.tasks.detach(scratch);
            self.shared.ready.detach(scratch);
        }
        self.shared.ask();
    }

    /// Returns the worker of this thread, if the thread is a worker.
    #[inline]
    pub(crate) fn worker(&self) -> Option<&'static WorkerThread> {
        // SAFETY: the worker's own thread sets the pointer for the duration of its main function,
        // in which the worker lives. The reference cannot leave the thread, and all code that runs
        // on the thread returns before the main function ends.
        unsafe { self.worker.get().as_ref() }
    }

    /// Returns the worker of this thread, if the worker belongs to `pool`. This function only compares the pointer.
    #[inline]
    pub(crate) fn worker_of(
        &self,
        pool: *const crate::worker::PoolInner,
    ) -> Option<&'static WorkerThread> {
        self.worker()
            .filter(|worker| std::ptr::eq(worker.pool, pool))
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use crate::worker::local;

    #[test]
    fn an_urgent_request_is_not_downgraded_by_later_requests() {
        std::thread::spawn(|| {
            let words = &local().shared;
            words.answer();
            assert!(!words.must_look_up());
            words.offer();
            assert!(words.must_look_up() && !words.is_requested());
            words.ask();
            words.offer();
            assert!(words.is_requested() && !words.is_urgent());
            assert!(words.announce() && words.is_urgent());
            words.ask();
            assert!(words.is_urgent() && !words.announce());
            words.answer();
            words.owe();
            words.ask();
            assert!(words.is_urgent() && words.announce());
        })
        .join()
        .unwrap();
    }
}
