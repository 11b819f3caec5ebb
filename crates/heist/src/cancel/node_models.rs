//! Model tests of the real nodes, with ending members, waiters and thieves. Loom runs them under every
//! interleaving.

use super::current::Cancelled;
use super::{Member, Node, Workers};
use crate::platform::shim::{AtomicBool, AtomicU32, Ordering};
use crate::task::JoinRecord;
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::{Condvar, Mutex};
use loom::thread;
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// A pool with one worker, and its request word.
struct Pool {
    requested: AtomicBool,
    /// True until the pool ends. While the field is true, the words of the worker exist.
    words: UnsafeCell<bool>,
}

// SAFETY: the models check that no thread uses the words while another thread frees them.
unsafe impl Sync for Pool {}
// SAFETY: no field depends on the thread.
unsafe impl Send for Pool {}

impl Workers for Pool {
    fn interrupt(&self) {
        // SAFETY: the model checks that the words exist.
        assert!(self.words.with(|words| unsafe { *words }), "no words");
        // Release publishes the flags of C1, as in `ask_after_cancel`.
        self.requested.swap(true, Ordering::AcqRel);
    }
}

impl Pool {
    fn new() -> Arc<Pool> {
        Arc::new(Pool {
            requested: AtomicBool::new(false),
            words: UnsafeCell::new(true),
        })
    }

    fn end(&self) {
        // SAFETY: the model checks that no thread uses the words any more.
        self.words.with_mut(|words| unsafe { *words = false });
    }

    /// Takes the request (F1 and F2 in one step). Returns true if there was a request.
    fn take_request(&self) -> bool {
        self.requested.swap(false, Ordering::AcqRel)
    }
}

fn weak(pool: &Arc<Pool>) -> Weak<dyn Workers> {
    let pool: Weak<Pool> = Arc::downgrade(pool);
    pool
}

/// A waker for a waiting thread. The waker counts the wake-ups, and does not call `unpark`, because in loom `unpark`
/// also ends the wait for a lock.
struct Alarm {
    rung: Mutex<bool>,
    bell: Condvar,
    times: AtomicU32,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        // Relaxed: the count is read when all threads are joined.
        self.times.fetch_add(1, Ordering::Relaxed);
        *self.rung.lock().unwrap() = true;
        self.bell.notify_one();
    }
}

impl Alarm {
    fn new() -> Arc<Alarm> {
        Arc::new(Alarm {
            rung: Mutex::new(false),
            bell: Condvar::new(),
            times: AtomicU32::new(0),
        })
    }

    fn wait(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !*rung {
            rung = self.bell.wait(rung).unwrap();
        }
        *rung = false;
    }
}

/// Waits until the node is over, as `cancel_and_wait` does.
fn wait_for_end(node: &Node) {
    let alarm = Alarm::new();
    let waker = Waker::from(Arc::clone(&alarm));
    let mut key = None;
    while node.call_at_end(&waker, &mut key) {
        alarm.wait();
    }
}

/// Checks a cancellation while a member begins: the member gets the request, or sees the flag. If the member takes a
/// request before the flag is set, it gets another request.
#[test]
fn a_member_that_begins_sees_the_flag_or_a_request() {
    check(|| {
        let pool = Pool::new();
        let node = Node::new([]);
        let canceller = {
            let node = Arc::clone(&node);
            thread::spawn(move || assert!(node.cancel()))
        };
        let member = Member::new(Arc::clone(&node), weak(&pool));
        // The worker does E2, and then forks once.
        let mut stopped = node.is_cancelled();
        if !stopped && pool.take_request() {
            stopped = node.is_cancelled();
        }
        canceller.join().unwrap();
        // This is the worker's next fork.
        assert!(stopped || pool.take_request() && node.is_cancelled());
        drop(member);
    });
}

/// Checks a cancellation while an inner scope opens: the canceller sets the flag of the inner scope, or the inner
/// scope begins with its flag set.
#[test]
fn a_scope_that_opens_inside_is_cancelled() {
    check(|| {
        let outer = Node::new([]);
        let canceller = {
            let outer = Arc::clone(&outer);
            thread::spawn(move || outer.cancel())
        };
        let inner = Node::new([Arc::clone(&outer)]);
        let innermost = Node::new([Arc::clone(&inner)]);
        assert!(canceller.join().unwrap());
        assert!(inner.is_cancelled() && innermost.is_cancelled());
    });
}

/// Checks a cancellation while members end. The wait for the end returns when the last member has left, and the
/// waiter sees all that the member has done. The member's pool may end immediately.
#[test]
fn the_canceller_waits_for_all_members_and_uses_no_pool_that_has_ended() {
    check(|| {
        let pool = Pool::new();
        let node = Node::new([]);
        let done = Arc::new(Done::new());
        let member = Member::new(Arc::clone(&node), weak(&pool));
        let worker = {
            let (pool, done) = (Arc::clone(&pool), Arc::clone(&done));
            thread::spawn(move || {
                // An inner scope with one member opens, and ends before the outer scope.
                let inner = Node::new([Arc::clone(member.node())]);
                let body = Member::new(Arc::clone(&inner), weak(&pool));
                done.set();
                drop(body);
                drop(member);
                pool.end();
            })
        };
        node.cancel();
        wait_for_end(&node);
        assert!(done.is_set());
        worker.join().unwrap();
    });
}

/// A value that is written without synchronization.
struct Done(UnsafeCell<bool>);

// SAFETY: the models check that the accesses of the threads are ordered.
unsafe impl Sync for Done {}
// SAFETY: the value is a flag that is not bound to a thread.
unsafe impl Send for Done {}

