//! The simulation of one machine, which handles one event after the other.
//!
//! `step` runs a worker to the next end of a strand. `search` implements a worker without work. `protocol` implements forks, pops and
//! thefts under each protocol. `wait` implements the ends of joins and scopes.

mod places;
mod protocol;
mod search;
mod slot;
mod stack;
mod step;
mod wait;

use crate::agenda::{Agenda, NEVER};
use crate::machine::{MachineError, ps};
use crate::random::Random;
use crate::{Costs, Dag, Machine, Outcome, Time};
use places::Places;
use slot::{Slot, State};
use stack::{Join, Open, Scope, Stack};
use std::collections::VecDeque;

/// The costs as simulated times.
struct Prices {
    fork: Time,
    spawn: Time,
    scope: Time,
    fence: Time,
    last: Time,
    look: Time,
    probe: Time,
    claim: Time,
    complete: Time,
    retire: Time,
    ask: Time,
    expose: Time,
    barrier: Time,
    force: Time,
    interrupt: Time,
    handshake: Time,
    take: Time,
    answer: Time,
    message: Time,
    pause: Time,
    pause_most: Time,
    lock: Time,
    queue: Time,
    patience: Time,
    notify: Time,
    wake: Time,
    spin: Time,
    notice: Time,
}

impl Prices {
    fn of(costs: &Costs) -> Prices {
        Prices {
            fork: ps(costs.fork),
            spawn: ps(costs.spawn),
            scope: ps(costs.scope),
            fence: ps(costs.fence),
            last: ps(costs.last),
            // If a look took no time, a thief would look forever without any simulated time passing.
            look: ps(costs.look).max(1),
            probe: ps(costs.probe).max(1),
            claim: ps(costs.claim),
            complete: ps(costs.complete),
            retire: ps(costs.retire),
            ask: ps(costs.ask),
            expose: ps(costs.expose),
            barrier: ps(costs.barrier),
            force: ps(costs.force).max(1),
            interrupt: ps(costs.interrupt),
            handshake: ps(costs.handshake),
            take: ps(costs.take),
            answer: ps(costs.answer),
            message: ps(costs.message),
            pause: ps(costs.pause),
            pause_most: ps(costs.pause_most),
            lock: ps(costs.lock),
            queue: ps(costs.queue),
            patience: ps(costs.patience),
            notify: ps(costs.notify),
            wake: ps(costs.wake),
            spin: ps(costs.spin),
            notice: ps(costs.notice),
        }
    }
}

/// The state of a simulation.
struct World<'a> {
    dag: &'a Dag,
    machine: &'a Machine,
    price: Prices,
    agenda: Agenda,
    slots: Vec<Slot>,
    stacks: Vec<Stack>,
    free_stacks: Vec<u32>,
    joins: Vec<Join>,
    free_joins: Vec<u32>,
    scopes: Vec<Scope>,
    free_scopes: Vec<u32>,
    places: Places,
    /// Stacks whose waits ended while all workers were busy.
    ready: VecDeque<u32>,
    /// The shared queue of work-sharing: the position and the scope of each task.
    queue: VecDeque<(u32, u32)>,
    /// The time until which the lock of the shared queue is held.
    queue_taken: Time,
    /// The number of workers that run work.
    running: usize,
    random: Random,
    outcome: Outcome,
    end: Option<Time>,
}

/// Replays the program on the machine. Equal seeds give equal outcomes.
///
/// # Examples
///
/// ```
/// use heist_sim::{Machine, Protocol, generate, simulate};
///
/// let program = generate::fib(15, 100_000, 20_000);
/// let one = simulate(&program, &Machine::new(1, Protocol::ReturnBarrier), 1).unwrap();
/// assert_eq!(one.steals, 0);
/// ```
///
/// # Errors
///
/// Returns an error if the number of workers is not between 1 and 1,024, if a cost is not between 0 and a second, or if the topology or the
/// inflation is invalid.
pub fn simulate(dag: &Dag, machine: &Machine, seed: u64) -> Result<Outcome, MachineError> {
    machine.check()?;
    let mut world = World {
        dag,
        machine,
        price: Prices::of(&machine.costs),
        agenda: Agenda::new(machine.workers),
        slots: (0..machine.workers).map(|_| Slot::asleep()).collect(),
        stacks: Vec::new(),
        free_stacks: Vec::new(),
        joins: Vec::new(),
        free_joins: Vec::new(),
        scopes: Vec::new(),
        free_scopes: Vec::new(),
        places: Places::new(machine.workers),
        ready: VecDeque::new(),
        queue: VecDeque::new(),
        queue_taken: 0,
        running: 0,
        random: Random::new(seed),
        outcome: Outcome::default(),
        end: None,
    };
    world.begin();
    world.run();
    Ok(world.finish())
}

