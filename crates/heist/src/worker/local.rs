//! The thread-local words that every fork touches, arranged so that an access costs no register, no
//! load and no test for "is this a worker at all".

use crate::cancel::{self, ANSWER, Node, REQUEST};
use crate::finish::Track;
use crate::task::Header;
use crate::worker::thread::{Context, WorkerThread};
use heist_deque::split::{Sharing, Slot, SplitDeque, Top, Words};
use std::cell::Cell;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering, compiler_fence};

/// Number of frames that a worker keeps stealable before [`join_hint`](crate::join_hint) leaves forks
/// out. These are enough for that number of thieves, if they come at once, before the next fork
/// answers them.
const ENOUGH_FRAMES: usize = 8;

/// Number of frames that a worker keeps stealable before [`race_hint`](crate::race_hint()), whose forks open scopes, omits forks.
const FEW_FRAMES: usize = 2;

/// Values of the request word: no thief requests frames.
const SATED: u32 = 0;
/// No thief requests frames, but the owner offers its next fork.
const OFFERED: u32 = 1;
/// A thief that is awake requests some.
const ASKED: u32 = 2;
/// A thief may have gone to sleep, and relies on the owner to see the request.
const ANNOUNCED: u32 = 3;
/// A thief may be asleep, and no fence has come after this was set: the owner took a request and had nothing to give, or there
/// was no fence.
const OWED: u32 = 4;

/// Target of the pushes of threads that are no workers: written, never read.
static SCRATCH: [Slot<Header>; 2] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];

/// The track that runs on a thread, or none.
pub(crate) type TrackPointer = *const Track;

/// The part that thieves reach too: atomics only.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SharedLocal {
    /// The fork deque's owner words.
    pub(crate) forks: Words<Header>,
    /// If it is not [`SATED`], the next fork should be public, or the thread is not a worker. Looked at by every fork. Relaxed
    /// everywhere: it is a hint. The heavy fence of the thief that sets it before sleeping orders it against pushes.
    request: AtomicU32,
    /// A `join_hint` at a tail above this slot does not fork.
    enough: AtomicPtr<Slot<Header>>,
    /// The task deque's owner words.
    pub(crate) tasks: Words<Header>,
    /// The ready deque's owner words.
    pub(crate) ready: Words<Header>,
}

/// The current thread's thread-local words.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct WorkerLocal {
    pub(crate) shared: SharedLocal,
    /// The worker this thread is; null on other threads.
    pub(crate) worker: Cell<*const WorkerThread>,
    /// The owner of the spawns that may go to this worker's own task deque now.
    pub(crate) context: Cell<Context>,
    /// The suspending task that is polled on this thread now; null if none is.
    pub(crate) polled: Cell<*const crate::suspend::Core>,
    /// The fiber that runs on this thread now; null if there is none, or if other code runs on top
    /// of it.
    pub(crate) fiber: Cell<*const crate::suspend::Strand>,
    /// The track that runs on this thread now, or on top of which code runs; null if neither is known.
    pub(crate) track: Cell<TrackPointer>,
    /// Whether the current job is the first of an [epoch](crate::worker::fixed::ancestry) and has not declared its parent.
    pub(super) fresh: Cell<bool>,
    /// The top of the forks if the pool's protocol is Chase and Lev's, or THE; otherwise closed. Last, so that
    /// the other fields keep their places.
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

/// The current thread's thread-local words.
///
/// Code that may have switched threads since the last call must call it again. Closures that
/// started on a thread finish on it, so the result does not change within one.
#[inline(always)]
pub(crate) fn local() -> &'static WorkerLocal {
    let local = LOCAL.with(std::ptr::from_ref);
    // SAFETY: `WorkerLocal` has no destructor, so the storage is valid until the thread's end, and the
    // reference cannot leave the thread: `WorkerLocal` is not `Sync`.
    unsafe { &*local }
}

/// [`local`] for code that may be inlined into a fiber's, between two waits.
///
/// A compiler may keep the address of a thread-local word that it has used before in the same
/// function, and the fiber may have moved to another thread since.
#[inline(never)]
pub(crate) fn local_now() -> &'static WorkerLocal {
    local()
}

/// Whether the caller runs on the small stack of a track.
#[inline(never)]
pub(crate) fn on_track() -> bool {
    !local_now().track.get().is_null()
}

/// Position of a thread in the scheduler's structures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The height of its forks.
    tail: *mut Slot<Header>,
    context: Context,
    /// The scope that can be cancelled.
    scope: *const Node,
}

impl Place {
    /// The place of a thread that is not a worker.
    pub(crate) const NOWHERE: Place = Place {
        tail: std::ptr::null_mut(),
        context: Context::ELSEWHERE,
        scope: std::ptr::null(),
    };

    /// Place of the current thread.
    pub(crate) fn here(local: &WorkerLocal) -> Self {
        Place {
            tail: local.shared.forks.tail(),
            context: local.context.get(),
            scope: cancel::current(),
        }
    }
}

impl SharedLocal {
    /// Returns true if a fork must take the slow path: a thief requests frames, or the owner offers some. Relaxed: a hint, see the
    /// field.
    #[inline(always)]
    pub(crate) fn must_look_up(&self) -> bool {
        self.request.load(Ordering::Relaxed) != SATED
    }

