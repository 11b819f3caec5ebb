//! Functions that run a program at one place, or at several places of this process.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use heist::{IdlePolicy, Pool};

use crate::activity::Conclusion;
use crate::place::Place;
use crate::progress;
use crate::task;
use crate::trace::Recording;
use crate::transport::Transport;
use crate::transport::threads::{self, Threads};
use crate::wire::Message;
use crate::{PlaceError, World, turn};

/// The longest search of a worker for work and messages. If the workers of both places of a call sleep between its messages, the call takes
/// about 100 us. Workers that may search for a longer time soon stop sleeping between messages, because they adapt their search to their
/// last sleeps.
const SEARCH: Duration = Duration::from_micros(150);

/// Runs `body` at the place of `transport`, with `workers` workers, and serves the other places until all places have ended.
///
/// All places of a transport must run the same program file: compare their [`fingerprint`](crate::fingerprint)s.
///
/// # Errors
/// Returns the same errors as [`run`](crate::run).
///
/// # Panics
/// Rethrows a panic of the body or of the transport. Panics if a thread cannot be started, or if two task types have the same name.
///
/// # Examples
/// See [`Transport`].
pub fn run_on<R: Send>(
    transport: Arc<dyn Transport>,
    workers: usize,
    body: impl FnOnce(World) -> R + Send,
) -> Result<R, PlaceError> {
    // Check the task types now, so that an error panics on this thread and not on the progress thread.
    task::check();
    let recording = Recording::requested();
    let transport = match &recording {
        Some(recording) => recording.counting(transport),
        None => transport,
    };
    let here = transport.here();
    let served: Arc<OnceLock<Weak<Place>>> = Arc::default();
    let searched = Arc::clone(&served);
    let mut builder = Pool::builder()
        .threads(workers)
        .name(&format!("place-{here}"));
    if transport.places() > 1 {
        builder = builder
            .idle(IdlePolicy::SearchFor(SEARCH))
            .idle_poll(move |idle| {
                let place = searched.get().and_then(Weak::upgrade);
                place.is_some_and(|place| turn::look_from_search(&place, idle))
            });
    }
    let pool = builder.build();
    let pool =
        pool.unwrap_or_else(|error| panic!("heist-places: no pool for place {here}: {error}"));
    let place = Place::new(Arc::clone(&transport), pool);
    let progress = {
        let place = Arc::clone(&place);
        thread::Builder::new()
            .name(format!("progress-{here}"))
            .spawn(move || progress::run(&place))
    };
    let progress = progress.unwrap_or_else(|error| {
        panic!("heist-places: no progress thread for place {here}: {error}")
    });
    // Workers receive messages from now on. Only this thread sets the cell.
    let _ = served.set(Arc::downgrade(&place));

    let (activity, ended) = place.open_finish(None);
    let world = World::new(Arc::clone(&place), Arc::clone(&activity));
    let all = world.clone();
    let mut began = None;
    let result = place.with_pool(|pool| {
        began = recording.and_then(|recording| {
            let begin = recording.start(&all, pool).ok()?;
            Some((recording, begin))
        });
        pool.install(|| catch_unwind(AssertUnwindSafe(|| body(world))))
    });
    activity.conclude(&place, Conclusion::Returned(Vec::new()));
    let outcome = heist::block_on(ended);
    if let Some((recording, begin)) = began {
        place.with_pool(|pool| recording.finish(&all, pool, begin));
    }

    for other in (0..place.places).filter(|other| *other != here) {
        place.send(other, &Message::Leaving);
    }
    place.departure.wait();
    // End the progress thread before the pool. Tasks that dead places have started may still wait for other places, and dropping the pool
    // waits for these tasks. The end of the progress thread ends their waits.
    transport.close();
    let served = progress.join();
    drop(place.take_pool());
    if let Err(payload) = served {
        resume_unwind(payload);
    }
    match result {
        Some(Ok(value)) => outcome.map(|()| value),
        Some(Err(payload)) => resume_unwind(payload),
        None => Err(PlaceError::Left { place: here }),
    }
}

