//! The machine on which a program is replayed, and all its costs.

use crate::Time;
use crate::fields::costs;
use std::fmt;

/// The maximum number of workers of a machine.
const MOST_WORKERS: usize = 1024;

costs! {
    /// The costs of the steps, in nanoseconds.
    ///
    /// The default models an AMD EPYC with two CPUs in a virtual machine. The crate's README says which costs were measured and which costs
    /// are estimates.
    pub struct Costs;
    /// The sum of two times: from the call of an idle pool until the program starts in the pool, and from the end of the program until the
    /// caller continues.
    enter = 9000.0;
    /// A fork that is not stolen: its push, and its pop above the barrier.
    fork = 1.6;
    /// A task that its spawner runs: the allocation, push, pop and count of the task.
    spawn = 11.0;
    /// A scope without tasks.
    scope = 6.0;
    /// A full fence at each pop (protocols `chase-lev` and `the`).
    fence = 7.0;
    /// The exchange for a deque's last item (protocol `chase-lev`).
    last = 8.0;
    /// A thief's look at a victim whose state has not changed since the last look.
    look = 4.0;
    /// A thief's look at a working victim, whose cache line comes from another cache.
    probe = 100.0;
    /// The thief's work to claim a frame, read the frame and record itself as the thief, and the cache misses when the thief runs the
    /// frame.
    claim = 450.0;
    /// The thief's work at the end of a stolen frame: returning the result, and notifying the victim.
    complete = 100.0;
    /// The victim's work at the join of a stolen frame: the lock, the record, the result from another cache.
    retire = 250.0;
    /// Setting one victim's request word.
    ask = 40.0;
    /// The owner's work to expose half of its frames: the lock, the exchange, and notifying the searchers.
    expose = 80.0;
    /// A pop that reaches the return barrier, and takes back half of the public frames.
    barrier = 60.0;
    /// The thief's cost of an exposure by force: a heavy fence. Before the fence, the thief waits for about the same time for its victims'
    /// answers.
    force = 12000.0;
    /// The victim's cost of an exposure by force: the interrupt.
    interrupt = 2000.0;
    /// Stopping a victim at its poll point and resuming it: two messages between caches (protocol `stop`).
    handshake = 100.0;
    /// Work of the thief while its victim is stopped (protocol `stop`).
    take = 80.0;
    /// The owner's answer to a request: it puts one frame into the mailbox (protocol `polled`).
    answer = 250.0;
    /// The time that a request or an answer takes between two caches (protocols `polled` and `stop`).
    message = 100.0;
    /// The first pause of a thief. A thief pauses when the number of its failed attempts is the number of victims. Each further pause is
    /// twice as long as the pause before.
    pause = 50.0;
    /// The longest pause of a thief.
    pause_most = 4000.0;
    /// The time for which a thief holds a victim's lock (protocol `the`).
    lock = 150.0;
    /// An access to the shared queue, under its lock (work-sharing).
    queue = 120.0;
    /// The time for which a worker searches before it sleeps.
    patience = 50000.0;
    /// The time that a waker takes to wake a sleeper: a system call.
    notify = 1500.0;
    /// The time until a woken sleeper runs.
    wake = 9000.0;
    /// The time for which a waiting worker spins before it sleeps.
    spin = 10000.0;
    /// The time until a spinning worker sees that its wait is over.
    notice = 100.0;
    /// The additional cost of a message to another cache on the same node.
    far_cache = 100.0;
    /// The additional cost of a message to another node.
    far_node = 300.0;
}

impl Costs {
    /// Returns costs that are 0, except for the cost of a look at a victim. A look takes a
    /// nanosecond, so that searches take time.
    pub fn none() -> Costs {
        Costs {
            look: 1.0,
            probe: 1.0,
            ..Costs::zero()
        }
    }
}

/// The distances between workers. Workers with neighbouring indices share caches and nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The number of workers that share a cache.
    pub per_cache: usize,
    /// The number of workers of a NUMA node.
    pub per_node: usize,
}

