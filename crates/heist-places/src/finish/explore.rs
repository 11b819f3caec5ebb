//! A model that takes the steps of small programs in every order, and in which a place dies at every possible moment. The model checks the
//! state at each end of a finish.
//!
//! The model uses the real tables of finishes, and simulates programs, channels and deaths.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};

use super::{Action, Counts, FinishId, Finishes, Report};
use crate::PlaceError;

/// A step of a task.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Starts a task: the place, and the index of the task.
    Spawn(usize, usize),
    /// Calls a task, and continues when the task has answered. The fields are the place, and the index of the task.
    Call(usize, usize),
}

use Step::{Call, Spawn};

/// The tasks of a program. The first task is the body of the finish, at place 0.
pub(super) type Program = &'static [&'static [Step]];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Message {
    Task(usize, Option<usize>),
    Reply(usize),
    Report(Report, Option<usize>),
    Acknowledged(usize),
    Probe(Vec<usize>),
    Down,
}

/// A task that runs, or waits for the answer of the call in its step before `next`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Running {
    task: usize,
    next: usize,
    waits: bool,
    /// The place of the caller, if a task has called this task.
    caller: Option<usize>,
    sent: Counts,
    /// True if a call of this task has failed.
    lost: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    places: Vec<Finishes>,
    running: Vec<Vec<Running>>,
    /// The ended visits of each place whose replies wait for an acknowledgement. An entry has the task, and the place of its caller.
    held: Vec<BTreeMap<usize, usize>>,
    channels: BTreeMap<(usize, usize), VecDeque<Message>>,
    dead: BTreeSet<usize>,
    ended: BTreeSet<usize>,
    outcome: Option<Result<(), PlaceError>>,
    /// True if a call has failed. In that case, the caller knows that tasks may be lost, but the finish may not know this.
    call_failed: bool,
}

pub(super) const ID: FinishId = FinishId { home: 0, number: 0 };

struct Model {
    program: Program,
    /// The place that may die.
    victim: Option<usize>,
    /// True if the model also explores orders in which a report waits because more messages have
    /// arrived.
    holds: bool,
    seen: HashSet<u64>,
    hasher: RandomState,
    ends: usize,
    losses: usize,
}

impl State {
    /// Returns the state in which the body of the finish begins. If `before` names a place, that place has died earlier. The home knows of
    /// its death, but the other places do not.
    pub(super) fn new(places: usize, before: Option<usize>) -> Self {
        let mut finishes: Vec<_> = (0..places)
            .map(|here| Finishes::new(here, places))
            .collect();
        let mut channels: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        if let Some(dead) = before {
            assert_eq!(finishes[0].down(dead), []);
            for other in (1..places).filter(|other| *other != dead) {
                channels.insert((dead, other), VecDeque::from([Message::Down]));
            }
        }
        assert_eq!(finishes[0].open(), ID);
        let mut running = vec![Vec::new(); places];
        running[0].push(Running {
            task: 0,
            next: 0,
            waits: false,
            caller: None,
            sent: Counts::default(),
            lost: false,
        });
        State {
            places: finishes,
            running,
            held: vec![BTreeMap::new(); places],
            channels,
            dead: before.into_iter().collect(),
            ended: BTreeSet::new(),
            outcome: None,
            call_failed: false,
        }
    }

    fn send(&mut self, from: usize, to: usize, message: Message) {
        if !self.dead.contains(&to) {
            self.channels
                .entry((from, to))
                .or_default()
                .push_back(message);
        }
    }

    fn act(&mut self, place: usize, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Report(id, report) => {
                    self.send(place, id.home, Message::Report(report, None))
                }
                Action::Probe(to, _, dead) => self.send(place, to, Message::Probe(dead)),
                Action::Done(_, outcome) => {
                    assert!(self.outcome.is_none(), "ended twice");
                    self.outcome = Some(outcome);
                    self.check_end();
                }
            }
        }
    }

    /// Checks that no task of the finish is left at living places or on its way to them.
    fn check_end(&self) {
        for (place, running) in self.running.iter().enumerate() {
            assert!(running.is_empty(), "place {place} still runs {running:?}");
        }
        for ((from, to), channel) in &self.channels {
            let task = channel
                .iter()
                .find(|message| matches!(message, Message::Task(..)));
            assert!(task.is_none(), "on its way from {from} to {to}: {task:?}");
        }
    }

    fn arrive(&mut self, place: usize, task: usize, from: usize, called: bool) {
        if called {
            self.places[place].visit(ID);
        } else {
            self.places[place].receive(ID, from);
        }
        let caller = called.then_some(from);
        self.running[place].push(Running {
            task,
            next: 0,
            waits: false,
            caller,
            sent: Counts::default(),
            lost: false,
        });
    }

    fn answered(&mut self, place: usize, task: usize, program: Program) {
        let waiting = self.running[place].iter_mut().find(|running| {
            running.waits && matches!(program[running.task][running.next - 1], Call(_, called) if called == task)
        });
        if let Some(waiting) = waiting {
            waiting.waits = false;
        }
    }

    fn reply(&mut self, place: usize, task: usize, caller: usize, program: Program) {
        if caller == place {
            self.answered(place, task, program);
        } else {
            self.send(place, caller, Message::Reply(task));
        }
    }
}

