//! The queue of work that only a worker with nothing on its stack may take: jobs from outside,
//! detached spawns, spawns onto a scope from somewhere else, frames claimed a moment too late.
//!
//! A job leaves the queue when it is taken, from wherever it stands: a joiner that runs its task in place takes the
//! task's [`Ticket`] back, and a scope's owner takes the scope's own jobs by its [`Backlog`]. So nothing stays behind of
//! what has been run, and the queue of a pool whose workers never come to it is no longer than what is pending.

use crate::task::Header;
use crate::worker::thread::{Context, WorkerThread};
use std::ptr::null;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A piece of work that a worker has taken out of its queue.
#[derive(Debug)]
pub(crate) enum Job {
    /// A task or an outside frame: running it is all there is to do.
    Run(*mut Header),
    /// A claimed fork: its record must be kept, on the worker it was claimed from.
    Claimed {
        /// Victim whose frame it is.
        victim: *const WorkerThread,
        /// The slot it was claimed at.
        index: u32,
        /// The frame.
        frame: *mut Header,
    },
}

// SAFETY: a job is the sole right to run something that is `Send` by the bounds of the public
// functions; the pointed-to things live until it has run.
unsafe impl Send for Job {}

/// No entry.
const NONE: u32 = u32::MAX;

/// The first and the last entry of a list.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

impl Ends {
    const EMPTY: Ends = Ends {
        first: NONE,
        last: NONE,
    };
}

/// The neighbours of an entry in a list.
#[derive(Clone, Copy, Debug)]
struct Links {
    before: u32,
    after: u32,
}

/// The jobs of one scope that stand in an injector, oldest first. Both ends are changed under the injector's lock.
///
/// The scope must outlive its jobs in the queue, and stay in place while there are any.
#[derive(Debug)]
pub struct Backlog {
    first: AtomicU32,
    last: AtomicU32,
}

impl Default for Backlog {
    fn default() -> Self {
        Backlog::new()
    }
}

impl Backlog {
    /// An injector without jobs.
    #[must_use]
    pub const fn new() -> Self {
        Backlog {
            first: AtomicU32::new(NONE),
            last: AtomicU32::new(NONE),
        }
    }

    /// Whether no job is there (a racing view; exact for jobs that this thread has queued itself).
    fn is_empty(&self) -> bool {
        // Relaxed: a hint. The lock orders what is read under it.
        self.first.load(Ordering::Relaxed) == NONE
    }

    // Relaxed, here and below: under the injector's lock, which orders all accesses but `is_empty`'s.

    fn ends(&self) -> Ends {
        Ends {
            first: self.first.load(Ordering::Relaxed),
            last: self.last.load(Ordering::Relaxed),
        }
    }

    fn set_ends(&self, ends: Ends) {
        self.first.store(ends.first, Ordering::Relaxed);
        self.last.store(ends.last, Ordering::Relaxed);
    }
}

/// Names a job in an injector, for [`Injector::take_back`]. It has no effect once the job has been taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    at: u32,
    number: u64,
}

#[derive(Debug)]
struct Entry {
    /// None while the entry is free; `order.after` leads to the next free one then.
    job: Option<Job>,
    /// The number of the push, by which a ticket tells this job from earlier ones in the same place.
    number: u64,
    /// The scope that may take it back; [`Context::NONE`] if none may.
    of: Context,
    /// Its neighbours among all entries.
    order: Links,
    /// The list of its scope, or null.
    backlog: *const Backlog,
    /// Its neighbours in that list.
    peers: Links,
}

// SAFETY: the job can be sent, the context is an address that is only compared, and the backlog is shared and lives until
// the job has been taken.
unsafe impl Send for Entry {}

/// Space that an empty queue keeps.
const KEPT: usize = 1024;

/// Entries in two lists each: that of all, and that of their scope.
#[derive(Debug)]
struct Queue {
    entries: Vec<Entry>,
    free: u32,
    all: Ends,
    /// Number of jobs.
    len: usize,
    /// Number of jobs so far.
    pushes: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Queue {
            entries: Vec::new(),
            free: NONE,
            all: Ends::EMPTY,
            len: 0,
            pushes: 0,
        }
    }
}

impl Queue {
    fn entry(&mut self, at: u32) -> &mut Entry {
        &mut self.entries[at as usize]
    }

