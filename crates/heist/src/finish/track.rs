//! Tracks: stacks on which the bodies and tasks of work-first scopes run.

use super::Finish;
use super::drive;
use super::joint::Joint;
use super::label::Place as Order;
use super::scope::Scope;
use crate::cancel;
use crate::fiber::{Coroutine, FiberLabel, Suspender};
use crate::policy::SpawnPolicy;
use crate::suspend::Isolation;
use crate::task::Header;
use crate::worker::{Place, WorkerLocal, WorkerThread, local_now};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null};
use std::thread;

/// Greatest number of idle tracks that a worker keeps.
const KEPT: usize = 64;
/// Greatest number of spawners in a worker's deque, each with a stack of its own.
const DEEP: u32 = 1024;
/// Minimum number of tasks in the deque for an adaptive scope to run new tasks immediately.
const FEW: u32 = 8;

/// The receiver of a track's report that its work has ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Report {
    /// The track that spawned the task.
    Spawner(*const Track),
    /// A scope, which counts the task.
    Task,
    /// A scope, whose body has ended.
    Body,
}

/// Work for a track. The function `start` takes the work from the address `at`, and must not
/// unwind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) start: unsafe fn(&Track, *mut ()),
    pub(super) at: *mut (),
}

/// A stack with a coroutine that runs one body or task after the other. While a spawned task runs, the header of
/// its spawner's track is in a deque, and represents the rest of the spawner.
///
/// A track belongs to the thread that runs it or keeps it idle. While a track is in a deque, it belongs to the thread that takes it. If a
/// track's work has ended, but some tasks that this work spawned have not, the track belongs to the last of these tasks to end.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Track {
    header: Header,
    coroutine: UnsafeCell<Option<Coroutine>>,
    suspender: Cell<*const Suspender>,
    /// The place of the thread that resumed the track: its forks and its context at the time of the resumption.
    place: Cell<Place>,
    /// The index in the deque at which the spawner was pushed.
    pub(super) slot: Cell<u32>,
    pub(super) scope: Cell<*const Scope>,
    pub(super) report: Cell<Report>,
    job: Cell<Option<Job>>,
    /// The track of a new task. The code on this track has spawned this task, and has stopped so that the task can run.
    spawned: Cell<*const Track>,
    pub(super) joint: Joint,
}

impl Track {
    /// Returns a track with a stack of the current worker, if one is available.
    fn new(worker: &WorkerThread) -> Option<NonNull<Track>> {
        // SAFETY: `worker` is the current thread's worker, so its own thread calls this function.
        let stack = unsafe { worker.take_stack() }?.ok()?;
        let body = |suspender: &Suspender, this: *mut ()| {
            let this = this.cast_const().cast::<Track>();
            // SAFETY: the track lives until this closure has returned (`retire`), and while the coroutine runs, only it
            // accesses these cells.
            unsafe {
                (*this).suspender.set(suspender);
                while let Some(job) = (*this).job.take() {
                    (job.start)(&*this, job.at);
                    suspender.suspend();
                }
            }
        };
        let label = FiberLabel::here(Some("work-first body or task"));
        // SAFETY: the track outlives the coroutine. The code that built the pool has promised that no value on the stack depends on the
        // thread; Heist's own stack frames do not depend on the thread either.
        let coroutine = unsafe { Coroutine::new(stack, label, body) };
        Some(NonNull::from(Box::leak(Box::new(Track {
            header: Header::new(drive::go_on),
            coroutine: UnsafeCell::new(Some(coroutine)),
            suspender: Cell::new(null()),
            place: Cell::new(Place::NOWHERE),
            slot: Cell::new(0),
            scope: Cell::new(null()),
            report: Cell::new(Report::Body),
            job: Cell::new(None),
            spawned: Cell::new(null()),
            joint: Joint::new(),
        }))))
    }

