//! The state of one place: the fields of `Instance` in `heist-places/src/balance/instance.rs`, and the fields of the place's network.

use std::collections::VecDeque;

use super::bag::Bag;
use super::outcome::PlaceUse;
use crate::Time;

/// A small task of a place's pool.
#[derive(Debug)]
pub(super) enum Task {
    /// Starts the workers of the place.
    Serve,
    /// Registers a place that waits for the end of all work; only the home runs this task.
    Until { from: usize },
    /// Ends a part of a job, because its results have arrived.
    EndPart { job: u32 },
    /// Answers a thief.
    Answer { thief: usize },
    /// Sends the results of a job to its giver.
    Results { giver: usize, job: u32 },
    /// Ends the first job, and so all work; only the home runs this task.
    Done,
    /// Tells a place that all work has ended.
    Over { to: usize },
    /// Ends the workers of the place.
    End,
}

/// The work on a bag that another place has given, or on the first bag.
#[derive(Debug)]
pub(super) struct Job {
    /// The number of parts that are not done.
    pub(super) parts: u32,
    /// The giver and its job, or `None` for the first job.
    pub(super) giver: Option<(usize, u32)>,
}

/// A worker's own state.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) bag: Bag,
    /// The maximum number of nodes of the next chunk.
    pub(super) most: u64,
    /// The number of nodes of the current chunk.
    pub(super) count: u64,
    /// True if the current chunk leaves nodes in the bag.
    pub(super) more: bool,
}

/// A search for work at other places.
#[derive(Debug)]
pub(super) struct Seek {
    pub(super) worker: usize,
    pub(super) random: u64,
    /// The number of attempts that have been made, first at random places and then on lifelines.
    pub(super) step: usize,
}

/// One place.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) over: bool,
    pub(super) jobs: Vec<Job>,
    /// The job whose nodes the workers have, if any worker has nodes.
    pub(super) current: Option<u32>,
    /// The number of workers that have nodes of the current job.
    pub(super) active: usize,
    /// Bags that no worker has taken, with their jobs.
    pub(super) queue: VecDeque<(u32, Bag)>,
    /// The workers without work.
    pub(super) idle: Vec<usize>,
    pub(super) seek: Option<Seek>,
    /// Places that made a random request and wait for an answer.
    pub(super) thieves: VecDeque<usize>,
    /// Places that have asked this place along a lifeline, and have not received a bag for that request yet.
    pub(super) waiting: Vec<usize>,
    /// The lifelines of this place that have not brought work yet.
    pub(super) registered: Vec<usize>,
    pub(super) asked: bool,
    pub(super) lifelines: Vec<usize>,
    pub(super) workers: Vec<Worker>,
    /// The number of workers that have not ended.
    pub(super) left: usize,
    /// The number of workers that run chunks.
    pub(super) running: usize,
    /// The latest time at which any thread of the pool became idle.
    pub(super) freed: Time,
    /// Places that wait for the end of all work; only the home has entries.
    pub(super) watchers: Vec<usize>,
    /// Tasks that a worker runs after its chunk.
    pub(super) ready: VecDeque<Task>,
    /// The time until which the link to the other places is busy.
    pub(super) link: Time,
    /// The time until which the progress thread is busy.
    pub(super) progress: Time,
    /// The time since which the place has no work.
    pub(super) hungry: Option<Time>,
    pub(super) spent: PlaceUse,
}

/// The number of nodes of a worker's first chunk.
const FIRST: u64 = 16;

impl Place {
    pub(super) fn new(workers: usize, lifelines: Vec<usize>) -> Place {
        Place {
            over: false,
            jobs: Vec::new(),
            current: None,
            active: 0,
            queue: VecDeque::new(),
            idle: Vec::new(),
            seek: None,
            thieves: VecDeque::new(),
            waiting: Vec::new(),
            registered: Vec::new(),
            asked: false,
            lifelines,
            workers: (0..workers)
                .map(|_| Worker {
                    bag: Bag::default(),
                    most: FIRST,
                    count: 0,
                    more: false,
                })
                .collect(),
            left: workers,
            running: 0,
            freed: 0,
            watchers: Vec::new(),
            ready: VecDeque::new(),
            link: 0,
            progress: 0,
            hungry: None,
            spent: PlaceUse::default(),
        }
    }

    /// Adds a bag to the queue, as a new job of one part.
    pub(super) fn add_job(&mut self, bag: Bag, giver: Option<(usize, u32)>) {
        let job = self.jobs.len() as u32;
        self.jobs.push(Job { parts: 1, giver });
        self.queue.push_back((job, bag));
    }

    /// Takes a bag out of the queue for a worker, unless another worker has nodes or all work has
    /// ended.
    pub(super) fn take(&mut self) -> Option<Bag> {
        if self.current.is_some() || self.over {
            return None;
        }
        let (job, bag) = self.queue.pop_front()?;
        self.current = Some(job);
        self.active = 1;
        Some(bag)
    }

    /// Ends a part of a job. The end of the last part ends the job.
    pub(super) fn end_part(&mut self, number: u32) {
        let job = &mut self.jobs[number as usize];
        job.parts -= 1;
        if job.parts == 0 {
            let task = match job.giver {
                Some((giver, job)) => Task::Results { giver, job },
                None => Task::Done,
            };
            self.ready.push_back(task);
        }
    }
}
