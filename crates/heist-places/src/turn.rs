//! The turn: the right to receive the messages of a place, which one thread has at a time.
//!
//! Three kinds of threads take the turn:
//!
//! - The *progress thread* has the turn while no other thread receives. This thread sleeps in the transport until a message arrives.
//! - A *worker without work* looks for a message while it searches for work ([`look_from_search`]), and handles the message in a job of the
//!   pool. So a task that arrives runs on the worker that has received it, and a reply continues a task of that worker. In both cases there
//!   is no switch to another thread, which would take 5 to 50 us.
//! - A *thread that waits* for a message of another place looks for messages for a short time before it blocks ([`look`]). If a task
//!   arrives, this thread starts a job of the pool that handles the task.
//!
//! The progress thread sleeps in the transport only if no other thread has looked for a message since the last message. If another thread
//! has looked for a message since then, the progress thread *rests*. The progress thread takes the turn again as soon as the thread that
//! has looked most recently stops looking, or when no other thread has looked for the time [`REST`]. So while a worker receives, the
//! progress thread needs only one timer in each period of length `REST`. When all workers run tasks again, a message waits for at most
//! about twice the time `REST`.
//!
//! A place handles messages in the order of their arrival, because a thread keeps the turn until it has handled the message that it
//! received. A worker that searches leaves the turn, with the message, to the job that it starts. If no worker has begun that job after
//! `REST`, the progress thread takes the turn and handles the message.

use std::any::Any;
#[cfg(target_os = "linux")]
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use heist::Idle;

use crate::finish::Finishes;
use crate::place::{Place, Running, lock};
use crate::receive::handle;
use crate::transport::Event;
use crate::wire::Message;

/// The time after which the progress thread takes the turn if no other thread has looked for messages.
const REST: Duration = Duration::from_micros(100);

/// The longest time for which a place holds reports back while further messages arrive.
const MOST_HOLD: Duration = Duration::from_micros(100);

/// Number of yields after which the progress thread sleeps while another thread has the turn.
const FEW_YIELDS: u32 = 10;

/// Maximum number of messages that a thread handles before it starts the tasks that have arrived, or looks whether its wait is over.
const MOST_MESSAGES: usize = 16;

/// The longest time for which a thread looks for messages before it blocks or sleeps. A wake-up takes 5 to 50 us.
pub(crate) const MOST_LOOKS: Duration = Duration::from_micros(50);

/// The time for which the threads of a place look for messages before they block, in nanoseconds. This time is [`MOST_LOOKS`] after a wait
/// that was shorter than `MOST_LOOKS`. Each longer wait halves this time.
pub(crate) struct WaitPatience(AtomicU64);

impl Default for WaitPatience {
    fn default() -> Self {
        WaitPatience(AtomicU64::new(MOST_LOOKS.as_nanos() as u64))
    }
}