    /// Gives work to an idle track.
    pub(super) fn prepare(&self, scope: *const Scope, report: Report, job: Job) {
        self.scope.set(scope);
        self.report.set(report);
        self.job.set(Some(job));
        self.joint.begin();
    }

    /// Runs the track until its work ends or spawns a task. Returns the track of the spawned task, which the
    /// caller runs next.
    ///
    /// # Safety
    /// The track must belong to the caller, and must have work. The caller must run on another stack.
    #[inline(always)]
    pub(super) unsafe fn resume(
        &self,
        local: &WorkerLocal,
        place: Place,
    ) -> Option<NonNull<Track>> {
        self.place.set(place);
        local.track.set(self);
        // SAFETY: the track belongs to the caller by contract, so only the caller uses the
        // coroutine; the code that runs on the coroutine does not access this cell.
        if let Some(coroutine) = unsafe { &mut *self.coroutine.get() } {
            let _ = coroutine.resume(std::ptr::from_ref(self).cast_mut().cast());
        }
        NonNull::new(self.spawned.replace(null()).cast_mut())
    }

    /// Returns the word that represents the track in a deque.
    pub(super) fn header(&self) -> *mut Header {
        std::ptr::from_ref(&self.header).cast_mut()
    }

    /// Returns the track of a header.
    ///
    /// # Safety
    /// `header` must come from [`header`](Self::header).
    pub(super) unsafe fn of<'a>(header: *mut Header) -> &'a Track {
        // SAFETY: the header is the track's first field.
        unsafe { &*header.cast_const().cast::<Track>() }
    }

    /// Returns true if the code that runs on the track can stop at this point. The thread must not have begun other code on top of the
    /// track. (`suspend::fiber` has the same test for fibers.)
    fn can_stop(&self, local: &WorkerLocal) -> bool {
        self.place.get() == Place::here(local)
            && !thread::panicking()
            && Isolation::current() == Isolation::None
    }

    /// Returns an idle track for a task of the code that runs on this track, if that task should run
    /// immediately.
    pub(super) fn for_child(
        &self,
        local: &WorkerLocal,
        policy: SpawnPolicy,
    ) -> Option<NonNull<Track>> {
        let worker = local.worker()?;
        let first = match policy {
            SpawnPolicy::Adaptive => {
                !local.shared.is_requested()
                    && worker.tasks.height().saturating_sub(worker.tasks.head()) >= FEW
            }
            _ => true,
        };
        if !first || worker.tracks.depth.get() >= DEEP || !self.can_stop(local) {
            return None;
        }
        Tracks::take(worker)
    }

