//! The state of one place: its pool, and the tables of all waits.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll, Waker, ready};

use heist::Pool;

use crate::activity::{Activity, Conclusion, News, Origin};
use crate::balance::Balances;
use crate::caught::Caught;
use crate::collective::Collectives;
use crate::finish::{Action, Failure, FinishId, Finishes, Position, Report};
use crate::global_ref::Objects;
use crate::progress::Departure;
use crate::slot::{Setter, Slot, slot};
use crate::task::Arrival;
use crate::transport::Transport;
use crate::turn::{Turns, WaitPatience};
use crate::wire::{HEAD, Message, append, encode};
use crate::{PlaceError, Waiting};

/// The state of a place, which all `World`s of the place share.
pub(crate) struct Place {
    pub(crate) here: usize,
    pub(crate) places: usize,
    pub(crate) workers: usize,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) turns: Turns,
    pub(crate) wait_patience: WaitPatience,
    pub(crate) departure: Departure,
    pub(crate) collectives: Mutex<Collectives>,
    pub(crate) objects: Objects,
    pub(crate) balances: Balances,
    /// The pool, or `None` after the program has ended at this place.
    pool: RwLock<Option<Pool>>,
    finishes: Mutex<Finishes>,
    calls: Mutex<Calls>,
}

/// The encoded result of a call, or its error.
pub(crate) type Answer = Result<Vec<u8>, PlaceError>;

#[derive(Default)]
struct Calls {
    next: u64,
    /// Calls that have not been answered.
    open: HashMap<u64, Call>,
    /// Replies that wait until a home has acknowledged a report. The key is the number of the report.
    held: HashMap<u64, Held>,
    /// The open finishes whose home is this place, by number.
    finishes: HashMap<u64, Open>,
    dead: BTreeSet<usize>,
}

/// A finish that has not ended: its waiter, and the activity that opened it.
struct Open {
    setter: Setter<Result<(), PlaceError>>,
    parent: Option<Arc<Activity>>,
}

struct Call {
    to: usize,
    caller: Arc<Activity>,
    setter: Setter<Answer>,
}

