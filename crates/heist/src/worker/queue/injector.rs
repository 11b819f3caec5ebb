//! The queue of work that only a worker with an empty stack may take. The queue contains, for example, jobs from outside of the pool,
//! detached spawns, spawns into a scope of another worker, and frames that a waiter claimed too late.
//!
//! A thread can take a job from any position of the queue. A thread that joins a task and runs it in place takes the task back by the
//! task's [`Ticket`]. The owner of a scope takes the scope's jobs through its [`Backlog`]. So the queue has no entries of jobs that have
//! run, and its length is at most the number of pending jobs, even if the pool's workers never look at it.
//!
//! Each job has a [class](Class). Jobs of a higher class leave first, and jobs of the same class leave oldest first. There is one
//! exception: if workers have passed over a job [`PASSES`](super::lists::PASSES) times, it leaves next.

use super::class::Class;
use super::job::Job;
use super::lists::{Backlog, Queue, Ticket};
use crate::task::Header;
use crate::worker::thread::Context;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A queue of jobs. Reading its length takes no lock.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    queue: Mutex<Queue>,
    len: AtomicUsize,
    hints: Hints,
}

/// The words that each worker reads between two tasks. These words are not in the cache line to which each push and pop writes.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Hints {
    /// Number of jobs of the class [`Latency`](Class::Latency).
    latency: AtomicUsize,
    /// True if a job of a class other than [`Normal`](Class::Normal) was ever queued.
    classes: AtomicBool,
    /// Number of jobs of the class [`Background`](Class::Background).
    background: AtomicUsize,
}