impl Model {
    /// Explores all orders of steps that begin in `state`.
    fn explore(&mut self, state: State) {
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            if !self.seen.insert(self.hasher.hash_one(&state)) {
                continue;
            }
            self.deaths(&state, &mut stack);
            let kills = stack.len();
            self.steps(&state, &mut stack);
            self.deliveries(&state, &mut stack);
            self.releases(&state, &mut stack);
            if stack.len() == kills {
                self.end(&state);
            }
        }
    }

    fn end(&mut self, state: &State) {
        let all = self.program.len();
        self.ends += 1;
        // Check that, after a death, no task waits forever at a living place, and that no table keeps data of the
        // finish.
        state.check_end();
        for place in (0..state.places.len()).filter(|place| !state.dead.contains(place)) {
            let (tables, held) = (&state.places[place], &state.held[place]);
            let kept = (tables.locals.len(), tables.probes.len(), held.len());
            assert_eq!(kept, (0, 0, 0), "place {place} keeps something");
        }
        match &state.outcome {
            None if state.dead.contains(&ID.home) => self.losses += 1,
            None => panic!("never ends: {state:?}"),
            Some(Ok(())) if state.call_failed => {}
            Some(Ok(())) => assert_eq!(state.ended.len(), all, "a lost task was not noticed"),
            Some(Err(error)) => {
                self.losses += 1;
                assert_eq!(Some(error.place()), self.victim);
            }
        }
    }

    fn deaths(&self, state: &State, next: &mut Vec<State>) {
        let Some(victim) = self.victim.filter(|victim| !state.dead.contains(victim)) else {
            return;
        };
        let others: Vec<usize> = (0..state.places.len())
            .filter(|place| *place != victim)
            .collect();
        // For each other place, either all or none of the frames on their way to this place arrive.
        for arrives in 0..1_usize << others.len() {
            let mut state = state.clone();
            state.dead.insert(victim);
            state.running[victim].clear();
            state.held[victim].clear();
            for (index, other) in others.iter().enumerate() {
                state.channels.remove(&(*other, victim));
                let channel = state.channels.entry((victim, *other)).or_default();
                if arrives >> index & 1 == 0 {
                    channel.clear();
                }
                channel.push_back(Message::Down);
            }
            next.push(state);
        }
    }

    fn steps(&self, state: &State, next: &mut Vec<State>) {
        for place in 0..state.places.len() {
            for index in 0..state.running[place].len() {
                if !state.running[place][index].waits {
                    let mut state = state.clone();
                    self.step(&mut state, place, index);
                    next.push(state);
                }
            }
        }
    }

    fn releases(&self, state: &State, next: &mut Vec<State>) {
        for place in (0..state.places.len()).filter(|place| !state.dead.contains(place)) {
            if state.places[place].held {
                let mut state = state.clone();
                let actions = state.places[place].release();
                state.act(place, actions);
                next.push(state);
            }
        }
    }

    fn step(&self, state: &mut State, place: usize, index: usize) {
        let running = &mut state.running[place][index];
        let (task, called) = (running.task, running.caller.is_some());
        let Some(step) = self.program[task].get(running.next) else {
            let running = state.running[place].remove(index);
            state.ended.insert(task);
            self.end_task(state, place, running);
            return;
        };
        running.next += 1;
        match *step {
            Spawn(to, child) => {
                if called {
                    running.sent.add(to, 1);
                }
                match (to == place, called) {
                    (true, false) => {
                        state.places[place].spawn(ID);
                        state.running[place].push(Running {
                            task: child,
                            next: 0,
                            waits: false,
                            caller: None,
                            sent: Counts::default(),
                            lost: false,
                        });
                    }
                    (true, true) => state.arrive(place, child, place, false),
                    (false, false) => {
                        state.places[place].send(ID, to);
                        state.send(place, to, Message::Task(child, None));
                    }
                    (false, true) => state.send(place, to, Message::Task(child, None)),
                }
            }
            Call(to, child) => {
                running.waits = true;
                if to == place {
                    state.arrive(place, child, place, true);
                } else if state.places[place].dead.contains(&to) {
                    running.waits = false;
                    running.lost = true;
                    state.call_failed = true;
                } else {
                    state.send(place, to, Message::Task(child, Some(place)));
                }
            }
        }
    }

    fn end_task(&self, state: &mut State, place: usize, running: Running) {
        let Some(caller) = running.caller else {
            let actions = state.places[place].end(ID, None);
            state.act(place, actions);
            return;
        };
        if running.sent.is_empty() && !running.lost {
            let actions = state.places[place].end(ID, None);
            state.act(place, actions);
            state.reply(place, running.task, caller, self.program);
            return;
        }
        let (report, actions) = state.places[place].end_visit(ID, running.sent);
        // `Place::hold` makes the same decision.
        let home_lives = !state.places[place].dead.contains(&ID.home);
        let held = report.is_some() && caller != ID.home && home_lives;
        if let Some(report) = report {
            let number = held.then_some(running.task);
            state.send(place, ID.home, Message::Report(report, number));
        }
        state.act(place, actions);
        if held {
            state.held[place].insert(running.task, caller);
        } else {
            state.reply(place, running.task, caller, self.program);
        }
    }

    fn deliveries(&self, state: &State, next: &mut Vec<State>) {
        for (&(from, to), channel) in &state.channels {
            if channel.is_empty() || state.dead.contains(&to) {
                continue;
            }
            let mut state = state.clone();
            let Some(message) = state
                .channels
                .get_mut(&(from, to))
                .and_then(VecDeque::pop_front)
            else {
                continue;
            };
            // Deliver the message twice: once as if more messages had arrived after it, and once as the only
            // message.
            if self.holds {
                let mut held = state.clone();
                held.places[to].hold();
                self.deliver(&mut held, from, to, message.clone());
                next.push(held);
            }
            self.deliver(&mut state, from, to, message);
            next.push(state);
        }
    }

    fn deliver(&self, state: &mut State, from: usize, to: usize, message: Message) {
        match message {
            Message::Task(task, caller) => state.arrive(to, task, from, caller.is_some()),
            Message::Reply(task) => state.answered(to, task, self.program),
            Message::Report(report, number) => {
                let actions = state.places[to].receive_report(from, ID, report);
                state.act(to, actions);
                if let Some(number) = number {
                    state.send(to, from, Message::Acknowledged(number));
                }
            }
            Message::Acknowledged(task) => {
                if let Some(caller) = state.held[to].remove(&task) {
                    state.reply(to, task, caller, self.program);
                }
            }
            Message::Probe(dead) => {
                let actions = state.places[to].probe(ID, dead);
                state.act(to, actions);
            }
            Message::Down => {
                let actions = state.places[to].down(from);
                state.act(to, actions);
                // `Place::down` takes the same steps.
                if from == ID.home {
                    for (task, caller) in std::mem::take(&mut state.held[to]) {
                        state.reply(to, task, caller, self.program);
                    }
                }
                for running in &mut state.running[to] {
                    let called = running
                        .next
                        .checked_sub(1)
                        .map(|last| self.program[running.task][last]);
                    if running.waits && matches!(called, Some(Call(place, _)) if place == from) {
                        running.waits = false;
                        running.lost = true;
                        state.call_failed = true;
                    }
                }
            }
        }
    }
}

/// Explores all orders of a program. Returns the number of final states, and the number of final states in which tasks were lost.
pub(super) fn explore(program: Program, victim: Option<usize>, holds: bool) -> (usize, usize) {
    explore_from(State::new(3, None), program, victim, holds)
}

pub(super) fn explore_from(
    state: State,
    program: Program,
    victim: Option<usize>,
    holds: bool,
) -> (usize, usize) {
    let mut model = Model {
        program,
        victim,
        holds,
        seen: HashSet::new(),
        hasher: RandomState::new(),
        ends: 0,
        losses: 0,
    };
    model.explore(state);
    eprintln!(
        "{} states, {} ends, {} of them with a loss",
        model.seen.len(),
        model.ends,
        model.losses
    );
    (model.ends, model.losses)
}
