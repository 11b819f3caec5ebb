//! A reference interpreter of events. The interpreter has a single thread, uses lists as queues, and needs neither locks nor atomic
//! words.

use std::collections::VecDeque;

/// A branch of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// A branch that sends this message at this rendezvous.
    Send(usize, u64),
    Receive(usize),
    /// A branch that puts this message into this channel with a buffer.
    Put(usize, u64),
    Take(usize),
    Always,
    Never,
}

/// The index of the chosen branch, and the message that this branch received.
pub(crate) type Chosen = (usize, Option<u64>);

/// A wait whose result no task has taken yet.
#[derive(Debug)]
struct Pending {
    id: usize,
    bases: Vec<Base>,
    /// True if the wait's branches are in the queues.
    queued: bool,
    decided: Option<Chosen>,
}

#[derive(Debug)]
struct Buffer {
    values: VecDeque<u64>,
    room: usize,
    promised: usize,
}

/// The state of all channels and waits.
#[derive(Debug)]
pub(crate) struct Reference {
    /// For each rendezvous, the messages whose receivers gave up.
    left_over: Vec<VecDeque<u64>>,
    buffers: Vec<Buffer>,
    /// The waits, in the order in which they began.
    waits: Vec<Pending>,
}

impl Reference {
    pub(crate) fn new(rendezvous: usize, buffers: &[usize]) -> Self {
        let buffer = |&room: &usize| Buffer {
            values: VecDeque::new(),
            room,
            promised: 0,
        };
        Reference {
            left_over: vec![VecDeque::new(); rendezvous],
            buffers: buffers.iter().map(buffer).collect(),
            waits: Vec::new(),
        }
    }

    /// Returns the oldest undecided wait with a branch that suits, and the index of that branch.
    fn oldest(&self, suits: impl Fn(Base) -> bool) -> Option<(usize, usize)> {
        self.waits.iter().enumerate().find_map(|(at, wait)| {
            let waits = wait.queued && wait.decided.is_none();
            let branch = waits.then(|| wait.bases.iter().position(|&base| suits(base)))?;
            Some((at, branch?))
        })
    }

    /// Returns true if the branch of a wait can happen. The wait must not be queued.
    fn can_happen(&self, base: Base) -> bool {
        match base {
            Base::Always => true,
            Base::Never => false,
            Base::Send(to, _) => self.oldest(|other| other == Base::Receive(to)).is_some(),
            Base::Receive(from) => {
                !self.left_over[from].is_empty()
                    || self
                        .oldest(|other| matches!(other, Base::Send(at, _) if at == from))
                        .is_some()
            }
            Base::Put(to, _) => self.buffers[to].room > 0,
            Base::Take(from) => self.buffers[from].values.len() > self.buffers[from].promised,
        }
    }

    /// Returns the indices of the branches that can happen immediately.
    pub(crate) fn ready(&self, bases: &[Base]) -> Vec<usize> {
        (0..bases.len())
            .filter(|&at| self.can_happen(bases[at]))
            .collect()
    }

    fn decide(&mut self, wait: usize, branch: usize, got: Option<u64>) {
        self.waits[wait].decided = Some((branch, got));
    }

    /// Executes a branch that can happen. Returns the message that the branch receives.
    pub(crate) fn happen(&mut self, base: Base) -> Option<u64> {
        match base {
            Base::Send(to, message) => {
                let (wait, branch) = self.oldest(|other| other == Base::Receive(to)).unwrap();
                self.decide(wait, branch, Some(message));
                None
            }
            Base::Receive(from) => Some(self.left_over[from].pop_front().unwrap_or_else(|| {
                let (wait, branch) = self
                    .oldest(|other| matches!(other, Base::Send(at, _) if at == from))
                    .unwrap();
                let Base::Send(_, message) = self.waits[wait].bases[branch] else {
                    unreachable!()
                };
                self.decide(wait, branch, None);
                message
            })),
            Base::Put(to, message) => {
                self.buffers[to].room -= 1;
                self.buffers[to].values.push_back(message);
                self.serve(to);
                None
            }
            Base::Take(from) => Some(self.take(from)),
            Base::Always => None,
            Base::Never => unreachable!(),
        }
    }

    fn take(&mut self, from: usize) -> u64 {
        let value = self.buffers[from].values.pop_front().unwrap();
        self.buffers[from].room += 1;
        self.serve(from);
        value
    }

    fn serve(&mut self, buffer: usize) {
        loop {
            let state = &self.buffers[buffer];
            if state.values.len() > state.promised {
                if let Some((wait, branch)) = self.oldest(|other| other == Base::Take(buffer)) {
                    self.buffers[buffer].promised += 1;
                    self.decide(wait, branch, None);
                    continue;
                }
            }
            if self.buffers[buffer].room > 0 {
                if let Some((wait, branch)) =
                    self.oldest(|other| matches!(other, Base::Put(at, _) if at == buffer))
                {
                    self.buffers[buffer].room -= 1;
                    self.decide(wait, branch, None);
                    continue;
                }
            }
            return;
        }
    }

    /// Queues a wait. The caller must ensure that no branch of the wait can happen immediately.
    pub(crate) fn queue(&mut self, id: usize, bases: Vec<Base>) {
        self.waits.push(Pending {
            id,
            bases,
            queued: true,
            decided: None,
        });
    }

    pub(crate) fn is_decided(&self, id: usize) -> bool {
        self.waits
            .iter()
            .any(|wait| wait.id == id && wait.decided.is_some())
    }

    /// Polls a wait again. If the wait is decided, removes it and returns its result.
    pub(crate) fn poll(&mut self, id: usize) -> Option<Chosen> {
        let at = self.waits.iter().position(|wait| wait.id == id).unwrap();
        let (branch, got) = self.waits[at].decided?;
        let wait = self.waits.remove(at);
        let got = match wait.bases[branch] {
            Base::Take(from) => {
                self.buffers[from].promised -= 1;
                Some(self.take(from))
            }
            Base::Put(to, message) => {
                self.buffers[to].values.push_back(message);
                self.serve(to);
                None
            }
            _ => got,
        };
        Some((branch, got))
    }

    /// Drops a wait, and passes on the message that its decided branch has received.
    pub(crate) fn drop(&mut self, id: usize) {
        let at = self.waits.iter().position(|wait| wait.id == id).unwrap();
        let wait = self.waits.remove(at);
        let Some((branch, got)) = wait.decided else {
            return;
        };
        match wait.bases[branch] {
            Base::Receive(from) => match self.oldest(|other| other == Base::Receive(from)) {
                Some((wait, branch)) => self.decide(wait, branch, got),
                None => self.left_over[from].extend(got),
            },
            Base::Take(from) => {
                self.buffers[from].promised -= 1;
                self.serve(from);
            }
            Base::Put(to, _) => {
                self.buffers[to].room += 1;
                self.serve(to);
            }
            Base::Send(..) | Base::Always | Base::Never => {}
        }
    }
}