impl Done {
    fn new() -> Self {
        Done(UnsafeCell::new(false))
    }

    fn set(&self) {
        // SAFETY: the model checks that no other thread accesses the value now.
        self.0.with_mut(|done| unsafe { *done = true });
    }

    fn is_set(&self) -> bool {
        // SAFETY: the model checks that no other thread writes the value now.
        self.0.with(|done| unsafe { *done })
    }
}

const CLAIMABLE: u32 = 1;
const TAKEN_BACK: u32 = 2;
const CLAIMED: u32 = 3;

/// Checks a cancellation during a steal (T1 to T3, F4, F5): the thief runs the fork or gives it back. The thief gives
/// a fork back only if its scope is cancelled, and then the forker drops the fork. So each fork is used once.
#[test]
fn a_stolen_fork_is_run_or_dropped_once() {
    check(|| {
        let node = Node::new([]);
        let record = Arc::new(JoinRecord::new());
        let fork = Arc::new(AtomicU32::new(CLAIMABLE));
        let closure = Arc::new(Done::new());
        let canceller = {
            let node = Arc::clone(&node);
            thread::spawn(move || node.cancel())
        };
        let claim = |fork: &AtomicU32, to| {
            fork.compare_exchange(CLAIMABLE, to, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
        };
        let thief = {
            let (node, record) = (Arc::clone(&node), Arc::clone(&record));
            let (fork, closure) = (Arc::clone(&fork), Arc::clone(&closure));
            let forker = thread::current();
            thread::spawn(move || {
                if !claim(&fork, CLAIMED) {
                    return;
                }
                let wakes = if node.is_cancelled() {
                    record.give_back()
                } else {
                    closure.set();
                    record.complete()
                };
                if wakes {
                    forker.unpark();
                }
            })
        };
        let run = if claim(&fork, TAKEN_BACK) {
            false
        } else {
            if record.wait() {
                while !record.is_done() {
                    thread::park();
                }
            }
            assert!(record.is_done());
            let run = !record.was_given_back();
            // In F5 the forker stops, because it sees the flag that the thief saw.
            assert!(run || node.is_cancelled());
            record.reset();
            run
        };
        assert_eq!(closure.is_set(), run);
        if !run {
            // The forker drops the closure, or runs it if the scope was not cancelled.
            closure.set();
        }
        thief.join().unwrap();
        canceller.join().unwrap();
    });
}

/// Checks two workers whose panics are hidden by a cancellation. The boundary gets the first panic; the second worker
/// gets its own panic back, and drops it.
#[test]
fn the_first_panic_wins_and_none_is_lost() {
    check(|| {
        let node = Node::new([]);
        node.cancel();
        let other = {
            let node = Arc::clone(&node);
            thread::spawn(move || node.keep_panic(Box::new(1_u32)))
        };
        let mine = node.keep_panic(Box::new(2_u32));
        let other = other.join().unwrap();
        let number = |payload: super::Payload| {
            assert!(!payload.is::<Cancelled>());
            *payload.downcast::<u32>().unwrap()
        };
        let kept = number(node.take_panic().expect("one is kept"));
        let back = number(mine.or(other).expect("one is given back"));
        assert_eq!(kept + back, 3);
        assert!(node.take_panic().is_none());
    });
}

/// Checks two threads that cancel two nested scopes at the same time. For each node, exactly one call returns true.
/// Each waiter is woken once, and all flags are set when the outer call has returned.
#[test]
fn a_second_cancel_wakes_no_waiter_again() {
    check(|| {
        let outer = Node::new([]);
        let inner = Node::new([Arc::clone(&outer)]);
        let alarm = Alarm::new();
        assert!(inner.watch(Waker::from(Arc::clone(&alarm))).is_some());
        let cancel = |node: &Arc<Node>| {
            let node = Arc::clone(node);
            thread::spawn(move || node.cancel())
        };
        let (first, second) = (cancel(&outer), cancel(&inner));
        let third = outer.cancel();
        assert!(outer.is_cancelled());
        alarm.wait();
        assert!(inner.is_cancelled());
        assert!(first.join().unwrap() != third);
        second.join().unwrap();
        assert!(!inner.cancel());
        assert_eq!(alarm.times.load(Ordering::Relaxed), 1);
    });
}

/// Checks a waiter that is suspended twice: its event or the canceller wakes the waiter, and the waiter leaves the
/// list. Before its second wait, the waiter is listed again, or sees the flag.
#[test]
fn a_waiter_that_waits_twice_is_woken_or_sees_the_flag() {
    check(|| {
        let node = Node::new([]);
        let alarm = Alarm::new();
        let event = Arc::new(AtomicBool::new(false));
        let canceller = {
            let node = Arc::clone(&node);
            thread::spawn(move || node.cancel())
        };
        let waker = {
            let (event, alarm) = (Arc::clone(&event), Arc::clone(&alarm));
            thread::spawn(move || {
                event.store(true, Ordering::Release);
                alarm.wake();
            })
        };
        // The waiter does W1 to W3. The event ends the first wait; after that only the canceller can end a wait.
        while !node.is_cancelled() {
            let key = node.watch(Waker::from(Arc::clone(&alarm)));
            if key.is_some() && !node.is_cancelled() {
                alarm.wait();
            }
            key.into_iter().for_each(|key| node.unwatch(key));
        }
        canceller.join().unwrap();
        waker.join().unwrap();
        assert!(event.load(Ordering::Relaxed));
    });
}
