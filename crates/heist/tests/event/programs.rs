//! Random programs of events, run step by step together with the reference interpreter.
//!
//! `HEIST_EVENT_SECONDS=1800 cargo test --release -p heist --test event random_programs` runs such programs for half an hour.

use super::reference::{Base, Chosen, Reference};
use super::{Calls, Random, poll_with};
use heist::sync::event::{BoxEvent, Event, Nack, Syncing, always, choose, guard, never, with_nack};
use heist::sync::{Receiver, Rendezvous, Sender, channel};
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

const RENDEZVOUS: usize = 2;
const BUFFERS: [usize; 2] = [1, 2];

/// The channels of a program.
struct World {
    rendezvous: Vec<Rendezvous<u64>>,
    buffers: Vec<(Sender<u64>, Receiver<u64>)>,
}

/// A part of an event.
enum Tree {
    Leaf(Base),
    Or(Box<Tree>, Box<Tree>),
    Many(Vec<Tree>),
    Guard(Box<Tree>),
    Nack(Box<Tree>),
}

/// The nack of each part that has one, and the range of the branches in this part.
type Nacks = Arc<Mutex<Vec<(Nack, std::ops::Range<usize>)>>>;

impl Tree {
    fn random(random: &mut Random, depth: usize, message: &mut u64) -> Tree {
        let part = |random: &mut Random, message: &mut u64| {
            Box::new(Tree::random(random, depth - 1, message))
        };
        match random.below(if depth == 0 { 6 } else { 11 }) {
            6 | 7 => Tree::Or(part(random, message), part(random, message)),
            8 => Tree::Many(
                (0..random.below(4))
                    .map(|_| *part(random, message))
                    .collect(),
            ),
            9 => Tree::Guard(part(random, message)),
            10 => Tree::Nack(part(random, message)),
            kind => Tree::Leaf(base(random, kind, message)),
        }
    }

    /// Appends the branches of this part to `all`, from left to right.
    fn bases(&self, all: &mut Vec<Base>) {
        match self {
            Tree::Leaf(base) => all.push(*base),
            Tree::Or(left, right) => {
                left.bases(all);
                right.bases(all);
            }
            Tree::Many(trees) => trees.iter().for_each(|tree| tree.bases(all)),
            Tree::Guard(tree) | Tree::Nack(tree) => tree.bases(all),
        }
    }

    fn event<'a>(self, world: &'a World, nacks: &Nacks, next: &mut usize) -> BoxEvent<'a, Chosen> {
        match self {
            Tree::Leaf(base) => {
                let branch = *next;
                *next += 1;
                leaf(base, world, branch)
            }
            Tree::Or(left, right) => {
                let left = left.event(world, nacks, next);
                left.or(right.event(world, nacks, next)).boxed()
            }
            Tree::Many(trees) => {
                let events: Vec<_> = trees
                    .into_iter()
                    .map(|tree| tree.event(world, nacks, next))
                    .collect();
                choose(events).boxed()
            }
            Tree::Guard(tree) => {
                let event = tree.event(world, nacks, next);
                guard(move || event).boxed()
            }
            Tree::Nack(tree) => {
                let first = *next;
                let event = tree.event(world, nacks, next);
                let (nacks, inside) = (Arc::clone(nacks), first..*next);
                with_nack(move |nack| {
                    nacks.lock().unwrap().push((nack, inside));
                    event
                })
                .boxed()
            }
        }
    }
}

fn base(random: &mut Random, kind: usize, message: &mut u64) -> Base {
    let channel = random.below(2);
    *message += 1;
    match kind {
        0 => Base::Send(channel, *message),
        1 => Base::Receive(channel),
        2 => Base::Put(channel, *message),
        3 => Base::Take(channel),
        4 if random.below(8) == 0 => Base::Always,
        4 => Base::Receive(channel),
        _ => Base::Never,
    }
}

fn leaf(base: Base, world: &World, branch: usize) -> BoxEvent<'_, Chosen> {
    let none = move |()| (branch, None);
    match base {
        Base::Send(to, message) => world.rendezvous[to].send_event(message).wrap(none).boxed(),
        Base::Receive(from) => (world.rendezvous[from].recv_event())
            .wrap(move |got| (branch, Some(got)))
            .boxed(),
        Base::Put(to, message) => {
            let sent = world.buffers[to].0.send_event(message);
            sent.wrap(move |sent| {
                sent.unwrap();
                (branch, None)
            })
            .boxed()
        }
        Base::Take(from) => {
            let taken = world.buffers[from].1.recv_event();
            taken.wrap(move |got| (branch, Some(got.unwrap()))).boxed()
        }
        Base::Always => always((branch, None)).boxed(),
        Base::Never => never().boxed(),
    }
}

