//! A scope: what its tasks share, and how its end is found.

use super::count::Count;
use super::label::Label;
use super::queue::{InOrder, Overflow};
use crate::task::{Header, Payload, discard};
use crate::waiting::{Reason, Until, wait_outside};
use crate::worker::{Carrier, Context, Crew, Hot, hot_now};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

/// In which order the tasks of a scope start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Lifo,
    Fifo,
}

#[derive(Debug)]
pub(super) struct Scope {
    crew: *const Crew,
    /// The hot words of the thread that opened it and waits for it.
    home: *const Hot,
    /// That thread's carrier, if it is a worker of the crew.
    carrier: Option<*const Carrier>,
    /// That thread, if it is not.
    thread: Option<Thread>,
    /// The height of the carrier's task deque when the scope began.
    floor: u32,
    count: Count,
    panic: Mutex<Option<(Label, Payload)>>,
    fifo: Option<InOrder>,
    overflow: OnceLock<Arc<Overflow>>,
}

impl Scope {
    pub(super) fn new(crew: &Crew, hot: &Hot, order: Order) -> Self {
        let carrier = hot
            .carrier()
            .filter(|carrier| std::ptr::eq(carrier.crew, crew));
        Scope {
            crew,
            home: hot,
            carrier: carrier.map(std::ptr::from_ref),
            thread: carrier.is_none().then(thread::current),
            floor: carrier.map_or(0, |carrier| carrier.tasks.height()),
            count: Count::new(),
            panic: Mutex::new(None),
            fifo: (order == Order::Fifo).then(InOrder::new),
            overflow: OnceLock::new(),
        }
    }

    pub(super) fn crew(&self) -> &Crew {
        // SAFETY: the pool outlives the scope: it is borrowed, global, or hosts this very thread.
        unsafe { &*self.crew }
    }

    /// Whether the current thread is the home worker, with this scope as the innermost thing that
    /// waits on its stack.
    fn is_innermost(&self, hot: &Hot) -> bool {
        hot.context.get() == Context::scope(self)
    }

    /// Runs the body as the innermost thing on this thread.
    pub(super) fn enclose<R>(&self, hot: &Hot, body: impl FnOnce() -> R) -> thread::Result<R> {
        let context = match self.carrier {
            Some(_) => Context::scope(self),
            None => Context::ELSEWHERE,
        };
        let outer = hot.context.replace(context);
        let result = catch_unwind(AssertUnwindSafe(body));
        hot.context.set(outer);
        result
    }

    /// Takes a task from its spawner.
    #[inline]
    pub(super) fn accept(&self, hot: &Hot, carrier: Option<&Carrier>, task: *mut Header) {
        match carrier {
            // Nearly all tasks: what the general case asks for holds here.
            Some(carrier) if self.is_innermost(hot) => {
                self.count.change_at_home(1);
                self.push(hot, carrier, task);
            }
            _ => self.accept_anywhere(hot, carrier, task),
        }
    }

    #[inline(never)]
    fn accept_anywhere(&self, hot: &Hot, carrier: Option<&Carrier>, task: *mut Header) {
        // Counted in before it is queued.
        self.count_in_on(hot);
        let admits = hot.context.get() == Context::BASE || self.is_innermost(hot);
        match carrier {
            Some(carrier) if admits && std::ptr::eq(carrier.crew, self.crew) => {
                self.push(hot, carrier, task);
            }
            _ => self.inject(task),
        }
    }

    /// Counts a task in that is queued elsewhere.
    pub(super) fn count_in(&self) {
        self.count_in_on(hot_now());
    }

    fn count_in_on(&self, hot: &Hot) {
        if std::ptr::eq(self.home, hot) {
            self.count.change_at_home(1);
        } else {
            self.count.add();
        }
    }

    /// Puts a task into the own deque.
    #[inline]
    fn push(&self, hot: &Hot, carrier: &Carrier, task: *mut Header) {
        carrier.push_task_or_inject(self.queue(task));
        if hot.shared.is_hungry() {
            carrier.feed(hot);
        }
    }

    /// Counts a task out, on the worker that ran it.
    pub(super) fn count_done(&self, hot: &Hot, carrier: &Carrier) {
        if std::ptr::eq(self.home, hot) {
            self.count.change_at_home(-1);
        } else {
            let (scope, count) = carrier.finished.get();
            debug_assert!(scope.is_null() || std::ptr::eq(scope.cast(), self));
            carrier
                .finished
                .set((std::ptr::from_ref(self).cast(), count + 1));
        }
    }

