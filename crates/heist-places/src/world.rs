//! The view that a task has of all places.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::activity::{Activity, Conclusion, Origin};
use crate::caught::Caught;
use crate::collective::ROOT;
use crate::place::{Place, lock};
use crate::task::number;
use crate::wire::{HEAD, Message, append};
use crate::{GlobalRef, PlaceError, Task, Waiting};

/// The view that a task has of all places.
///
/// A clone represents the same task as the original. A clone that outlives its task can no longer
/// start other tasks.
#[derive(Clone)]
pub struct World {
    place: Arc<Place>,
    activity: Arc<Activity>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World(place {} of {})", self.here(), self.places())
    }
}

impl World {
    pub(crate) fn new(place: Arc<Place>, activity: Arc<Activity>) -> Self {
        World { place, activity }
    }

    pub(crate) fn place(&self) -> &Arc<Place> {
        &self.place
    }

    /// Returns the index of this place, from 0.
    #[must_use]
    pub fn here(&self) -> usize {
        self.place.here
    }

    /// Returns the number of places, including places that have died.
    #[must_use]
    pub fn places(&self) -> usize {
        self.place.places
    }

    /// Returns the number of workers of this place's pool.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.place.workers
    }

    /// Runs a task at a place, and returns its result.
    ///
    /// The task starts even if the caller does not await the result. If `place` is this place, this function moves the task's arguments.
    /// Otherwise this function encodes the arguments. A call to another place takes two messages, one in each direction.
    ///
    /// # Errors
    /// Returns [`Panicked`](PlaceError::Panicked) if the task panics, and [`Lost`](PlaceError::Lost) if the place dies before it answers.
    ///
    /// # Panics
    /// Panics if `place` does not exist, if `T` is not [registered](crate::register), or if the task to which this world belongs has ended.
    /// Also panics if the task cannot be encoded, or is longer than the longest message of the transport (4 GiB between processes of one
    /// machine).
    ///
    /// # Examples
    /// See [`Task`].
    pub fn at<T: Task>(&self, place: usize, task: T) -> Waiting<T::Output> {
        self.check(place);
        let kind = number::<T>();
        if place == self.here() {
            return self.at_here(task);
        }
        // Encode the arguments before the task is counted, because encoding may panic.
        let arguments = self.arguments(&task);
        let answer = self.activity.start(place, false, |position| {
            let (ticket, answer) = self.place.call(place, &self.activity);
            if ticket.is_some() {
                self.post(place, kind, position, ticket, &arguments);
            }
            (ticket.is_none(), answer)
        });
        let (failed, answer) = answer;
        if failed {
            self.activity.answered(&self.place, true);
        }
        let here = self.here();
        Waiting::for_message(&self.place, async move { read(here, &answer.await?) })
    }

    fn at_here<T: Task>(&self, task: T) -> Waiting<T::Output> {
        let output = Arc::new(Mutex::new(None));
        let here = self.here();
        let (activity, answer) = self.activity.start(here, false, |position| {
            let (ticket, answer) = self.place.call(here, &self.activity);
            let activity = ticket.map(|ticket| {
                let finish = self.activity.finish;
                self.place.count_visit(finish);
                let caller = here;
                Activity::new(finish, Origin::Visit { caller, ticket }, position)
            });
            (activity, answer)
        });
        // Launch the task outside of `start`: if the place has no pool any more, the task ends immediately, and locks this activity to
        // answer the call.
        if let Some(activity) = activity {
            let world = World::new(Arc::clone(&self.place), Arc::clone(&activity));
            let output = Arc::clone(&output);
            let work = async move {
                let value = task.run(world).await;
                *lock(&output) = Some(value);
                Vec::new()
            };
            self.place.launch(activity, work);
        } else {
            self.activity.answered(&self.place, true);
        }
        Waiting::new(async move {
            answer.await?;
            let value = lock(&output).take();
            value.ok_or(PlaceError::Lost {
                place: here,
                tasks: 1,
            })
        })
    }

    /// Starts a task at a place, as a part of the finish to which this world's task belongs.
    ///
    /// If the task panics or its place dies, that finish returns an error.
    ///
    /// # Panics
    /// Panics like [`at`](World::at).
    ///
    /// # Examples
    /// See [`finish`](World::finish).
    pub fn async_at<T: Task>(&self, place: usize, task: T) {
        self.check(place);
        let kind = number::<T>();
        if place != self.here() {
            let arguments = self.arguments(&task);
            self.activity.start(place, true, |position| {
                self.place.count(&self.activity, place);
                self.post(place, kind, position, None, &arguments);
            });
            return;
        }
        let activity = self.activity.start(place, true, |position| {
            self.place.count(&self.activity, place);
            Activity::new(self.activity.finish, Origin::Counted, position)
        });
        let world = World::new(Arc::clone(&self.place), Arc::clone(&activity));
        let work = async move {
            task.run(world).await;
            Vec::new()
        };
        self.place.launch(activity, work);
    }

    /// Runs `body` on this thread. Then waits for all tasks that `body` has started, directly or indirectly, at any place.
    ///
    /// A finish costs about one message each time a place runs out of the finish's tasks. [The essay](crate::protocol) argues
    /// that a finish ends, and that it does not end too early.
    ///
    /// ```
    /// use heist_places::{Local, Task, World, register};
    /// use serde::{Deserialize, Serialize};
    ///
    /// /// Visits each place below `0`, one after the other.
    /// #[derive(Serialize, Deserialize)]
    /// struct Down(usize);
    /// impl Task for Down {
    ///     type Output = ();
    ///     async fn run(self, world: World) {
    ///         if self.0 > 0 {
    ///             world.async_at(self.0 - 1, Down(self.0 - 1));
    ///         } else {
    ///             panic!("the bottom");
    ///         }
    ///     }
    /// }
    /// register!(Down);
    ///
    /// let outcomes = Local::new(3).run(|world| {
    ///     if world.here() != 2 { return None }
    ///     Some(world.finish(|f| f.async_at(1, Down(1))).wait())
    /// });
    /// let error = outcomes[2].clone().unwrap().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "a task panicked at place 0: the bottom");
    /// ```
    ///
    /// # Errors
    /// If a place with tasks of this finish dies, returns an error that names the place. Otherwise, if tasks panic, returns the panic that
    /// comes first in the order of the serial elision. `body` counts as a task.
    ///
    /// # Panics
    /// Panics if the task to which this world belongs has ended.
    pub fn finish<R: Send + 'static>(&self, body: impl FnOnce(&World) -> R) -> Waiting<R> {
        let (activity, ended) = self.activity.start(self.here(), false, |_| {
            self.place.open_finish(Some(Arc::clone(&self.activity)))
        });
        let inner = World::new(Arc::clone(&self.place), Arc::clone(&activity));
        let result = catch_unwind(AssertUnwindSafe(|| body(&inner)));
        let (value, conclusion) = match result {
            Ok(value) => (Some(value), Conclusion::Returned(Vec::new())),
            Err(payload) => {
                let error = PlaceError::of_panic(self.here(), &*payload);
                (None, Conclusion::Failed(error))
            }
        };
        activity.conclude(&self.place, conclusion);
        let here = self.here();
        Waiting::new(async move {
            ended.await?;
            value.ok_or(PlaceError::Lost {
                place: here,
                tasks: 0,
            })
        })
    }

    /// Waits until all places have reached this barrier.
    ///
    /// This operation is collective: all places must call the same collective operations in the same order, from one task at a
    /// time.
    ///
    /// # Errors
    /// Returns an error if a place has died or ended its part of the program.
    ///
    /// # Examples
    /// See [`Waiting::wait`].
    pub fn barrier(&self) -> Waiting<()> {
        self.reduce((), |(), ()| ())
    }

    /// Combines the values of all places, in the order of the places, and returns the result at each place.
    ///
    /// This operation is collective, like [`barrier`](World::barrier). Place 0 collects the values and combines them: it receives one
    /// message from each other place, and sends one message to each other place.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(4).run(|world| {
    ///     world.reduce(world.here().to_string(), |left, right| left + &right).wait()
    /// });
    /// assert_eq!(outcomes[3], Ok(Ok("0123".to_owned())));
    /// ```
    ///
    /// # Errors
    /// Returns an error if a place has died or ended its part of the program, or if `combine` panics at place 0.
    pub fn reduce<T, F>(&self, value: T, combine: F) -> Waiting<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnMut(T, T) -> T + Send + 'static,
    {
        let place = Arc::clone(&self.place);
        let own = append(&value, Vec::new());
        if place.here != ROOT {
            let operation = place.next_operation();
            place.contribute(operation, &own);
            let outcome = place.outcome(operation, ROOT);
            let here = place.here;
            return Waiting::for_message(&place, async move { read(here, &outcome.await?) });
        }
        let (operation, gathered) = place.gather(own);
        let mut combine = combine;
        let here = place.here;
        let checked = Arc::clone(&place);
        let combined = Caught::new(async move {
            let values = gathered.await?;
            let mut values = values.iter().map(|bytes| read::<T>(here, bytes));
            let first = values.next().unwrap_or(Ok(value))?;
            let all = values.try_fold(first, |sum, value| Ok(combine(sum, value?)))?;
            let bytes = append(&all, Vec::new());
            if let Err(message) = checked.check_length(HEAD, bytes.len()) {
                panic!("{message}");
            }
            Ok((all, bytes))
        });
        // The other places wait for the outcome, even if no task of this place waits for it.
        let publisher = Arc::clone(&place);
        place.operation(async move {
            let combined = combined.await;
            let combined =
                combined.unwrap_or_else(|payload| Err(PlaceError::of_panic(here, &*payload)));
            let (value, bytes) = match combined {
                Ok((value, bytes)) => (Ok(value), Ok(bytes)),
                Err(error) => (Err(error.clone()), Err(error)),
            };
            publisher.publish(operation, &bytes);
            value
        })
    }

    /// Sends the value of the place `from` to all places. The function ignores the arguments of the other places.
    ///
    /// This operation is collective, like [`barrier`](World::barrier). The sending place sends one message to each other place,
    /// and does not wait for the receivers.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(3).run(|world| {
    ///     let seed = (world.here() == 1).then(|| "seed of place 1".to_owned());
    ///     world.broadcast(1, seed).wait()
    /// });
    /// assert_eq!(outcomes[2], Ok(Ok("seed of place 1".to_owned())));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the place `from` has died or ended its part of the program.
    ///
    /// # Panics
    /// Panics if the place `from` does not exist, or if that place passes `None`.
    pub fn broadcast<T>(&self, from: usize, value: Option<T>) -> Waiting<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        self.check(from);
        let operation = self.place.next_operation();
        let here = self.here();
        if here == from {
            let Some(value) = value else {
                panic!("heist-places: place {from} broadcasts, so it has to give the value");
            };
            self.place
                .publish(operation, &Ok(append(&value, Vec::new())));
            return Waiting::new(async move { Ok(value) });
        }
        let outcome = self.place.outcome(operation, from);
        Waiting::for_message(&self.place, async move { read(here, &outcome.await?) })
    }

    /// Stores a value at this place, and returns a reference to it. Any place may have the reference.
    ///
    /// # Examples
    /// See [`GlobalRef`].
    pub fn global_ref<T: Any + Send + Sync>(&self, value: T) -> GlobalRef<T> {
        self.place.objects.add(self.here(), value)
    }

    #[track_caller]
    fn check(&self, place: usize) {
        assert!(
            place < self.places(),
            "heist-places: there is no place {place}, only {}",
            self.places()
        );
    }

    /// Encodes the arguments of a task for another place.
    ///
    /// # Panics
    /// Panics if the arguments cannot be encoded or are too long.
    fn arguments<T: Task>(&self, task: &T) -> Vec<u8> {
        let arguments = append(task, Vec::new());
        let head = HEAD + self.activity.position_bytes();
        if let Err(message) = self.place.check_length(head, arguments.len()) {
            panic!("{message}");
        }
        arguments
    }

    fn post(
        &self,
        to: usize,
        kind: u32,
        position: Vec<u64>,
        ticket: Option<u64>,
        arguments: &[u8],
    ) {
        let finish = self.activity.finish;
        let message = Message::Task {
            kind,
            finish,
            position,
            ticket,
        };
        let mut frame = append(&message, Vec::with_capacity(64 + arguments.len()));
        frame.extend_from_slice(arguments);
        if ticket.is_some() {
            self.place.transport.send(to, frame);
        } else {
            self.place.transport.post(to, frame);
        }
    }
}

/// Decodes a value that another place has sent.
pub(crate) fn read<T: DeserializeOwned>(here: usize, bytes: &[u8]) -> Result<T, PlaceError> {
    postcard::from_bytes(bytes).map_err(|error| PlaceError::Unreadable {
        place: here,
        message: format!("{error}, as a {}", std::any::type_name::<T>()),
    })
}
