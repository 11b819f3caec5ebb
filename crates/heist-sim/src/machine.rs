//! The machine on which a program is replayed, and all costs there.

use crate::Time;
use std::fmt;

/// The most workers a machine may have.
const MOST_WORKERS: usize = 1024;

macro_rules! costs {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal;)+) => {
        /// Costs of the steps, in nanoseconds.
        ///
        /// The default is meant for an AMD EPYC with two CPUs in a virtual machine; which of it was measured and which
        /// is an estimate is in the crate's README.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Costs {
            $($(#[doc = $doc])+ pub $name: f64,)+
        }

        impl Default for Costs {
            fn default() -> Costs {
                Costs { $($name: $value,)+ }
            }
        }

        impl Costs {
            /// Everything is free, except for a look at a victim: searching takes time.
            pub fn none() -> Costs {
                Costs { $($name: 0.0,)+ }.searching()
            }

            /// Every cost by name.
            pub fn fields(&mut self) -> Vec<Field<'_>> {
                vec![$(Field {
                    name: stringify!($name),
                    about: concat!($($doc,)+).trim_start(),
                    value: &mut self.$name,
                },)+]
            }
        }
    };
}

/// A cost by name.
#[derive(Debug)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// The cost in nanoseconds.
    pub value: &'a mut f64,
}

costs! {
    /// The time from the call of an idle pool to the start of the program there, and from its end until the caller continues.
    enter = 9000.0;
    /// A fork without a steal: push, and pop above the barrier.
    fork = 1.6;
    /// A task that its spawner runs: allocation, push, pop, count.
    spawn = 11.0;
    /// A scope without tasks.
    scope = 6.0;
    /// A full fence at each pop (chase-lev, the).
    fence = 7.0;
    /// The exchange for a deque's last item (chase-lev).
    last = 8.0;
    /// A thief's look at a victim that has not changed.
    look = 4.0;
    /// A thief's look at a victim that works: a line from another cache.
    probe = 100.0;
    /// Claiming a frame, reading it, recording its thief, and running it with cold caches.
    claim = 450.0;
    /// The thief's end of a stolen frame: returning the result, and telling the victim.
    complete = 100.0;
    /// The victim's end of a stolen frame: the lock, the record, the result from another cache.
    retire = 250.0;
    /// Setting one victim's request word.
    ask = 40.0;
    /// The owner's exposure of half its frames: the lock, the exchange, telling the searchers.
    expose = 80.0;
    /// A pop that meets the return barrier and takes half of the public frames back.
    barrier = 60.0;
    /// An exposure by force, for the thief: a heavy fence. Victims have about as long to answer before it.
    force = 12000.0;
    /// An exposure by force, for the victim: the interrupt.
    interrupt = 2000.0;
    /// Stopping a victim and resuming it, from its poll point: two messages between caches (stop).
    handshake = 100.0;
    /// Work of the thief while its victim stands still (stop).
    take = 80.0;
    /// The owner's answer to a request: one frame into the mailbox (polled).
    answer = 250.0;
    /// A request's and an answer's way between two caches (polled, stop).
    message = 100.0;
    /// The shortest pause after as many failed attempts as there are victims; each further one is twice as long.
    pause = 50.0;
    /// The longest.
    pause_most = 4000.0;
    /// Time that a thief holds a victim's lock (the).
    lock = 150.0;
    /// An access to the shared queue, under its lock (work-sharing).
    queue = 120.0;
    /// Time that a worker searches before it sleeps.
    patience = 50000.0;
    /// Waking a sleeper, for the waker: a system call.
    notify = 1500.0;
    /// Waking a sleeper, until it runs.
    wake = 9000.0;
    /// Time that a waiting worker spins before it sleeps.
    spin = 10000.0;
    /// A waiter that spins sees that its wait is over.
    notice = 100.0;
    /// Additional cost of a message to another cache on the same node.
    far_cache = 100.0;
    /// Additional cost of a message to another node.
    far_node = 300.0;
}

impl Costs {
    fn searching(self) -> Costs {
        Costs {
            look: 1.0,
            probe: 1.0,
            ..self
        }
    }
}

/// Distances between workers. Workers are numbered so that neighbours are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Workers that share a cache.
    pub per_cache: usize,
    /// Workers of a NUMA node.
    pub per_node: usize,
}

impl Default for Topology {
    /// Eight to a cache and 64 to a node, as in the EPYC family.
    fn default() -> Topology {
        Topology {
            per_cache: 8,
            per_node: 64,
        }
    }
}