impl WaitPatience {
    pub(crate) fn get(&self) -> Duration {
        // Relaxed, here and below: the number is an estimate.
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    /// Adapts the time to the length of a wait.
    pub(crate) fn learn(&self, waited: Duration) {
        let next = if waited < MOST_LOOKS {
            MOST_LOOKS
        } else {
            self.get() / 2
        };
        if next != self.get() {
            self.0.store(next.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

/// The state of the thread that receives.
#[derive(Default)]
pub(crate) struct Turn {
    /// The time at which this place began to hold reports back.
    held: Option<Instant>,
    /// An event that has been received, but not handled.
    pub(crate) event: Option<Event>,
    /// The end of the transport: `Err` if a thread has panicked while it had the turn.
    ended: Option<Result<(), Box<dyn Any + Send>>>,
}

/// The holder of the turn.
enum Holder {
    /// No thread has the turn.
    Free(Turn),
    /// A job that has not begun will take the turn and handle its event.
    Job(Turn),
    /// A thread has the turn, or the progress thread has ended.
    Thread,
}

/// The state of a place's turn: the thread that has it, and the threads that want it.
pub(crate) struct Turns {
    holder: Mutex<Holder>,
    /// Number of looks of threads other than the progress thread.
    looks: AtomicUsize,
    /// Whether the thread that has looked for messages most recently still looks.
    looking: AtomicBool,
    /// Whether the progress thread rests because other threads receive.
    rests: AtomicBool,
    progress_thread: OnceLock<Thread>,
}

impl Default for Turns {
    fn default() -> Self {
        Turns {
            holder: Mutex::new(Holder::Free(Turn::default())),
            looks: AtomicUsize::new(0),
            looking: AtomicBool::new(false),
            rests: AtomicBool::new(false),
            progress_thread: OnceLock::new(),
        }
    }
}

impl Turns {
    /// Takes the turn, if it is free.
    pub(crate) fn take_free(&self) -> Option<Turn> {
        let mut holder = self.holder.try_lock().ok()?;
        take_if(&mut holder, |holder| matches!(holder, Holder::Free(_)))
    }

    /// Takes the turn for a thread other than the progress thread, if the turn is free.
    fn take(&self) -> Option<Turn> {
        let turn = self.take_free();
        if turn.is_some() {
            // Relaxed, here and below: the number is a hint for the progress thread. The lock orders the accesses to the turn.
            self.looks.fetch_add(1, Ordering::Relaxed);
            if !self.looking.load(Ordering::Relaxed) {
                self.looking.store(true, Ordering::Relaxed);
            }
        }
        turn
    }

    /// Takes the turn on behalf of the job for which the turn waits. Returns `None` if the progress thread has taken the turn first.
    fn take_for_job(&self) -> Option<Turn> {
        take_if(&mut lock(&self.holder), |holder| {
            matches!(holder, Holder::Job(_))
        })
    }

    pub(crate) fn put(&self, turn: Turn) {
        let ended = turn.ended.is_some();
        *lock(&self.holder) = Holder::Free(turn);
        if ended {
            self.hand_over();
        }
    }

    /// Registers the progress thread. Only this thread calls [`take_back`](Self::take_back) and [`rest`](Self::rest).
    pub(crate) fn begin(&self) {
        // By default, Linux may add 50 us to each sleep. If the system refuses, this thread's sleeps last longer than requested.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::set_current_timer_slack(NonZero::new(1));
        let _ = self.progress_thread.set(thread::current());
    }

    /// Returns the number of looks of threads other than the progress thread.
    pub(crate) fn looks(&self) -> usize {
        self.looks.load(Ordering::Relaxed)
    }

    /// Takes the turn for the progress thread. Waits while another thread has the turn. If a job has the turn and has not begun after
    /// [`REST`], takes the turn from the job, because all workers may run long tasks.
    pub(crate) fn take_back(&self) -> Turn {
        let (mut waited, mut tries) = (false, 0);
        loop {
            let turn = take_if(&mut lock(&self.holder), |holder| match holder {
                Holder::Free(_) => true,
                Holder::Job(_) => waited,
                Holder::Thread => false,
            });
            if let Some(turn) = turn {
                return turn;
            }
            // This thread yields or sleeps only shortly, because a thread has the turn for only a few microseconds.
            let before = self.looks();
            thread::yield_now();
            if tries >= FEW_YIELDS {
                self.rests.store(true, Ordering::Relaxed);
                self.park();
                waited = self.looks() == before;
            }
            tries += 1;
        }
    }

    /// Waits while other threads look for messages. The wait ends when no other thread has looked for the time [`REST`], when a thread
    /// stops looking, or when the transport has ended.
    pub(crate) fn rest(&self) {
        loop {
            let before = self.looks();
            // SeqCst, here and in `hand_over`: either this thread sees that no thread looks, or that function sees that this thread rests.
            self.rests.store(true, Ordering::SeqCst);
            if !self.looking.load(Ordering::SeqCst) {
                self.rests.store(false, Ordering::Relaxed);
                return;
            }
            self.park();
            if self.looks() == before {
                return;
            }
        }
    }

    fn park(&self) {
        thread::park_timeout(REST);
        self.rests.store(false, Ordering::Relaxed);
    }

    /// Notes that the calling thread stops looking for messages. If the progress thread rests, ends its rest.
    fn hand_over(&self) {
        self.looking.store(false, Ordering::SeqCst);
        if self.rests.load(Ordering::SeqCst) && self.rests.swap(false, Ordering::Relaxed) {
            self.unpark();
        }
    }

    fn unpark(&self) {
        if let Some(thread) = self.progress_thread.get() {
            thread.unpark();
        }
    }
}

/// Takes the turn from its holder, if `wanted` returns true for this holder.
fn take_if(holder: &mut Holder, wanted: impl FnOnce(&Holder) -> bool) -> Option<Turn> {
    if !wanted(holder) {
        return None;
    }
    match std::mem::replace(holder, Holder::Thread) {
        Holder::Free(turn) | Holder::Job(turn) => Some(turn),
        Holder::Thread => None,
    }
}

impl Turn {
    /// Returns the result with which the transport has ended, or `None` if the transport has not ended.
    pub(crate) fn end(&mut self) -> Option<Result<(), Box<dyn Any + Send>>> {
        self.ended.take()
    }

    /// Returns true if there is neither an event to handle nor a report to send.
    pub(crate) fn is_idle(&self) -> bool {
        self.event.is_none() && self.held.is_none() && self.ended.is_none()
    }

    /// Returns the next event, if one has arrived. Returns `None` after the end of the transport.
    pub(crate) fn next(&mut self, place: &Place) -> Option<Event> {
        if self.ended.is_some() {
            return None;
        }
        self.event.take().or_else(|| place.transport.next(false))
    }

    /// Handles an event.
    fn handle(&mut self, place: &Arc<Place>, event: Event, tasks: &mut Vec<Pin<Box<Running>>>) {
        if self.held.is_none() {
            self.held = Some(Instant::now());
            place.hold_reports();
        }
        if !handle(place, event, tasks) {
            self.ended.get_or_insert(Ok(()));
        }
        if self.held.is_some_and(|since| since.elapsed() > MOST_HOLD) {
            self.release(place);
        }
    }

    /// Sends the reports that this place has held back.
    pub(crate) fn release(&mut self, place: &Arc<Place>) {
        if self.held.take().is_some() {
            place.step(Finishes::release);
        }
    }

    /// Handles the events that have arrived, at most [`MOST_MESSAGES`], and starts the tasks among them.
    pub(crate) fn handle_arrived(&mut self, place: &Arc<Place>) {
        let mut tasks = Vec::new();
        for _ in 0..MOST_MESSAGES {
            let Some(event) = self.next(place) else {
                self.release(place);
                break;
            };
            self.handle(place, event, &mut tasks);
        }
        place.start_arrived(&mut tasks);
    }

    /// Calls `work` with this turn, and puts the turn back. If `work` panics, the progress thread rethrows the panic.
    fn with(mut self, turns: &Turns, work: impl FnOnce(&mut Turn)) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(&mut self))) {
            self.ended = Some(Err(payload));
        }
        turns.put(self);
    }
}

/// The outcome of a look for messages by a thread that waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Another thread has the turn.
    Busy,
    /// The thread has handled the messages that had arrived, if there were any.
    Done,
    /// A task has arrived. A job of the pool handles the task, and may need the worker on which this thread waits.
    Task,
}

/// Notes that the calling thread, which has looked for messages, is about to block.
pub(crate) fn stop_looking(place: &Place) {
    place.turns.hand_over();
}

/// Handles the messages that have arrived, for a thread that waits. Leaves tasks to a job, because code of the user must not run in the
/// middle of the waiting code. Otherwise the user's code would see the cancel scope and the isolated section of the waiting code.
pub(crate) fn look(place: &Arc<Place>) -> Look {
    let Some(mut turn) = place.turns.take() else {
        return Look::Busy;
    };
    let handled = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..MOST_MESSAGES {
            let Some(event) = turn.next(place) else {
                turn.release(place);
                break;
            };
            if matches!(&event, Event::Frame { bytes, .. } if Message::is_task(bytes)) {
                turn.event = Some(event);
                return Look::Task;
            }
            // No task is among these events.
            turn.handle(place, event, &mut Vec::new());
        }
        Look::Done
    }));
    match handled {
        Ok(Look::Task) => {
            leave_to_job(place, turn);
            return Look::Task;
        }
        Ok(_) => {}
        Err(payload) => turn.ended = Some(Err(payload)),
    }
    place.turns.put(turn);
    Look::Done
}