impl World<'_> {
    /// Gives the program to the first worker, and wakes one more worker, because the pool expects forks.
    fn begin(&mut self) {
        let enter = ps(self.machine.costs.enter);
        for slot in 0..self.slots.len() {
            let stack = self.new_stack(slot);
            self.slots[slot].stack = stack;
            self.places.asleep.insert(slot);
            // Set the request words, as workers do before they sleep, so that the first frames wake a worker.
            self.places.requested.insert(slot);
        }
        if self.slots.len() == 1 {
            self.places.requested.remove(0);
        }
        self.places.asleep.remove(0);
        let stack = self.slots[0].stack;
        self.stacks[stack as usize].open.push(Open::Root);
        self.slots[0].state = State::Run;
        self.slots[0].asleep += enter;
        self.running = 1;
        self.goto(0, 0, enter);
        if self.slots.len() > 1 {
            self.rise(1, enter);
        }
    }

    fn run(&mut self) {
        while self.end.is_none() {
            let (slot, now) = self.agenda.next();
            assert!(
                now != NEVER,
                "the simulation stands still: nobody has anything to do, and the program has not ended"
            );
            match self.slots[slot].state {
                State::Run => self.step(slot, now),
                State::Resume => self.resume(slot, now),
                State::Search => self.search(slot, now),
                State::Asked | State::Asleep => {
                    unreachable!("worker {slot} waits for others and has no time of its own")
                }
            }
        }
    }

    fn finish(mut self) -> Outcome {
        let end = self.end.unwrap_or_default();
        let outcome = &mut self.outcome;
        outcome.time = end;
        for slot in &mut self.slots {
            slot.settle(end);
            outcome.workers.push(crate::Worker {
                busy: end.saturating_sub(slot.lost + slot.waking + slot.search + slot.asleep),
                lost: slot.lost,
                waking: slot.waking,
                search: slot.search,
                asleep: slot.asleep,
            });
        }
        self.outcome
    }

    /// Makes worker `slot` run the strand at the word `at`, from the time `now`.
    #[inline]
    fn goto(&mut self, slot: usize, at: u32, now: Time) {
        let token = self.dag.token(at);
        let mut time = token.time;
        if self.machine.inflation > 1.0 && self.running > 1 {
            let share = (self.running - 1) as f64 / (self.machine.workers - 1) as f64;
            time = (time as f64 * (1.0 + (self.machine.inflation - 1.0) * share)) as Time;
        }
        let stack = self.slots[slot].stack;
        self.stacks[stack as usize].at = token.at;
        self.agenda.set(slot, now + time);
    }

    fn new_stack(&mut self, home: usize) -> u32 {
        let stack = Stack::of(home);
        match self.free_stacks.pop() {
            Some(free) => {
                self.stacks[free as usize] = stack;
                free
            }
            None => {
                self.stacks.push(stack);
                self.stacks.len() as u32 - 1
            }
        }
    }

    fn new_join(&mut self, join: Join) -> u32 {
        match self.free_joins.pop() {
            Some(free) => {
                self.joins[free as usize] = join;
                free
            }
            None => {
                self.joins.push(join);
                self.joins.len() as u32 - 1
            }
        }
    }

    fn new_scope(&mut self, scope: Scope) -> u32 {
        match self.free_scopes.pop() {
            Some(free) => {
                self.scopes[free as usize] = scope;
                free
            }
            None => {
                self.scopes.push(scope);
                self.scopes.len() as u32 - 1
            }
        }
    }
}