/// Protocol by which a thief gets a victim's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The victim stands still from its next poll point until the thief has taken a frame: DefaultWS of Kumar,
    /// Blackburn and Grove (VEE 2014), section 2.2.
    StopVictim,
    /// The victim makes half of its frames public when asked, or is forced to: Heist's own, after the same paper's
    /// section 3.
    ReturnBarrier,
    /// The victim hands a frame over when asked, at its next poll point: Rainey's thesis, section 5.3.
    Polled,
    /// Thieves take what they find; the owner pays a fence at each pop: Chase and Lev (SPAA 2005).
    ChaseLev,
    /// Thieves take what they find under a lock; the owner pays a fence at each pop: Frigo, Leiserson and Randall
    /// (PLDI 1998), section 5.
    The,
}

impl Protocol {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Protocol); 5] = [
        ("return-barrier", Protocol::ReturnBarrier),
        ("stop", Protocol::StopVictim),
        ("polled", Protocol::Polled),
        ("chase-lev", Protocol::ChaseLev),
        ("the", Protocol::The),
    ];
}

/// In which order a thief tries victims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victims {
    /// Any, alike.
    Random,
    /// One after the other.
    RoundRobin,
    /// Those that share a cache first, then those of the node, then all; in random order within each group.
    Hierarchical,
    /// The victim of the last theft first, then any.
    Last,
}

impl Victims {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Victims); 4] = [
        ("random", Victims::Random),
        ("round-robin", Victims::RoundRobin),
        ("hierarchical", Victims::Hierarchical),
        ("last", Victims::Last),
    ];
}

/// Number of frames that a thief takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The oldest.
    One,
    /// The older half of the frames that it can have.
    Half,
}

/// Treatment of a task that is spawned into a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The task waits, and its parent continues.
    HelpFirst,
    /// The task runs at once, and its parent's continuation waits.
    WorkFirst,
    /// The task goes to a queue that all workers share, under a lock.
    WorkSharing,
    /// Help-first while the worker's deque is short, or a worker searches; otherwise work-first.
    Adaptive,
}

impl Policy {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Policy); 4] = [
        ("help-first", Policy::HelpFirst),
        ("work-first", Policy::WorkFirst),
        ("work-sharing", Policy::WorkSharing),
        ("adaptive", Policy::Adaptive),
    ];
}

/// The machine on which a program is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// From 1 to 1,024.
    pub workers: usize,
    /// Protocol by which thieves get frames.
    pub protocol: Protocol,
    /// Order in which they try victims.
    pub victims: Victims,
    /// Number of frames that they take.
    pub amount: Amount,
    /// Treatment of spawned tasks.
    pub policy: Policy,
    /// Distances between workers.
    pub topology: Topology,
    /// Costs of all steps.
    pub costs: Costs,
    /// The factor by which strands are slower while all workers work than while one does, because of shared
    /// resources: caches, memory, power. Between the two it grows evenly with the number of working workers. 1
    /// if they share nothing.
    pub inflation: f64,
}

/// The reason why there can be no such machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineError(String);

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MachineError {}

impl Machine {
    /// This number of workers, and everything else as in Heist.
    pub fn new(workers: usize, protocol: Protocol) -> Machine {
        Machine {
            workers,
            protocol,
            victims: Victims::Random,
            amount: Amount::One,
            policy: Policy::HelpFirst,
            topology: Topology::default(),
            costs: Costs::default(),
            inflation: 1.0,
        }
    }

    /// Describes the problem.
    pub(crate) fn check(&self) -> Result<(), MachineError> {
        if !(1..=MOST_WORKERS).contains(&self.workers) {
            return Err(MachineError(format!(
                "a machine has 1 to {MOST_WORKERS} workers, not {}",
                self.workers
            )));
        }
        if self.topology.per_cache == 0 || self.topology.per_node == 0 {
            return Err(MachineError(
                "a cache and a node have at least one worker".to_owned(),
            ));
        }
        if !(1.0..=1000.0).contains(&self.inflation) {
            return Err(MachineError(format!(
                "the inflation is from 1 to 1000, not {}",
                self.inflation
            )));
        }
        for field in self.costs.clone().fields() {
            // A second is far above any of them.
            if !(0.0..=1e9).contains(field.value) {
                return Err(MachineError(format!(
                    "the cost {} is {} ns, and not between 0 and a second",
                    field.name, field.value
                )));
            }
        }
        Ok(())
    }

    /// Additional cost of a message between two workers, compared with one within a cache, in nanoseconds.
    pub(crate) fn distance(&self, a: usize, b: usize) -> f64 {
        if a / self.topology.per_cache == b / self.topology.per_cache {
            0.0
        } else if a / self.topology.per_node == b / self.topology.per_node {
            self.costs.far_cache
        } else {
            self.costs.far_node
        }
    }
}

/// Nanoseconds as simulated time.
pub(crate) fn ps(ns: f64) -> Time {
    (ns * 1000.0).round() as Time
}