struct Held {
    home: usize,
    caller: usize,
    ticket: u64,
    conclusion: Conclusion,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "place {} of {}", self.here, self.places)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Place {
    pub(crate) fn new(transport: Arc<dyn Transport>, pool: Pool) -> Arc<Self> {
        let (here, places) = (transport.here(), transport.places());
        Arc::new(Place {
            here,
            places,
            workers: pool.threads(),
            transport,
            turns: Turns::default(),
            wait_patience: WaitPatience::default(),
            departure: Departure::default(),
            collectives: Mutex::default(),
            objects: Objects::default(),
            balances: Balances::default(),
            pool: RwLock::new(Some(pool)),
            finishes: Mutex::new(Finishes::new(here, places)),
            calls: Mutex::default(),
        })
    }

    pub(crate) fn send(&self, to: usize, message: &Message) {
        self.transport.send(to, encode(message));
    }

    /// Takes the pool out of this place. No task starts at this place after this call.
    pub(crate) fn take_pool(&self) -> Option<Pool> {
        self.pool
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Calls a closure with the pool. Returns `None` if the pool has been taken.
    pub(crate) fn with_pool<R>(&self, work: impl FnOnce(&Pool) -> R) -> Option<R> {
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        pool.as_ref().map(work)
    }

    /// Starts a future in the pool, without an activity. If the pool has been taken, drops the future and returns false.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> bool {
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        let Some(pool) = pool.as_ref() else {
            // Release the lock first: dropping the future may end an activity, which needs this
            // lock.
            drop(pool);
            return false;
        };
        drop(pool.spawn_async(future));
        true
    }

    /// Runs the future `rest` of an operation in the pool, even if no task awaits its outcome. If `rest` panics, the outcome is an error.
    pub(crate) fn operation<T: Send + 'static>(
        &self,
        rest: impl Future<Output = Result<T, PlaceError>> + Send + 'static,
    ) -> Waiting<T> {
        let here = self.here;
        let (setter, outcome) = slot();
        let rest = Caught::new(rest);
        let started = self.spawn(async move {
            let outcome = rest.await;
            setter
                .set(outcome.unwrap_or_else(|payload| Err(PlaceError::of_panic(here, &*payload))));
        });
        Waiting::new(async move {
            if started {
                outcome.await
            } else {
                Err(PlaceError::Left { place: here })
            }
        })
    }

    /// Checks that the transport can send a frame of `bytes` bytes after a header of at most `head` bytes.
    ///
    /// # Errors
    /// If the frame is too long, returns an error with a message.
    pub(crate) fn check_length(&self, head: usize, bytes: usize) -> Result<(), String> {
        if bytes.saturating_add(head) > self.transport.longest() {
            return Err(format!(
                "heist-places: a message of {bytes} bytes is too long"
            ));
        }
        Ok(())
    }

    /// Starts the code of an activity, and ends the activity when the code has ended.
    pub(crate) fn launch(
        self: &Arc<Self>,
        activity: Arc<Activity>,
        work: impl Future<Output = Vec<u8>> + Send + 'static,
    ) {
        self.spawn(self.running(activity, work));
    }

    /// Creates the future that runs an activity's code, and ends the activity when the code has ended.
    fn running<W: Future<Output = Vec<u8>> + Send + 'static>(
        self: &Arc<Self>,
        activity: Arc<Activity>,
        work: W,
    ) -> Pin<Box<Running>> {
        Box::pin(Running {
            place: Arc::clone(self),
            activity: Some(activity),
            work: Caught::new(work),
        })
    }

    /// Prepares the code of an activity that has arrived from another place. With [`Arrival::Immediate`], runs the code up to its first
    /// wait. If code is left that the pool must run, returns this code.
    pub(crate) fn receive_task(
        self: &Arc<Self>,
        activity: Arc<Activity>,
        work: impl Future<Output = Vec<u8>> + Send + 'static,
        arrival: Arrival,
    ) -> Option<Pin<Box<Running>>> {
        let mut running = self.running(activity, work);
        if arrival == Arrival::Immediate
            && running
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_ready()
        {
            return None;
        }
        Some(running)
    }

    /// Starts tasks that have arrived, in the order of their arrival.
    pub(crate) fn start_arrived(&self, tasks: &mut Vec<Pin<Box<Running>>>) {
        // A worker puts tasks into its own deque, from which it takes the newest task first.
        if heist::current_worker_index().is_some() {
            tasks.reverse();
        }
        for task in tasks.drain(..) {
            self.spawn(task);
        }
    }

    /// Opens a finish. Returns the activity of the finish's body, and a future for the end of the finish.
    pub(crate) fn open_finish(
        &self,
        parent: Option<Arc<Activity>>,
    ) -> (Arc<Activity>, Slot<Result<(), PlaceError>>) {
        let (setter, ended) = slot();
        let id = lock(&self.finishes).open();
        lock(&self.calls)
            .finishes
            .insert(id.number, Open { setter, parent });
        (Activity::new(id, Origin::Counted, Vec::new()), ended)
    }

    /// Counts a task that an activity is about to start, at this place or at another place.
    pub(crate) fn count(&self, parent: &Activity, to: usize) {
        let mut finishes = lock(&self.finishes);
        match (to == self.here, parent.origin) {
            (true, Origin::Counted) => finishes.spawn(parent.finish),
            // The visit will report that it has sent this task.
            (true, Origin::Visit { .. }) => finishes.receive(parent.finish, to),
            (false, Origin::Counted) => finishes.send(parent.finish, to),
            (false, Origin::Visit { .. }) => {}
        }
    }

    pub(crate) fn count_visit(&self, finish: FinishId) {
        lock(&self.finishes).visit(finish);
    }

    pub(crate) fn count_arrival(&self, finish: FinishId, from: usize) {
        lock(&self.finishes).receive(finish, from);
    }

    /// Holds reports back until the call of [`Finishes::release`], because more messages have arrived.
    pub(crate) fn hold_reports(&self) {
        lock(&self.finishes).hold();
    }

    /// Registers a call. Returns the ticket of the call and a future for the answer. If the called place has died, returns no ticket, and
    /// the answer is an error.
    pub(crate) fn call(
        self: &Arc<Self>,
        to: usize,
        caller: &Arc<Activity>,
    ) -> (Option<u64>, Slot<Answer>) {
        let (setter, answer) = slot();
        let mut calls = lock(&self.calls);
        if calls.dead.contains(&to) {
            drop(calls);
            setter.set(Err(PlaceError::Lost {
                place: to,
                tasks: 1,
            }));
            return (None, answer);
        }
        let ticket = calls.next;
        calls.next += 1;
        let caller = Arc::clone(caller);
        calls.open.insert(ticket, Call { to, caller, setter });
        (Some(ticket), answer)
    }

    /// Handles the answer to a call.
    pub(crate) fn answer(self: &Arc<Self>, ticket: u64, answer: Answer) {
        let call = lock(&self.calls).open.remove(&ticket);
        if let Some(call) = call {
            call.setter.set(answer);
            call.caller.answered(self, false);
        }
    }

    /// Handles the end of an activity.
    pub(crate) fn ended(
        self: &Arc<Self>,
        activity: &Activity,
        at: Position,
        conclusion: Conclusion,
        news: News,
    ) {
        let finish = activity.finish;
        let (caller, ticket) = match activity.origin {
            Origin::Counted => {
                let failure = match conclusion {
                    Conclusion::Failed(error) => Some(Failure { at, error }),
                    Conclusion::Returned(_) => None,
                };
                self.step(|finishes| finishes.end(finish, failure));
                return;
            }
            Origin::Visit { caller, ticket } => (caller, ticket),
        };
        let mut conclusion = Some(conclusion);
        self.step(|finishes| {
            if news.sent.is_empty() && !news.lost {
                return finishes.end(finish, None);
            }
            let (report, actions) = finishes.end_visit(finish, news.sent);
            if let Some(report) = report {
                // Frames to one place keep their order. If the caller is at the home, the reply follows this report
                // and cannot overtake it, so no acknowledgement is needed.
                let acknowledge = (finish.home != caller)
                    .then(|| self.hold(finish.home, caller, ticket, &mut conclusion));
                self.send_report(finish, report, acknowledge.flatten());
            }
            actions
        });
        if let Some(conclusion) = conclusion {
            self.reply(caller, ticket, conclusion);
        }
    }

    fn send_report(&self, finish: FinishId, report: Report, acknowledge: Option<u64>) {
        let message = Message::Report {
            finish,
            report,
            acknowledge,
        };
        self.send(finish.home, &message);
    }

    /// Holds a reply back until the home acknowledges the report with the returned number. Returns `None`, and does
    /// not hold the reply, if the home has died.
    fn hold(
        &self,
        home: usize,
        caller: usize,
        ticket: u64,
        conclusion: &mut Option<Conclusion>,
    ) -> Option<u64> {
        let mut calls = lock(&self.calls);
        if calls.dead.contains(&home) {
            return None;
        }
        let conclusion = conclusion.take()?;
        let number = calls.next;
        calls.next += 1;
        calls.held.insert(
            number,
            Held {
                home,
                caller,
                ticket,
                conclusion,
            },
        );
        Some(number)
    }

    /// Handles the acknowledgement of a report.
    pub(crate) fn acknowledged(self: &Arc<Self>, number: u64) {
        let held = lock(&self.calls).held.remove(&number);
        if let Some(held) = held {
            self.reply(held.caller, held.ticket, held.conclusion);
        }
    }

    fn reply(self: &Arc<Self>, caller: usize, ticket: u64, conclusion: Conclusion) {
        if caller == self.here {
            self.answer(
                ticket,
                match conclusion {
                    Conclusion::Returned(bytes) => Ok(bytes),
                    Conclusion::Failed(error) => Err(error),
                },
            );
            return;
        }
        let (error, bytes) = match conclusion {
            Conclusion::Returned(bytes) => match self.check_length(HEAD, bytes.len()) {
                Ok(()) => (None, bytes),
                Err(message) => {
                    let place = self.here;
                    (Some(PlaceError::Panicked { place, message }), Vec::new())
                }
            },
            Conclusion::Failed(error) => (Some(error), Vec::new()),
        };
        let mut frame = append(
            &Message::Reply { ticket, error },
            Vec::with_capacity(16 + bytes.len()),
        );
        frame.extend_from_slice(&bytes);
        self.transport.send(caller, frame);
    }

    /// Takes a step of the protocol, and carries out its actions. Sends messages under the lock, because an answer to
    /// a probe must not overtake an earlier report.
    pub(crate) fn step(self: &Arc<Self>, step: impl FnOnce(&mut Finishes) -> Vec<Action>) {
        let mut done = Vec::new();
        {
            let mut finishes = lock(&self.finishes);
            for action in step(&mut finishes) {
                match action {
                    Action::Report(finish, report) => self.send_report(finish, report, None),
                    Action::Probe(place, finish, dead) => {
                        self.send(place, &Message::Probe { finish, dead })
                    }
                    Action::Done(number, outcome) => done.push((number, outcome)),
                }
            }
        }
        for (number, outcome) in done {
            let waiter = lock(&self.calls).finishes.remove(&number);
            if let Some(Open { setter, parent }) = waiter {
                setter.set(outcome);
                if let Some(parent) = parent {
                    parent.answered(self, false);
                }
            }
        }
    }

    /// Handles the death of a place: all waits for it fail.
    pub(crate) fn down(self: &Arc<Self>, place: usize) {
        let (lost, released) = {
            let mut calls = lock(&self.calls);
            calls.dead.insert(place);
            let lost: Vec<Call> = calls
                .open
                .extract_if(|_, call| call.to == place)
                .map(|(_, call)| call)
                .collect();
            let released: Vec<Held> = calls
                .held
                .extract_if(|_, held| held.home == place)
                .map(|(_, held)| held)
                .collect();
            (lost, released)
        };
        self.step(|finishes| finishes.down(place));
        for call in lost {
            call.setter.set(Err(PlaceError::Lost { place, tasks: 1 }));
            call.caller.answered(self, true);
        }
        for held in released {
            self.reply(held.caller, held.ticket, held.conclusion);
        }
    }
}

/// A running task. If the task is dropped before its code has ended, its activity ends with an
/// error.
pub(crate) struct Running {
    place: Arc<Place>,
    activity: Option<Arc<Activity>>,
    work: Caught<Vec<u8>>,
}

impl Future for Running {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let conclusion = match ready!(Pin::new(&mut self.work).poll(context)) {
            Ok(bytes) => Conclusion::Returned(bytes),
            Err(payload) => Conclusion::Failed(PlaceError::of_panic(self.place.here, &*payload)),
        };
        if let Some(activity) = self.activity.take() {
            activity.conclude(&self.place, conclusion);
        }
        Poll::Ready(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(activity) = self.activity.take() {
            let place = self.place.here;
            let error = if self.place.with_pool(|_| ()).is_none() {
                PlaceError::Left { place }
            } else {
                let message = "the task was dropped before its end".to_owned();
                PlaceError::Panicked { place, message }
            };
            activity.conclude(&self.place, Conclusion::Failed(error));
        }
    }
}