    /// What goes into the own deque for a task: itself, or a ticket in a FIFO scope.
    fn queue(&self, task: *mut Header) -> *mut Header {
        match &self.fifo {
            None => task,
            Some(queue) => queue.push(task),
        }
    }

    /// Gives a task to the pool at large.
    fn inject(&self, task: *mut Header) {
        let job = if self.fifo.is_none() && self.carrier.is_some() {
            self.overflow.get_or_init(Overflow::new).push(task)
        } else {
            self.queue(task)
        };
        self.crew().inject(job);
    }

    /// The next task for the home worker at the scope's end.
    fn next_at_home(&self, hot: &Hot, carrier: &Carrier) -> Option<*mut Header> {
        carrier
            .pop_task(hot, self.floor)
            .or_else(|| self.overflow.get()?.pop())
    }

    pub(super) fn keep_panic(&self, label: Label, payload: Payload) {
        let mut kept = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        let loser = match &mut *kept {
            Some((first, _)) if *first <= label => Some(payload),
            place => place.replace((label, payload)).map(|(_, later)| later),
        };
        drop(kept);
        // Outside the lock: a payload's own drop may do anything. Nor may it unwind from here: there
        // are tasks to wait for.
        discard(loser);
    }

    /// Waits for all tasks, and gives the body's result or the leftmost panic.
    pub(super) fn end<R>(&self, hot: &Hot, result: thread::Result<R>, end: Label) -> R {
        let result = match result {
            Ok(value) => Some(value),
            Err(payload) => {
                self.keep_panic(end, payload);
                None
            }
        };
        match self.carrier() {
            Some(carrier) => self.wait_as_worker(hot, carrier),
            None => self.wait_outside(hot),
        }
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match (panic, result) {
            (Some((_, payload)), _) => resume_unwind(payload),
            (None, Some(value)) => value,
            (None, None) => unreachable!("a body without a result has panicked"),
        }
    }

    fn carrier(&self) -> Option<&Carrier> {
        // SAFETY: carriers live as long as their crew.
        self.carrier.map(|carrier| unsafe { &*carrier })
    }

    fn wait_as_worker(&self, hot: &Hot, carrier: &Carrier) {
        let outer = hot.context.replace(Context::scope(self));
        loop {
            assert!(
                hot.carrier().is_some(),
                "heist: a scope that began before fork() cannot end in the child process"
            );
            let Some(task) = self.next_at_home(hot, carrier) else {
                break;
            };
            // SAFETY: popped, so this thread alone has it; above the floor, as in the overflow,
            // stands only what belongs to this scope.
            unsafe { Header::execute(task) };
        }
        hot.context.set(outer);
        if !self.count.settle() {
            carrier.wait_until(&Until(Reason::Scope, self.count.done()));
        }
        if carrier.tasks.height() > self.floor {
            // SAFETY: own thread; what stands there was claimed, and has run to its end.
            unsafe { carrier.tasks.rewind_read(self.floor) };
        }
    }

    fn wait_outside(&self, hot: &Hot) {
        if self.count.settle() {
            return;
        }
        let awaited = Until(Reason::Scope, self.count.done());
        match hot.carrier() {
            // A worker of another pool: that pool gets its slot meanwhile.
            Some(carrier) => carrier.wait_until(&awaited),
            None => {
                self.crew().assert_not_forked();
                wait_outside(&awaited);
            }
        }
    }
}

/// Tells the scope whose tasks this carrier has finished since the last time. Before a task of
/// another scope, and before the carrier looks for other work.
#[inline]
pub(crate) fn flush(carrier: &Carrier) {
    if carrier.finished.get().1 != 0 {
        flush_some(carrier);
    }
}

#[inline(never)]
fn flush_some(carrier: &Carrier) {
    let (scope, count) = carrier.finished.replace((std::ptr::null(), 0));
    // SAFETY: the tasks counted here are not counted out yet, so the scope is waiting for them.
    let scope = unsafe { &*scope.cast::<Scope>() };
    // Read first: once the count is 0 the scope may be gone.
    let home = scope.carrier;
    let thread = scope.thread.clone();
    if scope.count.finish(count) {
        match (home, thread) {
            // SAFETY: carriers live as long as their crew, which this thread belongs to.
            (Some(home), _) => unsafe { (*home).thread.unpark() },
            (None, Some(thread)) => thread.unpark(),
            (None, None) => {}
        }
    }
}
