//! The transport of messages, and the progress threads that receive them.

use super::message::Message;
use super::place::Task;
use super::{Event, World};
use crate::Time;

impl World<'_> {
    /// Sends a message from a thread of place `from`. Returns the time at which this thread
    /// continues.
    pub(super) fn send(&mut self, from: usize, to: usize, message: Message, now: Time) -> Time {
        let bytes = message.bytes();
        self.outcome.messages[message.kind() as usize] += 1;
        self.outcome.bytes += bytes;
        let now = now + self.price.send;
        let transfer = (bytes as f64 * self.price.byte) as Time;
        let sender = &mut self.places[from];
        // The link carries only one message at a time.
        sender.link = sender.link.max(now) + transfer;
        let arrival = sender.link + self.price.latency;
        self.schedule(arrival, to, Event::Arrive(from, message));
        now
    }

    /// Handles the arrival of a message: the progress thread reads it after all earlier messages.
    pub(super) fn arrive(&mut self, place: usize, from: usize, message: Message, now: Time) {
        let reading = self.price.receive + self.price.pack * message.families();
        let receiver = &mut self.places[place];
        let begin = if receiver.progress < now {
            now + self.price.rouse
        } else {
            receiver.progress
        };
        receiver.progress = begin + reading;
        receiver.spent.progress += reading;
        let end = receiver.progress;
        self.schedule(end, place, Event::Handle(from, message));
    }

    /// Handles a message on the progress thread.
    pub(super) fn handle(&mut self, place: usize, from: usize, message: Message, now: Time) {
        match message {
            Message::Serve => self.ready(place, Task::Serve, now),
            Message::Until => self.ready(place, Task::Until { from }, now),
            Message::Steal { thief, lifeline } => self.ask(place, thief, lifeline, now),
            Message::Gift { giver, job, bag } => {
                let receiver = &mut self.places[place];
                if !cfg!(heist_mutant = "keep_registered") {
                    receiver.registered.retain(|line| *line != giver);
                }
                receiver.add_job(bag, Some((giver, job)));
                if let Some(since) = receiver.hungry.take() {
                    self.outcome.hunger.add(now - since);
                }
                if receiver.current.is_none()
                    && let Some(worker) = receiver.idle.pop()
                {
                    let bag = receiver.take();
                    let (waker, delay) = self.pickup(place, now);
                    self.progress(place, waker);
                    self.schedule(now + delay, place, Event::Wake(worker, bag));
                }
            }
            Message::Answer => {
                let (waker, delay) = self.pickup(place, now);
                self.progress(place, waker);
                self.schedule(now + delay, place, Event::Found);
            }
            Message::Results { job } => self.ready(place, Task::EndPart { job }, now),
            Message::Over => self.ready(place, Task::End, now),
            Message::Served => self.served(place, now),
        }
    }

    /// Handles the request of `thief` for a bag of `place`.
    fn ask(&mut self, place: usize, thief: usize, lifeline: bool, now: Time) {
        let victim = &mut self.places[place];
        if lifeline && !victim.waiting.contains(&thief) {
            victim.waiting.push(thief);
            victim.asked = true;
        }
        if lifeline || victim.current.is_none() {
            let later = self.send(place, thief, Message::Answer, now);
            self.progress(place, later - now);
        } else {
            victim.thieves.push_back(thief);
            victim.asked = true;
        }
    }

    /// Adds `time` to the time that the progress thread of `place` has worked.
    fn progress(&mut self, place: usize, time: Time) {
        let place = &mut self.places[place];
        place.progress += time;
        place.spent.progress += time;
    }

    /// Gives a task to a thread without work, or else to the next worker that ends a chunk.
    fn ready(&mut self, place: usize, task: Task, now: Time) {
        if self.places[place].running < self.places[place].workers.len() {
            let (waker, delay) = self.pickup(place, now);
            self.progress(place, waker);
            self.schedule(now + delay, place, Event::Run(task));
        } else {
            self.places[place].ready.push_back(task);
        }
    }
}
