//! The entries of an injector, in one list for each class and one list for each scope.

use super::class::Class;
use super::job::Job;
use crate::task::Header;
use crate::worker::thread::Context;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of times that pops may pass over the oldest job of a class before this job leaves next.
pub(crate) const PASSES: u32 = 64;

/// The index that stands for no entry.
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

/// The jobs of one scope in an injector, oldest first. A thread changes either end of this list only under the injector's lock.
///
/// While the queue contains jobs of the scope, the scope must stay in place, and must not be dropped.
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
    /// Creates the backlog of an injector without jobs.
    #[must_use]
    pub const fn new() -> Self {
        Backlog {
            first: AtomicU32::new(NONE),
            last: AtomicU32::new(NONE),
        }
    }

    /// Returns true if there is no job. The answer is exact for jobs that this thread has queued itself, and may be outdated for other
    /// jobs.
    pub(super) fn is_empty(&self) -> bool {
        // Relaxed: the value is only a hint. The lock orders the accesses of threads that hold it.
        self.first.load(Ordering::Relaxed) == NONE
    }

    // Relaxed, in this function and in the next function: the injector's lock orders all accesses except the access of `is_empty`.

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

/// Identifies a job in an injector, for [`Injector::take_back`]. After a thread has taken the job, the ticket identifies no job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    at: u32,
    number: u64,
}

#[derive(Debug)]
struct Entry {
    /// The job, or `None` while the entry is free. In a free entry, `order.after` is the next free entry.
    job: Option<Job>,
    /// The number of the push. With this number, a ticket distinguishes its job from other jobs in the same entry.
    number: u64,
    class: Class,
    /// The scope that may take the job with `pop_of`, or [`Context::NONE`] if no scope may take it.
    of: Context,
    /// The entry's neighbours in the list of its class.
    order: Links,
    /// The list of the job's scope, or null.
    backlog: *const Backlog,
    /// The entry's neighbours in the list of the job's scope.
    peers: Links,
}

// SAFETY: the job can be sent, the context is an address that is only compared, and the backlog is shared and lives until
// the job has been taken.
unsafe impl Send for Entry {}

/// Number of entries for which an empty queue keeps its memory.
pub(super) const KEPT: usize = 1024;

/// The entries of an injector. Each entry is in the list of its class, and may also be in the list of its scope.
#[derive(Debug)]
pub(super) struct Queue {
    entries: Vec<Entry>,
    free: u32,
    /// The list of each class.
    classes: [Ends; 3],
    /// For each class, the number of pops that have passed over its oldest job.
    passed: [u32; 3],
    /// Number of jobs.
    pub(super) len: usize,
    /// Number of jobs that were ever pushed.
    pushes: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Queue {
            entries: Vec::new(),
            free: NONE,
            classes: [Ends::EMPTY; 3],
            passed: [0; 3],
            len: 0,
            pushes: 0,
        }
    }
}

impl Queue {
    fn entry(&mut self, at: u32) -> &mut Entry {
        &mut self.entries[at as usize]
    }

    fn list(&mut self, class: Class) -> &mut Ends {
        &mut self.classes[class as usize]
    }

    /// Takes out the next job of class `least` or higher, or a job of a lower class if pops have passed over that job [`PASSES`] times.
    pub(super) fn pop(&mut self, least: Class) -> Option<(Job, Class)> {
        let mut chosen = None;
        for class in Class::ALL {
            let first = self.list(class).first;
            if first == NONE {
                continue;
            }
            let preferred = chosen.is_none() && class <= least;
            if preferred || self.passed[class as usize] >= PASSES {
                chosen = Some((class, first));
            }
            self.passed[class as usize] += 1;
        }
        let (class, at) = chosen?;
        self.passed[class as usize] = 0;
        self.remove(at)
    }

    /// Takes out a job of scope `of` from either end of the normal class: the oldest job of the class, or
    /// else the newest job, if it belongs to the scope.
    pub(super) fn pop_of(&mut self, of: Context) -> Option<(Job, Class)> {
        let Ends { first, last } = *self.list(Class::Normal);
        let at = [first, last]
            .into_iter()
            .find(|&at| at != NONE && self.entry(at).of == of)?;
        self.remove(at)
    }

    /// Takes out the oldest job of the scope that owns `backlog`. All jobs of the backlog must be in
    /// this queue.
    pub(super) fn pop_from(&mut self, backlog: &Backlog) -> Option<(Job, Class)> {
        let first = backlog.ends().first;
        (first != NONE).then(|| self.remove(first))?
    }

    /// Takes out the job of the ticket, if it is still in the queue.
    pub(super) fn take_back(&mut self, ticket: Ticket) -> Option<(Job, Class)> {
        let entry = self.entries.get(ticket.at as usize)?;
        let is_here = entry.number == ticket.number && entry.job.is_some();
        is_here.then(|| self.remove(ticket.at))?
    }

    /// Takes out every task for which `wanted` returns true, by class and oldest first.
    pub(super) fn take_all(
        &mut self,
        mut wanted: impl FnMut(*mut Header) -> bool,
    ) -> Vec<(*mut Header, Class)> {
        let mut found = Vec::new();
        for class in Class::ALL {
            let mut at = self.list(class).first;
            while at != NONE {
                let entry = self.entry(at);
                let next = entry.order.after;
                if let Some(Job::Run(header)) = entry.job {
                    if wanted(header) {
                        self.remove(at);
                        found.push((header, class));
                    }
                }
                at = next;
            }
        }
        found
    }

    /// Returns the number of entries for which the queue has allocated memory.
    #[cfg(all(test, not(heist_model)))]
    pub(super) fn space(&self) -> usize {
        self.entries.capacity()
    }

    pub(super) fn push(
        &mut self,
        job: Job,
        class: Class,
        of: Context,
        backlog: Option<&Backlog>,
    ) -> Ticket {
        let last = self.list(class).last;
        let number = self.pushes;
        self.pushes += 1;
        self.len += 1;
        let peers = backlog.map_or(Ends::EMPTY, Backlog::ends);
        let entry = Entry {
            job: Some(job),
            number,
            class,
            of,
            order: Links {
                before: last,
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
        match last {
            NONE => self.list(class).first = at,
            last => self.entry(last).order.after = at,
        }
        self.list(class).last = at;
        if let Some(backlog) = backlog {
            if peers.last != NONE {
                self.entry(peers.last).peers.after = at;
            }
            let first = if peers.first == NONE { at } else { peers.first };
            backlog.set_ends(Ends { first, last: at });
        }
        Ticket { at, number }
    }

    /// Takes out the job at `at`, if there is one.
    fn remove(&mut self, at: u32) -> Option<(Job, Class)> {
        let entry = self.entry(at);
        let (job, class) = (entry.job.take(), entry.class);
        let (order, peers, backlog) = (entry.order, entry.peers, entry.backlog);
        // SAFETY: the backlog lives while any of its jobs is in the injector, and this entry was in
        // the injector until now.
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
            NONE => self.list(class).first = order.after,
            before => self.entry(before).order.after = order.after,
        }
        match order.after {
            NONE => self.list(class).last = order.before,
            after => self.entry(after).order.before = order.before,
        }
        let free = self.free;
        self.entry(at).order.after = free;
        self.free = at;
        self.len -= 1;
        if self.len == 0 && self.entries.capacity() > KEPT {
            // Frees the memory that a burst of jobs has taken, because the queue may stay short for a long
            // time.
            (self.entries, self.free) = (Vec::new(), NONE);
        }
        Some((job?, class))
    }
}
