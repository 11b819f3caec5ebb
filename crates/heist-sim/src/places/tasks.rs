//! Small tasks of a place's pool.

use super::message::Message;
use super::place::Task;
use super::{Event, HOME, World};
use crate::Time;

impl World<'_> {
    /// Runs all ready tasks on a thread of the place. Returns the time at which the thread
    /// continues.
    pub(super) fn drain(&mut self, place: usize, mut now: Time) -> Time {
        while let Some(task) = self.places[place].ready.pop_front() {
            now = self.run_task(place, task, now);
        }
        now
    }

    /// Runs a task. Returns the time at which the thread continues.
    pub(super) fn run_task(&mut self, place: usize, task: Task, began: Time) -> Time {
        let now = began + self.price.task;
        let now = match task {
            Task::Serve => {
                let now = self.send(place, HOME, Message::Until, now);
                let (_, delay) = self.pickup(place, now);
                self.schedule(now, place, Event::Start(0));
                for worker in 1..self.places[place].workers.len() {
                    self.schedule(now + delay, place, Event::Start(worker));
                }
                now
            }
            Task::Until { from } if self.places[place].over => {
                self.send(place, from, Message::Over, now)
            }
            Task::Until { from } => {
                self.places[place].watchers.push(from);
                now
            }
            Task::EndPart { job } => {
                self.places[place].end_part(job);
                now
            }
            Task::Answer { thief } => self.send(place, thief, Message::Answer, now),
            Task::Results { giver, job } => self.send(place, giver, Message::Results { job }, now),
            Task::Done => {
                let watchers = std::mem::take(&mut self.places[place].watchers);
                let tell = watchers.into_iter().map(|to| Task::Over { to });
                self.places[place].ready.extend(tell);
                self.end_of(place, now);
                now
            }
            Task::Over { to } => self.send(place, to, Message::Over, now),
            Task::End => {
                self.end_of(place, now);
                now
            }
        };
        self.places[place].spent.lost += now - began;
        now
    }

    /// Ends the work of a place: its idle workers end, and thieves that wait get answers.
    fn end_of(&mut self, place: usize, now: Time) {
        let (_, delay) = self.pickup(place, now);
        let here = &mut self.places[place];
        here.over = true;
        let thieves = std::mem::take(&mut here.thieves).into_iter();
        here.ready
            .extend(thieves.map(|thief| Task::Answer { thief }));
        for worker in std::mem::take(&mut here.idle) {
            self.schedule(now + delay, place, Event::Wake(worker, None));
        }
    }

    /// Ends a worker. The last worker of a place reports to the home that the place has ended.
    pub(super) fn worker_ends(&mut self, place: usize, now: Time) {
        let here = &mut self.places[place];
        here.left -= 1;
        if here.left > 0 {
            return;
        }
        if place == HOME {
            self.served(place, now);
        } else {
            let later = self.send(place, HOME, Message::Served, now);
            self.places[place].spent.lost += later - now;
        }
    }

    /// Counts a place that has ended. After the last place, the call of `balance` returns.
    pub(super) fn served(&mut self, home: usize, now: Time) {
        self.served += 1;
        if self.served == self.places.len() {
            let (_, delay) = self.pickup(home, now);
            self.end = Some(now + delay);
        }
    }
}
