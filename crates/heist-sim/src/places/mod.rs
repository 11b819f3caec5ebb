//! A simulation of places that balance the work of a tree: the algorithm of `heist-places/src/balance`, with a cost for each
//! step.
//!
//! `net` implements messages and the progress threads that receive them. `tasks` implements the small tasks of a pool. `worker` implements
//! the chunks of a worker, and the bags that it gives away between chunks. `seek` implements a place without work.

mod bag;
mod cluster;
mod lifelines;
mod message;
mod net;
mod outcome;
mod place;
mod seek;
mod tasks;
#[cfg(test)]
mod tests;
mod tree;
mod worker;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::Time;
use crate::machine::{MachineError, ps};
use bag::Bag;
pub use cluster::{Cluster, Growth, PlaceCosts};
use lifelines::lifelines;
pub use message::Kind;
use message::Message;
pub use outcome::{PlaceUse, PlacesOutcome};
use place::{Place, Task};
pub use tree::Tree;

/// The place that has all work at first.
const HOME: usize = 0;

/// The costs as simulated times.
struct Prices {
    node: Time,
    turn: Time,
    split: Time,
    pack: Time,
    send: Time,
    receive: Time,
    rouse: Time,
    task: Time,
    notify: Time,
    wake: Time,
    notice: Time,
    patience: Time,
    latency: Time,
    /// The time of a byte on the link, in picoseconds.
    byte: f64,
}

impl Prices {
    fn of(cluster: &Cluster) -> Prices {
        let costs = &cluster.costs;
        Prices {
            // If a node took no time, a chunk of any length would end immediately.
            node: ps(costs.node).max(1),
            turn: ps(costs.turn),
            split: ps(costs.split),
            pack: ps(costs.pack),
            send: ps(costs.send),
            receive: ps(costs.receive),
            rouse: ps(costs.rouse),
            task: ps(costs.task),
            notify: ps(costs.notify),
            wake: ps(costs.wake),
            notice: ps(costs.notice),
            patience: ps(costs.patience),
            latency: ps(cluster.latency),
            byte: 1e12 / cluster.bandwidth,
        }
    }
}

/// An event at a place.
#[derive(Debug)]
enum Event {
    /// A message has reached the place. The number is the sender's index.
    Arrive(usize, Message),
    /// The progress thread has read a message. The number is the sender's index.
    Handle(usize, Message),
    /// A worker begins to take part.
    Start(usize),
    /// A worker reaches the end of its chunk.
    Chunk(usize),
    /// An idle worker gets a bag, or `None` if all work has ended.
    Wake(usize, Option<Bag>),
    /// The seeking worker receives the answer to its request.
    Found,
    /// A thread without work runs a small task.
    Run(Task),
}

/// An event with its time. Events at the same time happen in the order in which they were scheduled.
struct Entry {
    time: Time,
    number: u64,
    place: usize,
    event: Event,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        (self.time, self.number).cmp(&(other.time, other.number))
    }
}

/// The state of a simulation.
struct World<'a> {
    tree: &'a Tree,
    price: Prices,
    growth: Growth,
    seed: u64,
    events: BinaryHeap<Reverse<Entry>>,
    /// The number of events that have been scheduled.
    scheduled: u64,
    places: Vec<Place>,
    /// The number of places whose workers have all ended.
    served: usize,
    outcome: PlacesOutcome,
    end: Option<Time>,
}

/// Simulates places that visit a tree by `World::balance` of the crate `heist-places`. At first, one place has the whole tree.
/// Equal seeds give equal outcomes. With the seed 0, places choose the same random victims as in the runtime.
///
/// A call takes about 10 ns for each node, and additional time for each message.
///
/// # Examples
///
/// ```
/// use heist_sim::{Cluster, Tree, simulate_places};
///
/// let tree = Tree::geometric(3, 4.0, 9);
/// let cluster = Cluster::new(8, 1);
/// let outcome = simulate_places(&tree, &cluster, 0).unwrap();
/// assert_eq!(outcome.nodes(), tree.nodes());
/// assert_eq!(outcome, simulate_places(&tree, &cluster, 0).unwrap());
/// ```
///
/// # Errors
///
/// Returns an error if the number of places, or the number of workers of a place, is not between 1 and 1,024. Also returns an error if a
/// cost or the latency is not between 0 and a second, if the cost of a node is less than 0.001 ns, or if the bandwidth is less than a byte
/// a second.
pub fn simulate_places(
    tree: &Tree,
    cluster: &Cluster,
    seed: u64,
) -> Result<PlacesOutcome, MachineError> {
    cluster.check()?;
    let places = |here| Place::new(cluster.workers, lifelines(here, cluster.places));
    let mut world = World {
        tree,
        price: Prices::of(cluster),
        growth: cluster.growth,
        seed,
        events: BinaryHeap::new(),
        scheduled: 0,
        places: (0..cluster.places).map(places).collect(),
        served: 0,
        outcome: PlacesOutcome {
            workers: cluster.workers,
            ..PlacesOutcome::default()
        },
        end: None,
    };
    world.begin();
    world.run();
    Ok(world.finish())
}

impl World<'_> {
    /// Begins the simulation: the home visits the root, puts the first bag into its queue, and asks all places to take part.
    fn begin(&mut self) {
        let mut now = self.price.node;
        let home = &mut self.places[HOME];
        home.spent.nodes = 1;
        home.spent.busy = now;
        home.add_job(Bag::new(self.tree), None);
        // While one thread of the home sends these requests, the home's other workers begin.
        let last = home.workers.len() - 1;
        for worker in 0..last {
            self.schedule(now + self.price.wake, HOME, Event::Start(worker));
        }
        for place in 1..self.places.len() {
            now = self.send(HOME, place, Message::Serve, now);
        }
        self.schedule(now, HOME, Event::Start(last));
    }

    fn run(&mut self) {
        while self.end.is_none() {
            let Some(Reverse(Entry {
                time, place, event, ..
            })) = self.events.pop()
            else {
                panic!(
                    "the simulation stands still: no place has anything to do, and work is left"
                );
            };
            match event {
                Event::Arrive(from, message) => self.arrive(place, from, message, time),
                Event::Handle(from, message) => self.handle(place, from, message, time),
                Event::Start(worker) => self.start(place, worker, time),
                Event::Chunk(worker) => self.chunk_ends(place, worker, time),
                Event::Wake(worker, work) => self.woken(place, worker, work, time),
                Event::Found => self.answered(place, time),
                Event::Run(task) => {
                    let now = self.run_task(place, task, time);
                    let now = self.drain(place, now);
                    self.places[place].freed = now;
                }
            }
        }
    }

    fn finish(mut self) -> PlacesOutcome {
        self.outcome.time = self.end.unwrap_or_default();
        self.outcome.places = self.places.iter().map(|place| place.spent).collect();
        self.outcome
    }

    fn schedule(&mut self, time: Time, place: usize, event: Event) {
        let number = self.scheduled;
        self.scheduled += 1;
        self.events.push(Reverse(Entry {
            time,
            number,
            place,
            event,
        }));
    }

    /// Returns the time that a waker takes to wake an idle thread of the place, and the time until that thread runs.
    fn pickup(&self, place: usize, now: Time) -> (Time, Time) {
        if now <= self.places[place].freed + self.price.patience {
            (0, self.price.notice)
        } else {
            (self.price.notify, self.price.wake)
        }
    }
}
