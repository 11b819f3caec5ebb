//! A worker with work: chunks, and gifts between them.

use super::bag::Bag;
use super::message::Message;
use super::place::Task;
use super::{Event, Growth, World};
use crate::Time;

/// The time after which a worker looks at requests again, in picoseconds: 50 us.
const TURN: Time = 50_000_000;
/// The maximum number of items of a chunk.
const MOST: u64 = 1 << 20;

impl World<'_> {
    /// A worker begins.
    pub(super) fn start(&mut self, place: usize, worker: usize, now: Time) {
        self.places[place].running += 1;
        match self.places[place].take() {
            Some(bag) => self.work(place, worker, bag, now),
            None => self.idle(place, worker, now),
        }
    }

    /// A worker that waited gets work, or ends.
    pub(super) fn woken(&mut self, place: usize, worker: usize, work: Option<Bag>, now: Time) {
        match work {
            Some(bag) => {
                self.places[place].running += 1;
                self.work(place, worker, bag, now);
            }
            None => self.worker_ends(place, now),
        }
    }

    /// A worker begins with a bag.
    pub(super) fn work(&mut self, place: usize, worker: usize, bag: Bag, now: Time) {
        self.places[place].workers[worker].bag = bag;
        self.chunk(place, worker, now);
    }

    /// A worker begins a chunk. Until its end no other thread sees its bag, so all of it is done at once.
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
    /// worker goes on.
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

    /// Returns true if each request has been served.
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

    /// Sends a bag, whose results this place will wait for.
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

    /// A worker's bag has no items left. The worker takes another bag of its place, or has no work.
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