    fn push(&mut self, job: Job, of: Context, backlog: Option<&Backlog>) -> Ticket {
        let number = self.pushes;
        self.pushes += 1;
        self.len += 1;
        let peers = backlog.map_or(Ends::EMPTY, Backlog::ends);
        let entry = Entry {
            job: Some(job),
            number,
            of,
            order: Links {
                before: self.all.last,
                after: NONE,
            },
            backlog: backlog.map_or(null(), std::ptr::from_ref),
            peers: Links {
                before: peers.last,
                after: NONE,
            },
        };
        let at = if self.free == NONE {
            let at = u32::try_from(self.entries.len())
                .ok()
                .filter(|&at| at != NONE);
            self.entries.push(entry);
            at.expect("heist: fewer than 2^32 jobs wait in a pool")
        } else {
            let at = self.free;
            self.free = self.entry(at).order.after;
            *self.entry(at) = entry;
            at
        };
        match self.all.last {
            NONE => self.all.first = at,
            last => self.entry(last).order.after = at,
        }
        self.all.last = at;
        if let Some(backlog) = backlog {
            if peers.last != NONE {
                self.entry(peers.last).peers.after = at;
            }
            let first = if peers.first == NONE { at } else { peers.first };
            backlog.set_ends(Ends { first, last: at });
        }
        Ticket { at, number }
    }

    /// Takes out the job at `at`, where there is one.
    fn remove(&mut self, at: u32) -> Option<Job> {
        let entry = self.entry(at);
        let job = entry.job.take();
        let (order, peers, backlog) = (entry.order, entry.peers, entry.backlog);
        // SAFETY: the backlog lives as long as the job stands here.
        if let Some(backlog) = unsafe { backlog.as_ref() } {
            let mut ends = backlog.ends();
            match peers.before {
                NONE => ends.first = peers.after,
                before => self.entry(before).peers.after = peers.after,
            }
            match peers.after {
                NONE => ends.last = peers.before,
                after => self.entry(after).peers.before = peers.before,
            }
            backlog.set_ends(ends);
        }
        match order.before {
            NONE => self.all.first = order.after,
            before => self.entry(before).order.after = order.after,
        }
        match order.after {
            NONE => self.all.last = order.before,
            after => self.entry(after).order.before = order.before,
        }
        let free = self.free;
        self.entry(at).order.after = free;
        self.free = at;
        self.len -= 1;
        if self.len == 0 && self.entries.capacity() > KEPT {
            // Give back the memory that a burst has taken: the tasks of the burst may wait for long.
            (self.entries, self.free) = (Vec::new(), NONE);
        }
        job
    }
}

/// A FIFO queue with a length that can be read without its lock.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    queue: Mutex<Queue>,
    len: AtomicUsize,
}