impl Default for Topology {
    /// Returns eight workers for each cache and 64 for each node, as in the EPYC family.
    fn default() -> Topology {
        Topology {
            per_cache: 8,
            per_node: 64,
        }
    }
}

/// The protocol by which a thief gets a victim's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The victim stops at its next poll point until the thief has taken a frame:
    /// DefaultWS of Kumar, Blackburn and Grove (VEE 2014), sections 2.4 and 5.2.
    StopVictim,
    /// The victim makes half of its frames public after a request, or a thief forces this exposure: Heist's default protocol, after section
    /// 5 of Kumar, Blackburn and Grove (VEE 2014). In contrast to that paper, thieves stop no victim.
    ReturnBarrier,
    /// The victim hands a frame over at its next poll point after a request:
    /// private access in Rainey's thesis, sections 2.6, 3.2 and 3.3.3.
    Polled,
    /// Thieves take frames without the victim's help, and the owner issues a fence at each pop: Chase and Lev (SPAA 2005).
    ChaseLev,
    /// Thieves take frames under a lock, and the owner issues a fence at each pop: Frigo, Leiserson and Randall (PLDI 1998), section 5.
    The,
}

impl Protocol {
    /// All protocols, with their names.
    pub const ALL: [(&'static str, Protocol); 5] = [
        ("return-barrier", Protocol::ReturnBarrier),
        ("stop", Protocol::StopVictim),
        ("polled", Protocol::Polled),
        ("chase-lev", Protocol::ChaseLev),
        ("the", Protocol::The),
    ];
}

/// The order in which a thief tries victims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victims {
    /// The thief tries each victim with equal probability.
    Random,
    /// The thief tries one victim after the other.
    RoundRobin,
    /// The thief tries first the workers that share its cache, then the workers of its node, then all workers, in random order within each
    /// group.
    Hierarchical,
    /// The thief tries the victim of its last theft first, then any victim.
    Last,
}

impl Victims {
    /// All orders, with their names.
    pub const ALL: [(&'static str, Victims); 4] = [
        ("random", Victims::Random),
        ("round-robin", Victims::RoundRobin),
        ("hierarchical", Victims::Hierarchical),
        ("last", Victims::Last),
    ];
}

/// The number of frames that a thief takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The oldest frame.
    One,
    /// The older half of the frames that the thief can take.
    Half,
}

/// The treatment of a task that is spawned into a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The task waits in the deque, and its parent continues.
    HelpFirst,
    /// The task runs immediately, and its parent's continuation waits in the deque.
    WorkFirst,
    /// The task goes to a queue that all workers share, under a lock.
    WorkSharing,
    /// Help-first while the worker's deque is short or another worker searches, and otherwise
    /// work-first.
    Adaptive,
}

impl Policy {
    /// All policies, with their names.
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
    /// The number of workers, from 1 to 1,024.
    pub workers: usize,
    /// The protocol by which thieves get frames.
    pub protocol: Protocol,
    /// The order in which thieves try victims.
    pub victims: Victims,
    /// The number of frames that thieves take.
    pub amount: Amount,
    /// The treatment of spawned tasks.
    pub policy: Policy,
    /// The distances between workers.
    pub topology: Topology,
    /// The costs of all steps.
    pub costs: Costs,
    /// The factor by which a strand takes longer if all workers work than if only one worker works. The factor may be more than 1, because
    /// workers share caches, memory and power. The factor is 1 if workers share no resources. The slowdown grows linearly with the number
    /// of working workers.
    pub inflation: f64,
}

/// The reason why a machine, a cluster or a cost is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineError(String);

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MachineError {}

impl MachineError {
    pub(crate) fn new(message: String) -> MachineError {
        MachineError(message)
    }
}

impl Machine {
    /// Returns a machine with this number of workers and this protocol, and with Heist's other policies.
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

    /// Returns an error if the machine is invalid.
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
        self.costs.check()
    }

    /// Returns the additional cost of a message between two workers, compared with a message within a
    /// cache, in nanoseconds.
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

/// Converts nanoseconds to simulated time.
pub(crate) fn ps(ns: f64) -> Time {
    (ns * 1000.0).round() as Time
}