impl Injector {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, job: Job) -> Ticket {
        self.push_as(job, Class::Normal, Context::NONE, None)
    }

    pub(crate) fn push_at(&self, class: Class, job: Job) -> Ticket {
        if class != Class::Normal {
            // Relaxed: a worker that does not see the flag yet treats all jobs as jobs of the normal class.
            self.hints.classes.store(true, Ordering::Relaxed);
        }
        if class == Class::Latency {
            // Relaxed: the value is only a hint, and the lock decides. This thread counts the job before the job is in the queue, so a
            // worker may look for the job once without finding it.
            self.hints.latency.fetch_add(1, Ordering::Relaxed);
        } else if class == Class::Background {
            // Relaxed: the value is only a hint.
            self.hints.background.fetch_add(1, Ordering::Relaxed);
        }
        self.push_as(job, class, Context::NONE, None)
    }

    /// Queues a job of scope `of`, which [`pop_of`](Self::pop_of) may take.
    pub(crate) fn push_of(&self, of: Context, job: Job) {
        self.push_as(job, Class::Normal, of, None);
    }

    /// Queues a job of the scope that owns `backlog`.
    ///
    /// # Safety
    /// The backlog must stay in place until the job has been taken.
    pub(crate) unsafe fn push_to(&self, backlog: &Backlog, job: Job) {
        self.push_as(job, Class::Normal, Context::NONE, Some(backlog));
    }

    fn push_as(&self, job: Job, class: Class, of: Context, backlog: Option<&Backlog>) -> Ticket {
        let mut queue = self.queue();
        let ticket = queue.push(job, class, of, backlog);
        // SeqCst orders this access against a worker that counts itself asleep and then reads the length.
        self.len.store(queue.len, Ordering::SeqCst);
        ticket
    }

    /// Takes the next job.
    pub(in crate::worker) fn pop(&self) -> Option<(Job, Class)> {
        self.pop_down_to(Class::Background)
    }

    /// Takes the next job of class `least` or a higher class, or a job of a lower class if workers have passed over that job
    /// [`PASSES`](super::lists::PASSES) times.
    pub(in crate::worker) fn pop_down_to(&self, least: Class) -> Option<(Job, Class)> {
        self.take(|queue| queue.pop(least))
    }

    /// Returns true if there is a job of the class [`Latency`](Class::Latency). The answer may be outdated.
    #[inline]
    pub(in crate::worker) fn has_latency_jobs(&self) -> bool {
        self.hints.latency.load(Ordering::Relaxed) != 0
    }

    /// Returns true if there is a job of a class lower than `class`. The answer may be outdated.
    pub(in crate::worker) fn has_below(&self, class: Class) -> bool {
        match class {
            Class::Latency => self.len() > self.hints.latency.load(Ordering::Relaxed),
            Class::Normal => self.hints.background.load(Ordering::Relaxed) != 0,
            Class::Background => false,
        }
    }

    /// Returns true if there ever was a job of a class other than [`Normal`](Class::Normal).
    #[inline]
    pub(in crate::worker) fn has_classes(&self) -> bool {
        self.hints.classes.load(Ordering::Relaxed)
    }

    /// Takes a job of scope `of` from either end of the normal class: the oldest job of the class, or
    /// else the newest job, if it belongs to the scope.
    pub(crate) fn pop_of(&self, of: Context) -> Option<Job> {
        self.take(|queue| queue.pop_of(of)).map(|(job, _)| job)
    }

    /// Takes the oldest job of the scope that owns `backlog`. All jobs of the backlog must have been queued in
    /// this injector.
    pub(crate) fn pop_from(&self, backlog: &Backlog) -> Option<Job> {
        if backlog.is_empty() {
            return None;
        }
        self.take(|queue| queue.pop_from(backlog))
            .map(|(job, _)| job)
    }

    /// Takes the job of `ticket` out of the queue, from any position, if no worker has taken it yet.
    pub(crate) fn take_back(&self, ticket: Ticket) -> Option<Job> {
        self.take(|queue| queue.take_back(ticket))
            .map(|(job, _)| job)
    }

    fn take(
        &self,
        choose: impl FnOnce(&mut Queue) -> Option<(Job, Class)>,
    ) -> Option<(Job, Class)> {
        if self.is_empty() {
            return None;
        }
        let mut queue = self.queue();
        let (job, class) = choose(&mut queue)?;
        self.count_out(class);
        // SeqCst orders this access against a worker that counts itself asleep and then reads the length.
        self.len.store(queue.len, Ordering::SeqCst);
        Some((job, class))
    }

    fn count_out(&self, class: Class) {
        if class == Class::Latency {
            // Relaxed: the value is only a hint, and the lock decides.
            self.hints.latency.fetch_sub(1, Ordering::Relaxed);
        } else if class == Class::Background {
            // Relaxed: the value is only a hint.
            self.hints.background.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Takes all tasks for which `wanted` returns true out of the queue, by class and oldest first. Takes O(n) in the length of the queue.
    pub(crate) fn take_all(&self, wanted: impl FnMut(*mut Header) -> bool) -> Vec<*mut Header> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut queue = self.queue();
        let found = queue.take_all(wanted);
        // SeqCst orders this access against a worker that counts itself asleep and then reads the length.
        self.len.store(queue.len, Ordering::SeqCst);
        let count_out = |(header, class)| {
            self.count_out(class);
            header
        };
        found.into_iter().map(count_out).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::SeqCst) == 0
    }

    /// Returns the number of jobs. The answer may be outdated.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Backlog, Class, Injector, Job, Ticket};
    use crate::task::Header;
    use crate::worker::queue::lists::{KEPT, PASSES};
    use std::collections::VecDeque;

    /// Returns a job whose address is its number. No code dereferences this address.
    fn job(n: usize) -> Job {
        Job::Run(std::ptr::without_provenance_mut::<Header>(8 * (n + 1)))
    }

    fn popped(injector: &Injector) -> Option<Job> {
        injector.pop().map(|(job, _)| job)
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
            assert_eq!(number(popped(&injector)), Some(n));
        }
        assert!(injector.is_empty() && injector.pop().is_none());
        assert!(injector.queue().space() <= KEPT);
    }

    #[test]
    fn a_ticket_takes_its_own_job_once() {
        let injector = Injector::default();
        let tickets: Vec<_> = (0..5).map(|n| injector.push(job(n))).collect();
        assert_eq!(number(injector.take_back(tickets[2])), Some(2));
        assert!(injector.take_back(tickets[2]).is_none());
        // The new job uses the entry that has become free.
        injector.push(job(5));
        assert!(injector.take_back(tickets[2]).is_none());
        let left: Vec<_> = std::iter::from_fn(|| number(popped(&injector))).collect();
        assert_eq!(left, [0, 1, 3, 4, 5]);
        assert!(
            tickets
                .into_iter()
                .all(|ticket| injector.take_back(ticket).is_none())
        );
    }

    /// Runs random operations on an injector, and compares the results with lists of the expected jobs.
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
                    assert_eq!(number(popped(&injector)), model.pop_front().map(|(n, _)| n));
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

    /// Runs random pushes and pops, and compares the results with a model. The model has a list for each class, and counts how often pops
    /// have passed over the head of each list.
    #[test]
    fn classes_come_out_by_rank_and_turn() {
        let injector = Injector::default();
        let mut lists: [VecDeque<usize>; 3] = Default::default();
        let mut passed = [0; 3];
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut turns = 0;
        for n in 0..50_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let class = Class::ALL[(random >> 8) as usize % 8 % 3];
            // The queue grows and shrinks alternately.
            let pushes = if n / 1000 % 2 == 0 { 5 } else { 3 };
            if random % 8 < pushes {
                injector.push_at(class, job(n));
                lists[class as usize].push_back(n);
            } else {
                let least = class as usize;
                let mut due = None;
                for class in (0..3).filter(|&class| !lists[class].is_empty()) {
                    if due.is_none() && class <= least || passed[class] >= PASSES {
                        turns += usize::from(due.is_some());
                        due = Some(class);
                    }
                    passed[class] += 1;
                }
                let expected = due.map(|class| {
                    passed[class] = 0;
                    (lists[class].pop_front().unwrap(), class)
                });
                let popped = injector.pop_down_to(class);
                let popped = popped.map(|(job, class)| (number(Some(job)), class as usize));
                assert_eq!(popped, expected.map(|(n, class)| (Some(n), class)));
            }
            assert_eq!(injector.has_latency_jobs(), !lists[0].is_empty());
            assert_eq!(
                injector.len(),
                lists.iter().map(VecDeque::len).sum::<usize>()
            );
        }
        assert!(turns > 0, "no job was passed over so often");
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
        let left: Vec<_> = std::iter::from_fn(|| number(popped(&injector))).collect();
        assert_eq!(left, [1, 2, 3, 5, 6, 7, 8]);
    }
}
