//! A worker without work. The worker waits, or asks other places for work.

use super::World;
use super::message::Message;
use super::place::Seek;
use crate::Time;

impl World<'_> {
    /// Handles a running worker that has no work left: the worker takes a bag of its place, seeks work at other places, or waits.
    pub(super) fn idle(&mut self, place: usize, worker: usize, now: Time) {
        let here = &mut self.places[place];
        if let Some(bag) = here.take() {
            self.work(place, worker, bag, now);
            return;
        }
        here.running -= 1;
        here.freed = now;
        if here.over || here.current.is_some() || here.seek.is_some() {
            self.wait(place, worker, now);
        } else {
            // Each search has random numbers of its own: the number of jobs is a part of the seed.
            let random = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                ^ here.jobs.len() as u64
                ^ self.seed.wrapping_mul(0xd134_2543_de82_ef95);
            here.hungry.get_or_insert(now);
            here.seek = Some(Seek {
                worker,
                random,
                step: 0,
            });
            self.seek(place, now);
        }
        // The worker's thread runs small tasks in the meantime.
        let now = self.drain(place, now);
        self.places[place].freed = now;
    }

    /// Makes a worker wait for work, unless a bag is in the queue or all work has ended.
    fn wait(&mut self, place: usize, worker: usize, now: Time) {
        let here = &mut self.places[place];
        if let Some(bag) = here.take() {
            here.running += 1;
            self.work(place, worker, bag, now);
        } else if here.over {
            self.worker_ends(place, now);
        } else {
            here.idle.push(worker);
            // A worker with work shares it after its chunk if `asked` is set.
            here.asked = true;
        }
    }

    /// Takes the next step of the search. The first steps ask random places, as many as the place has lifelines. Each later step asks the
    /// place at the end of one lifeline.
    fn seek(&mut self, place: usize, now: Time) {
        let places = self.places.len();
        let here = &mut self.places[place];
        let lines = here.lifelines.len();
        let Some(seek) = &mut here.seek else {
            return;
        };
        while seek.step < 2 * lines {
            let step = seek.step;
            seek.step += 1;
            let (victim, lifeline) = if step < lines {
                let random = &mut seek.random;
                *random ^= *random << 13;
                *random ^= *random >> 7;
                *random ^= *random << 17;
                let far = *random as usize % (places - 1);
                ((place + 1 + far) % places, false)
            } else {
                let line = here.lifelines[step - lines];
                if here.registered.contains(&line) {
                    continue;
                }
                here.registered.push(line);
                (line, true)
            };
            let request = Message::Steal {
                thief: place,
                lifeline,
            };
            let later = self.send(place, victim, request, now);
            self.places[place].spent.lost += later - now;
            return;
        }
        self.stop_seeking(place, now);
    }

    /// Handles the answer to the last request of the search.
    pub(super) fn answered(&mut self, place: usize, now: Time) {
        let here = &mut self.places[place];
        if here.over || here.current.is_some() || !here.queue.is_empty() {
            self.stop_seeking(place, now);
        } else {
            self.seek(place, now);
        }
    }

    fn stop_seeking(&mut self, place: usize, now: Time) {
        if let Some(seek) = self.places[place].seek.take() {
            self.wait(place, seek.worker, now);
        }
    }
}