    /// Returns true if a thief requests frames. Relaxed, as above.
    #[inline(always)]
    pub(crate) fn is_requested(&self) -> bool {
        self.request.load(Ordering::Relaxed) >= ASKED
    }

    /// Returns true if the owner must not put off its answer: the thief that waits for it may be asleep. (A thief that has only
    /// asked will use force.)
    pub(crate) fn is_urgent(&self) -> bool {
        self.request.load(Ordering::Relaxed) >= ANNOUNCED
    }

    /// Asks the owner to expose frames at its next fork. Any thread may call it.
    pub(crate) fn ask(&self) {
        // Never less than what stands there: see `is_urgent`.
        if self.request.fetch_max(ASKED, Ordering::Relaxed) < ASKED {
            self.forget_enough();
        }
    }

    /// Asks the owner to check whether its scope was cancelled. Any thread may call it.
    pub(crate) fn ask_after_cancel(&self) {
        // Release: the flag of the scope. Acquire: what the owner has stored to `enough` before its answer.
        if self.request.fetch_max(ASKED, REQUEST) < ASKED {
            self.forget_enough();
        }
    }

    /// Called by the owner: the next fork should be public, although no thief has asked.
    pub(crate) fn offer(&self) {
        self.request.fetch_max(OFFERED, Ordering::Relaxed);
    }

    /// Records that a thief may be asleep, without a fence to follow. The owner calls it after it has taken a request and had
    /// nothing to give. A thief calls it before it sleeps on a platform without a heavy fence.
    pub(crate) fn owe(&self) {
        self.set_request(OWED);
    }

    /// Asks, on behalf of a thief that is about to sleep and will order this store against the owner's pushes by a heavy fence.
    /// Returns false if that has been done, or is being done, since the owner's last answer.
    pub(crate) fn announce(&self) -> bool {
        if self.request.load(Ordering::Relaxed) == ANNOUNCED {
            return false;
        }
        self.set_request(ANNOUNCED);
        true
    }

    fn set_request(&self, how: u32) {
        // A read-modify-write, so that the owner still acquires what a canceller released before it.
        self.request.swap(how, Ordering::Relaxed);
        self.forget_enough();
    }

    fn forget_enough(&self) {
        self.enough
            .store(without_provenance_mut(usize::MAX), Ordering::Relaxed);
    }

    /// Owner: takes the request, and says that frames up to [`ENOUGH_FRAMES`] above the current tail
    /// are worth forking by hint.
    pub(crate) fn answer(&self) {
        // First: a canceller whose request comes after the swap forgets this value.
        self.enough.store(
            self.forks.tail().wrapping_add(ENOUGH_FRAMES),
            Ordering::Relaxed,
        );
        // A read-modify-write that acquires: a canceller's flag is seen from here on, or its request stays.
        self.request.swap(SATED, ANSWER);
    }

    /// Whether a `join_hint` may omit its fork now. False on threads that are not workers.
    #[inline(always)]
    pub(crate) fn has_enough(&self) -> bool {
        self.forks.tail() > self.enough.load(Ordering::Relaxed)
    }

    /// Whether a `race_hint` may omit its fork now: a few stealable frames suffice, because its forks cost a hundred times as much.
    #[inline(always)]
    pub(crate) fn has_a_few(&self) -> bool {
        let less = ENOUGH_FRAMES - FEW_FRAMES;
        self.forks.tail().wrapping_add(less) > self.enough.load(Ordering::Relaxed)
    }
}

impl WorkerLocal {
    /// The top of this thread's forks if they are in an open deque of protocol `sharing`, otherwise a closed one.
    #[inline(always)]
    pub(crate) fn top(&self, sharing: Sharing) -> Top<Header> {
        match sharing {
            Sharing::The => self.cilk5.get(),
            _ => self.chase_lev.get(),
        }
    }

    /// Notes that the forks of this thread are in `deque` from now on, of protocol `sharing`.
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

    /// Marks the thread as not a worker again.
    pub(crate) fn detach(&self) {
        self.chase_lev.set(Top::closed());
        self.cilk5.set(Top::closed());
        self.worker.set(std::ptr::null());
        // A signal's handler that still finds a worker finds its words, too.
        compiler_fence(Ordering::SeqCst);
        self.context.set(Context::ELSEWHERE);
        let scratch = (&raw const SCRATCH).cast_mut().cast::<Slot<Header>>();
        // SAFETY: the own thread's words, and no thief uses the deques over them any more.
        unsafe {
            self.shared.forks.detach(scratch);
            self.shared.tasks.detach(scratch);
            self.shared.ready.detach(scratch);
        }
        self.shared.ask();
    }

    /// The worker that this thread is, if any.
    #[inline]
    pub(crate) fn worker(&self) -> Option<&'static WorkerThread> {
        // SAFETY: set by the worker's own thread for the time its main function runs, in which
        // the worker lives; the reference cannot leave the thread before that ends because
        // everything that runs on it returns first.
        unsafe { self.worker.get().as_ref() }
    }

    /// The worker that this thread is, if it belongs to `pool`. The pointer is only compared.
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
    fn who_may_be_asleep_is_not_forgotten_for_who_is_awake() {
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