    /// Runs a task immediately, on the track `child`. Returns when some thread, perhaps not the current thread, continues the calling code.
    ///
    /// Both this function and the switch are inlined: a call around the switch would make two
    /// predictions of returns fail.
    ///
    /// # Safety
    /// The caller must run on this track, and the track must be able to stop at this point. `child` must be
    /// idle and must belong to the caller.
    #[inline(always)]
    pub(super) unsafe fn spawn<'scope, F>(&self, child: NonNull<Track>, order: Order, work: F)
    where
        F: FnOnce(&Finish<'scope>) + Send + 'scope,
    {
        // The task moves the launch out of this variable.
        let mut launch = ManuallyDrop::new(Launch { order, work });
        let job = Job {
            start: start::<F>,
            at: (&raw mut launch).cast(),
        };
        // SAFETY: the child is idle and belongs to the caller, so it exists; the suspender belongs to the
        // coroutine that runs this code.
        unsafe {
            child
                .as_ref()
                .prepare(self.scope.get(), Report::Spawner(self), job);
            self.spawned.set(child.as_ptr());
            (*self.suspender.get()).suspend();
        }
    }

    /// Pushes a spawner into the deque: the spawner of the task that begins on this track. Once the spawner is in the deque, the spawner
    /// may continue on another thread.
    #[inline(never)]
    fn publish_spawner(&self) {
        let Report::Spawner(spawner) = self.report.get() else {
            return;
        };
        let local = local_now();
        let Some(worker) = local.worker() else {
            unreachable!("tracks run on workers");
        };
        worker.tracks.depth.set(worker.tracks.depth.get() + 1);
        self.slot.set(worker.tasks.height());
        // SAFETY: the spawner has stopped, and belongs to this thread until it is pushed.
        worker.push_task_or_inject(unsafe { (*spawner).header() });
        if local.shared.is_requested() {
            worker.answer_request(local);
        }
    }
}

/// A task's closure. The closure is on the stack of the task's spawner, or on the stack of the worker that starts the task.
pub(super) struct Launch<F> {
    pub(super) order: Order,
    pub(super) work: F,
}

/// Moves a task out of its launch and runs it.
pub(super) unsafe fn start<'scope, F>(track: &Track, at: *mut ())
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    // SAFETY: `at` is a launch of that type, which only this function moves out. The launch stays in place while the
    // spawner is stopped, and no thread resumes the spawner before `publish_spawner`.
    let Launch { order, work } = unsafe { std::ptr::read(at.cast::<Launch<F>>()) };
    track.publish_spawner();
    let scope = track.scope.get();
    let handle = Finish::new(scope, std::ptr::from_ref(track).cast(), order);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        // If the scope was cancelled, the task does not begin, and the drop of this variable drops
        // it.
        let work = work;
        cancel::check();
        work(&handle);
    }));
    if let Err(payload) = ended {
        // SAFETY: the scope waits for this task.
        unsafe { (*scope).keep_panic(order.end(), payload) };
    }
}

/// The tracks of one worker; only its own thread uses them.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    idle: UnsafeCell<Vec<NonNull<Track>>>,
    /// Number of spawners that this worker has pushed and that are still in its deque.
    pub(super) depth: Cell<u32>,
}

impl Tracks {
    /// Returns an idle track, if there is memory for one. Only the worker's own thread may call this function.
    #[inline]
    pub(super) fn take(worker: &WorkerThread) -> Option<NonNull<Track>> {
        // SAFETY: this is the worker's own thread, and the reference ends with this statement.
        let idle = unsafe { &mut *worker.tracks.idle.get() }.pop();
        idle.or_else(|| Track::new(worker))
    }

    /// Takes back a track whose work has ended. Only the worker's own thread may call this function.
    ///
    /// # Safety
    /// The track must belong to the caller, its work must have ended, and all tasks that had to report to the track must have reported.
    #[inline]
    pub(super) unsafe fn keep(worker: &WorkerThread, track: NonNull<Track>) {
        // SAFETY: this is the worker's own thread, and the reference ends with this function.
        let idle = unsafe { &mut *worker.tracks.idle.get() };
        if idle.len() < KEPT {
            idle.push(track);
        } else {
            // SAFETY: by contract, the track belongs to the caller and is idle.
            unsafe { retire(track) };
        }
    }
}

/// Ends an idle track, and frees the track and its stack.
///
/// # Safety
/// The track must belong to the caller, its work must have ended, and all tasks that had to report to the track must have reported.
#[cold]
unsafe fn retire(track: NonNull<Track>) {
    // SAFETY: by contract the track belongs to the caller alone, and it was made from a `Box`.
    let track = unsafe { Box::from_raw(track.as_ptr()) };
    // SAFETY: the track belongs to this thread, so no other thread uses the coroutine.
    if let Some(coroutine) = unsafe { &mut *track.coroutine.get() } {
        // Without work the coroutine returns, even if it was never begun.
        let _ = coroutine.resume(std::ptr::from_ref(&*track).cast_mut().cast());
    }
}

impl Drop for Tracks {
    fn drop(&mut self) {
        for track in std::mem::take(self.idle.get_mut()) {
            // SAFETY: the track is idle, and belongs to the worker whose list this is.
            unsafe { retire(track) };
        }
    }
}