/// Looks for a message, for a worker that searches for work. If a message has arrived, starts a job that handles it, and returns true. A
/// job handles the message because code of the user may run then, and a searching worker must not run such code.
pub(crate) fn look_from_search(place: &Arc<Place>, idle: Idle) -> bool {
    let turns = &place.turns;
    if idle == Idle::Sleeps {
        turns.hand_over();
        return false;
    }
    let Some(mut turn) = turns.take() else {
        return false;
    };
    match catch_unwind(AssertUnwindSafe(|| turn.next(place))) {
        Ok(event) => turn.event = event,
        Err(payload) => turn.ended = Some(Err(payload)),
    }
    if turn.ended.is_some() || turn.is_idle() {
        turns.put(turn);
        return false;
    }
    leave_to_job(place, turn)
}

/// Starts a job of the pool that handles the turn's event. If the pool has been taken, returns false, and the progress thread handles the
/// event.
fn leave_to_job(place: &Arc<Place>, turn: Turn) -> bool {
    *lock(&place.turns.holder) = Holder::Job(turn);
    let on = Arc::clone(place);
    let job = move || {
        if let Some(turn) = on.turns.take_for_job() {
            turn.with(&on.turns, |turn| turn.handle_arrived(&on));
        }
    };
    place.with_pool(|pool| pool.spawn_detached(job)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_has_the_turn() {
        let turns = Turns::default();
        let turn = turns.take().unwrap();
        assert!(turns.take().is_none() && turns.take_for_job().is_none());
        turns.put(turn);
        assert_eq!(turns.looks(), 1);
        assert!(turns.take_back().is_idle());
        assert!(turns.take().is_none());
    }

    #[test]
    fn a_job_that_does_not_begin_loses_the_turn() {
        let turns = Turns::default();
        let mut turn = turns.take().unwrap();
        turn.event = Some(Event::Down(7));
        *lock(&turns.holder) = Holder::Job(turn);
        assert!(turns.take().is_none());
        assert_eq!(turns.take_back().event, Some(Event::Down(7)));
        assert!(turns.take_for_job().is_none());
    }

    #[test]
    fn the_progress_thread_rests_while_another_thread_looks() {
        let turns = Turns::default();
        // No thread looks.
        turns.rest();
        let looked = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let began = Instant::now();
                while began.elapsed() < Duration::from_millis(20) {
                    let turn = turns.take().unwrap();
                    turns.put(turn);
                    looked.store(1, Ordering::Relaxed);
                }
                turns.hand_over();
                assert!(!turns.looking.load(Ordering::Relaxed));
            });
            turns.begin();
            while looked.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            turns.rest();
        });
        assert!(!turns.rests.load(Ordering::Relaxed));
    }
}