impl Injector {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, job: Job) -> Ticket {
        self.push_as(job, Context::NONE, None)
    }

    /// Queues a job of that scope, for [`pop_of`](Self::pop_of).
    pub(crate) fn push_of(&self, of: Context, job: Job) {
        self.push_as(job, of, None);
    }

    /// Queues a job of the scope that owns `backlog`.
    ///
    /// # Safety
    /// The backlog stays in place until the job has been taken.
    pub(crate) unsafe fn push_to(&self, backlog: &Backlog, job: Job) {
        self.push_as(job, Context::NONE, Some(backlog));
    }

    fn push_as(&self, job: Job, of: Context, backlog: Option<&Backlog>) -> Ticket {
        let mut queue = self.queue();
        let ticket = queue.push(job, of, backlog);
        // SeqCst: against a worker that counts itself asleep and then reads this.
        self.len.store(queue.len, Ordering::SeqCst);
        ticket
    }

    pub(crate) fn pop(&self) -> Option<Job> {
        self.take(|queue| Some(queue.all.first))
    }

    /// The oldest job, or the newest, if it is of that scope.
    pub(crate) fn pop_of(&self, of: Context) -> Option<Job> {
        self.take(|queue| {
            let Ends { first, last } = queue.all;
            let mut is_its = |&at: &u32| at != NONE && queue.entry(at).of == of;
            [first, last].into_iter().find(|at| is_its(at))
        })
    }

    /// The oldest job of the scope whose backlog that is, all of whose jobs were queued here.
    pub(crate) fn pop_from(&self, backlog: &Backlog) -> Option<Job> {
        if backlog.is_empty() {
            return None;
        }
        self.take(|_| Some(backlog.ends().first))
    }

    /// Takes a job out that no worker has taken yet, wherever it stands.
    pub(crate) fn take_back(&self, ticket: Ticket) -> Option<Job> {
        self.take(|queue| {
            let entry = queue.entries.get(ticket.at as usize)?;
            (entry.number == ticket.number && entry.job.is_some()).then_some(ticket.at)
        })
    }

    fn take(&self, choose: impl FnOnce(&mut Queue) -> Option<u32>) -> Option<Job> {
        if self.is_empty() {
            return None;
        }
        let mut queue = self.queue();
        let at = choose(&mut queue).filter(|&at| at != NONE)?;
        let job = queue.remove(at);
        // SeqCst: as in `push_as`.
        self.len.store(queue.len, Ordering::SeqCst);
        job
    }

    /// Takes out every task that is `wanted`, oldest first. O(n) in what is there.
    pub(crate) fn take_all(&self, mut wanted: impl FnMut(*mut Header) -> bool) -> Vec<*mut Header> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        let mut queue = self.queue();
        let mut at = queue.all.first;
        while at != NONE {
            let entry = queue.entry(at);
            let next = entry.order.after;
            if let Some(Job::Run(header)) = entry.job {
                if wanted(header) {
                    queue.remove(at);
                    found.push(header);
                }
            }
            at = next;
        }
        // SeqCst: as in `push_as`.
        self.len.store(queue.len, Ordering::SeqCst);
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::SeqCst) == 0
    }

    /// Number of jobs (a racing view).
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Backlog, Injector, Job, KEPT, Ticket};
    use crate::task::Header;
    use std::collections::VecDeque;

    /// An address that stands for a job, never looked at.
    fn job(n: usize) -> Job {
        Job::Run(std::ptr::without_provenance_mut::<Header>(8 * (n + 1)))
    }

    fn number(job: Option<Job>) -> Option<usize> {
        match job? {
            Job::Run(header) => Some(header.addr() / 8 - 1),
            Job::Claimed { .. } => panic!("none was queued"),
        }
    }

    #[test]
    fn jobs_come_out_in_the_order_in_which_they_went_in() {
        let injector = Injector::default();
        for n in 0..2 * KEPT {
            injector.push(job(n));
        }
        assert_eq!(injector.len(), 2 * KEPT);
        for n in 0..2 * KEPT {
            assert_eq!(number(injector.pop()), Some(n));
        }
        assert!(injector.is_empty() && injector.pop().is_none());
        assert!(injector.queue().entries.capacity() <= KEPT);
    }

    #[test]
    fn a_ticket_takes_its_own_job_once() {
        let injector = Injector::default();
        let tickets: Vec<_> = (0..5).map(|n| injector.push(job(n))).collect();
        assert_eq!(number(injector.take_back(tickets[2])), Some(2));
        assert!(injector.take_back(tickets[2]).is_none());
        // In the place that has become free.
        injector.push(job(5));
        assert!(injector.take_back(tickets[2]).is_none());
        let left: Vec<_> = std::iter::from_fn(|| number(injector.pop())).collect();
        assert_eq!(left, [0, 1, 3, 4, 5]);
        assert!(
            tickets
                .into_iter()
                .all(|ticket| injector.take_back(ticket).is_none())
        );
    }

    /// Random operations, beside lists that say what must come out.
    #[test]
    fn tickets_and_backlogs_name_the_same_jobs_as_plain_lists() {
        let injector = Injector::default();
        let backlogs = [Backlog::new(), Backlog::new()];
        let mut model: VecDeque<(usize, usize)> = VecDeque::new();
        let mut tickets: Vec<(usize, Ticket)> = Vec::new();
        let mut random = 0x2545_F491_4F6C_DD1D_u64;
        for n in 0..20_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let list = (random >> 8) as usize % 3;
            match random % 8 {
                0..4 => {
                    if let Some(backlog) = backlogs.get(list) {
                        // SAFETY: the backlogs outlive the injector's use.
                        unsafe { injector.push_to(backlog, job(n)) };
                    } else {
                        tickets.push((n, injector.push(job(n))));
                    }
                    model.push_back((n, list));
                }
                4 | 5 => {
                    assert_eq!(number(injector.pop()), model.pop_front().map(|(n, _)| n));
                }
                6 => {
                    let Some(backlog) = backlogs.get(list) else {
                        continue;
                    };
                    let at = model.iter().position(|&(_, of)| of == list);
                    let expected = at.and_then(|at| model.remove(at)).map(|(n, _)| n);
                    assert_eq!(number(injector.pop_from(backlog)), expected);
                }
                _ => {
                    let Some((n, ticket)) = tickets.pop() else {
                        continue;
                    };
                    let at = model.iter().position(|&(other, _)| other == n);
                    let expected = at.and_then(|at| model.remove(at)).map(|(n, _)| n);
                    assert_eq!(number(injector.take_back(ticket)), expected);
                }
            }
            assert_eq!(injector.len(), model.len());
        }
    }

    #[test]
    fn many_are_taken_out_at_once() {
        let injector = Injector::default();
        for n in 0..10 {
            injector.push(job(n));
        }
        let found = injector.take_all(|header| [1, 5, 10, 51].contains(&(header.addr() / 8)));
        let found: Vec<_> = found.iter().map(|header| header.addr() / 8 - 1).collect();
        assert_eq!(found, [0, 4, 9]);
        let left: Vec<_> = std::iter::from_fn(|| number(injector.pop())).collect();
        assert_eq!(left, [1, 2, 3, 5, 6, 7, 8]);
    }
}
