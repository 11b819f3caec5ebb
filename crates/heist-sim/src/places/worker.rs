//! A worker with work: its chunks, and the bags that it gives away between chunks.

use super::bag::Bag;
use super::message::Message;
use super::place::Task;
use super::{Event, Growth, World};
use crate::Time;

/// The intended time between two checks for requests, in picoseconds: 50 us. Chunks grow and shrink towards this time.
const TURN: Time = 50_000_000;
/// The maximum number of nodes of a chunk.
const MOST: u64 = 1 << 20;

impl World<'_> {
    /// Starts a worker, which takes a bag of its place or has no work.
    pub(super) fn start(&mut self, place: usize, worker: usize, now: Time) {
        self.places[place].running += 1;
        match self.places[place].take() {
            Some(bag) => self.work(place, worker, bag, now),
            None => self.idle(place, worker, now),
        }
    }

    /// Wakes a waiting worker, which gets a bag or ends.
    pub(super) fn woken(&mut self, place: usize, worker: usize, work: Option<Bag>, now: Time) {
        match work {
            Some(bag) => {
                self.places[place].running += 1;
                self.work(place, worker, bag, now);
            }
            None => self.worker_ends(place, now),
        }
    }

    /// Gives a bag to a worker, which begins a chunk.
    pub(super) fn work(&mut self, place: usize, worker: usize, bag: Bag, now: Time) {
        self.places[place].workers[worker].bag = bag;
        self.chunk(place, worker, now);
    }

    /// Begins a chunk of a worker. Until the end of the chunk no other thread sees the worker's bag, so all nodes of the chunk are
    /// visited in one step.
    fn chunk(&mut self, place: usize, worker: usize, now: Time) {
        let own = &mut self.places[place].workers[worker];
        (own.count, own.more) = own.bag.process(self.tree, own.most);
        let taken = own.count * self.price.node;
        if taken < TURN / 2 && (own.more || self.growth == Growth::Any) {
            own.most = (own.most * 2).min(MOST);
        } else if taken > TURN * 2 {
            own.most = (own.most / 2).max(1);
        }
        self.schedule(now + taken, place, Event::Chunk(worker));
    }

    pub(super) fn chunk_ends(&mut self, place: usize, worker: usize, end: Time) {
        let here = &mut self.places[place];
        let own = &here.workers[worker];
        here.spent.nodes += own.count;
        here.spent.busy += own.count * self.price.node;
        if !own.more {
            self.exhausted(place, worker, end);
            return;
        }
        let mut now = end;
        if here.asked {
            now = self.share(place, worker, now);
        }
        now += self.price.turn;
        self.places[place].spent.lost += now - end;
        let now = self.drain(place, now);
        self.chunk(place, worker, now);
    }

    /// Gives parts of a worker's bag to idle workers of the place, then to the places that have asked. Returns the time at which the
    /// worker continues.
    fn share(&mut self, place: usize, worker: usize, mut now: Time) -> Time {
        let Some(job) = self.places[place].current else {
            return now;
        };
        let mut bag = std::mem::take(&mut self.places[place].workers[worker].bag);
        let all = self.share_bag(place, job, &mut bag, &mut now);
        self.places[place].workers[worker].bag = bag;
        if all {
            self.places[place].asked = false;
        }
        now
    }

    /// Gives parts of `bag` away, and advances `now`. Returns true if each request has been served.
    fn share_bag(&mut self, place: usize, job: u32, bag: &mut Bag, now: &mut Time) -> bool {
        while !self.places[place].idle.is_empty() && !cfg!(heist_mutant = "deaf_inner") {
            *now += self.price.split * bag.families();
            let Some(half) = bag.split() else {
                return false;
            };
            let (waker, delay) = self.pickup(place, *now);
            *now += waker;
            let here = &mut self.places[place];
            here.active += 1;
            if let Some(worker) = here.idle.pop() {
                self.outcome.inner += 1;
                self.schedule(*now + delay, place, Event::Wake(worker, Some(half)));
            }
        }
        while let Some(thief) = self.places[place].thieves.pop_front() {
            *now += self.price.split * bag.families();
            let Some(half) = bag.split() else {
                self.places[place].thieves.push_front(thief);
                return false;
            };
            self.give(place, job, thief, half, now);
            self.outcome.random_gifts += 1;
            self.places[place].ready.push_back(Task::Answer { thief });
        }
        if cfg!(heist_mutant = "deaf_lifelines") {
            return true;
        }
        while let Some(thief) = self.places[place].waiting.pop() {
            *now += self.price.split * bag.families();
            let Some(half) = bag.split() else {
                self.places[place].waiting.push(thief);
                return false;
            };
            self.give(place, job, thief, half, now);
            self.outcome.lifeline_gifts += 1;
        }
        true
    }

    /// Sends a bag to `thief`. The job waits for the results of this bag.
    fn give(&mut self, place: usize, job: u32, thief: usize, half: Bag, now: &mut Time) {
        self.places[place].jobs[job as usize].parts += 1;
        *now += self.price.pack * half.families();
        let gift = Message::Gift {
            giver: place,
            job,
            bag: half,
        };
        *now = self.send(place, thief, gift, *now);
    }

    /// Handles a worker whose bag is empty: the worker takes another bag of its place, or has no work.
    fn exhausted(&mut self, place: usize, worker: usize, now: Time) {
        let here = &mut self.places[place];
        let mut next = None;
        here.active -= 1;
        if here.active == 0
            && let Some(job) = here.current.take()
        {
            here.end_part(job);
            next = here.take();
            if next.is_none() {
                if !cfg!(heist_mutant = "unanswered") {
                    let thieves = std::mem::take(&mut here.thieves).into_iter();
                    here.ready
                        .extend(thieves.map(|thief| Task::Answer { thief }));
                }
                here.hungry = Some(now);
                self.outcome.empty += 1;
            }
        }
        match next {
            Some(bag) => self.work(place, worker, bag, now),
            None => self.idle(place, worker, now),
        }
    }
}