/// A wait that has not ended.
struct Wait<'a> {
    id: usize,
    future: Pin<Box<Syncing<BoxEvent<'a, Chosen>>>>,
    calls: Arc<Calls>,
    nacks: Nacks,
}

impl Wait<'_> {
    /// Compares the nacks with the branch that was chosen. If the wait has not ended, no nack may have been given.
    fn check_nacks(&self, ended: bool, chosen: Option<usize>) {
        for (nack, inside) in self.nacks.lock().unwrap().iter() {
            let expected = ended && !chosen.is_some_and(|branch| inside.contains(&branch));
            assert_eq!(nack.is_given(), expected, "the nack of {inside:?}");
        }
    }
}

/// Runs a program of `steps` steps, and records them in `log`.
fn program(seed: u64, steps: usize, log: &Rc<RefCell<Vec<String>>>) {
    let world = World {
        rendezvous: (0..RENDEZVOUS).map(|_| Rendezvous::new()).collect(),
        buffers: BUFFERS.map(channel).into(),
    };
    let mut random = Random(seed);
    let mut reference = Reference::new(RENDEZVOUS, &BUFFERS);
    let mut waits: Vec<Wait<'_>> = Vec::new();
    let mut message = 0;
    for id in 0..steps {
        let step = if waits.is_empty() { 0 } else { random.below(5) };
        match step {
            0 | 1 => {
                let tree = Tree::random(&mut random, 3, &mut message);
                let mut bases = Vec::new();
                tree.bases(&mut bases);
                log.borrow_mut().push(format!("{id} begins: {bases:?}"));
                let nacks = Nacks::default();
                let event = tree.event(&world, &nacks, &mut 0);
                let mut wait = Wait {
                    id,
                    future: Box::pin(event.sync_async()),
                    calls: Arc::default(),
                    nacks,
                };
                let ready = reference.ready(&bases);
                match poll_with(wait.future.as_mut(), &wait.calls) {
                    Poll::Ready((branch, got)) => {
                        assert!(
                            ready.contains(&branch),
                            "{branch} was chosen, not one of {ready:?}"
                        );
                        assert_eq!(got, reference.happen(bases[branch]));
                        wait.check_nacks(true, Some(branch));
                    }
                    Poll::Pending => {
                        assert!(ready.is_empty(), "one of {ready:?} should have been chosen");
                        reference.queue(id, bases);
                        wait.check_nacks(false, None);
                        waits.push(wait);
                    }
                }
            }
            2 | 3 => {
                let at = random.below(waits.len());
                let wait = &mut waits[at];
                log.borrow_mut().push(format!("{} is polled", wait.id));
                let expected = reference.poll(wait.id);
                match poll_with(wait.future.as_mut(), &wait.calls) {
                    Poll::Ready(chosen) => {
                        assert_eq!(Some(chosen), expected);
                        wait.check_nacks(true, Some(chosen.0));
                        waits.swap_remove(at);
                    }
                    Poll::Pending => {
                        assert_eq!(expected, None);
                        wait.check_nacks(false, None);
                    }
                }
            }
            _ => {
                let Wait {
                    id, future, nacks, ..
                } = waits.swap_remove(random.below(waits.len()));
                log.borrow_mut().push(format!("{id} is dropped"));
                reference.drop(id);
                drop(future);
                // If a branch was chosen, its nack is also given, because no code has taken the result.
                assert!(
                    nacks
                        .lock()
                        .unwrap()
                        .iter()
                        .all(|(nack, _)| nack.is_given())
                );
            }
        }
        for wait in &waits {
            assert_eq!(
                wait.calls.count() > 0,
                reference.is_decided(wait.id),
                "wake-ups of {}",
                wait.id
            );
        }
    }
}

#[test]
fn random_programs() {
    let seconds = std::env::var("HEIST_EVENT_SECONDS").map_or(1.0, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut programs = 0;
    for seed in 1_u64.. {
        let log = Rc::new(RefCell::new(Vec::new()));
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let ran =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| program(seed, 60, &log)));
        if let Err(payload) = ran {
            log.borrow().iter().for_each(|line| eprintln!("{line}"));
            eprintln!("in the program of seed {seed:#x}");
            std::panic::resume_unwind(payload);
        }
        programs += 1;
        if Instant::now() > end {
            break;
        }
    }
    println!("{programs} programs");
    assert!(programs > 10);
}