/// A program whose places are threads of this process, for tests and experiments.
///
/// Places exchange data only in messages: arguments are encoded as between processes. Each place has its own pool.
///
/// ```
/// use heist_places::Local;
/// let heres = Local::new(3).workers(2).run(|world| world.here());
/// assert_eq!(heres, [Ok(0), Ok(1), Ok(2)]);
/// ```
#[derive(Clone, Debug)]
pub struct Local {
    places: usize,
    workers: usize,
}

impl Local {
    /// Creates a program of `places` places, with one worker each.
    ///
    /// # Panics
    /// Panics if `places` is 0.
    #[must_use]
    pub fn new(places: usize) -> Self {
        assert!(places > 0, "heist-places: no places");
        Local { places, workers: 1 }
    }

    /// Gives each place this number of workers.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Runs `body` at each place, and returns the results in the order of the places.
    ///
    /// The result of a place is an error if its body has started a task outside of any [`finish`](World::finish), and that task panics.
    ///
    /// # Panics
    /// If bodies panic, rethrows the panic of the place with the smallest index, after all places have ended.
    pub fn run<R: Send>(self, body: impl Fn(World) -> R + Sync) -> Vec<Result<R, PlaceError>> {
        self.run_with(|world, _| body(world))
    }

    /// Runs `body` at each place as [`run`](Self::run) does. The body also gets a [`Kill`] for its place.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(3).run_with(|world, kill| {
    ///     if world.here() == 1 {
    ///         kill.kill();
    ///     }
    ///     world.barrier().wait()
    /// });
    /// let error = outcomes[0].clone().unwrap().unwrap_err();
    /// assert_eq!(error.place(), 1);
    /// ```
    ///
    /// # Panics
    /// Panics like [`run`](Local::run).
    pub fn run_with<R: Send>(
        self,
        body: impl Fn(World, Kill) -> R + Sync,
    ) -> Vec<Result<R, PlaceError>> {
        let ends: Vec<End> = threads::connect(self.places)
            .into_iter()
            .map(|end| End(Arc::new(end)))
            .collect();
        let outcomes: Vec<_> = thread::scope(|scope| {
            let (body, workers) = (&body, self.workers);
            let places: Vec<_> = ends
                .into_iter()
                .map(|end| {
                    scope.spawn(move || {
                        let kill = Kill(Arc::clone(&end.0));
                        let transport = Arc::clone(&end.0);
                        run_on(transport, workers, move |world| body(world, kill))
                    })
                })
                .collect();
            places
                .into_iter()
                .map(thread::ScopedJoinHandle::join)
                .collect()
        });
        outcomes
            .into_iter()
            .map(|outcome| outcome.unwrap_or_else(|payload| resume_unwind(payload)))
            .collect()
    }
}

/// A guard that kills its place when it is dropped. The guard matters if a thread of the place cannot be started, because in that case the
/// place does not serve the other places.
struct End(Arc<Threads>);

impl Drop for End {
    fn drop(&mut self) {
        // This call has no effect after the regular end of the place.
        self.0.kill();
    }
}

/// A handle that kills a [`Local`] place, for tests of faults.
#[derive(Clone)]
pub struct Kill(Arc<Threads>);

impl Kill {
    /// Disconnects the place from all other places, as if it had died. The threads of the disconnected place continue, but their waits for
    /// other places fail.
    ///
    /// # Examples
    /// See [`Local::run_with`].
    pub fn kill(&self) {
        self.0.kill();
    }
}

impl std::fmt::Debug for Kill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kill(place {})", self.0.here())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Event;

    #[test]
    fn a_place_that_never_serves_is_down() {
        let ends: Vec<End> = threads::connect(3)
            .into_iter()
            .map(|end| End(Arc::new(end)))
            .collect();
        let mut ends = ends.into_iter();
        let (first, second) = (ends.next().unwrap(), ends.next().unwrap());
        // The second place fails as if a thread could not be started, and the third place ends without running.
        let stopped = thread::spawn(move || {
            let _end = second;
            panic!("no thread")
        });
        assert!(stopped.join().is_err());
        drop(ends);
        let mut events = [first.0.next(true), first.0.next(true)];
        events.sort_by_key(|event| matches!(event, Some(Event::Down(2))));
        assert_eq!(events, [Some(Event::Down(1)), Some(Event::Down(2))]);
    }
}
