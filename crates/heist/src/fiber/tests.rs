use super::{Coroutine, FiberLabel, Resumed, Suspender, ensure_signal_stack, stacks};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::process::{Command, Output};
use std::ptr::{null_mut, without_provenance_mut};
use std::rc::Rc;

const SIZE: usize = 64 << 10;

#[track_caller]
fn label(name: &str) -> FiberLabel {
    FiberLabel {
        name: (!name.is_empty()).then(|| name.into()),
        spawned: Location::caller(),
    }
}

/// Returns a coroutine with a stack from a new supply.
#[track_caller]
fn coroutine(body: impl FnOnce(&Suspender, *mut ()) + Send) -> Coroutine {
    on(&stacks(SIZE).unwrap(), body)
}

#[track_caller]
fn on(stacks: &super::Stacks, body: impl FnOnce(&Suspender, *mut ()) + Send) -> Coroutine {
    // SAFETY: the tests run their coroutines to the end, or drop them before they start, while the values that the bodies borrow still
    // live. The bodies are `Send`.
    unsafe { Coroutine::new(stacks.take().unwrap(), label(""), body) }
}

fn suspend(suspender: &Suspender) -> *mut () {
    // SAFETY: the bodies of the tests suspend on their own stacks.
    unsafe { suspender.suspend() }
}

#[test]
fn inputs_go_in_and_the_body_goes_on() {
    let mut seen = Vec::new();
    let mut coroutine = coroutine(|suspender, first| {
        seen.push(first.addr());
        for _ in 0..3 {
            seen.push(suspend(suspender).addr());
        }
    });
    for input in 1..=3 {
        let resumed = coroutine.resume(without_provenance_mut(input));
        assert_eq!(resumed, Resumed::Suspended);
    }
    assert_eq!(
        coroutine.resume(without_provenance_mut(4)),
        Resumed::Finished
    );
    assert!(catch_unwind(AssertUnwindSafe(|| coroutine.resume(null_mut()))).is_err());
    drop(coroutine);
    assert_eq!(seen, [1, 2, 3, 4]);
}

#[test]
fn many_in_any_order_across_threads() {
    const COUNT: usize = 10_000;
    const ROUNDS: usize = 5;
    let stacks = stacks(SIZE).unwrap();
    let mut sums = vec![0_usize; COUNT];
    let mut waiting: Vec<_> = sums
        .iter_mut()
        .map(|sum| {
            on(&stacks, move |suspender, first| {
                // This frame stays at its address when another thread resumes the coroutine, and
                // `to_own` refers to it.
                let mut own = first.addr();
                let to_own = &mut own;
                for _ in 0..ROUNDS {
                    *to_own += suspend(suspender).addr();
                }
                *sum = own;
            })
        })
        .collect();
    let mut random = 12_345_u64;
    for round in 0..=ROUNDS {
        for last in (1..waiting.len()).rev() {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            waiting.swap(last, (random >> 33) as usize % (last + 1));
        }
        // Each round runs on two new threads, so nearly every coroutine moves to another thread.
        let half = waiting.len() / 2;
        std::thread::scope(|scope| {
            for part in waiting.chunks_mut(half) {
                scope.spawn(move || {
                    for coroutine in part {
                        let resumed = coroutine.resume(without_provenance_mut(round + 1));
                        assert_eq!(resumed == Resumed::Finished, round == ROUNDS);
                    }
                });
            }
        });
    }
    drop(waiting);
    assert!(sums.iter().all(|sum| *sum == 21), "{:?}", &sums[..10]);
}

#[test]
fn a_finished_one_gives_its_stack_back() {
    let stacks = stacks(SIZE).unwrap();
    let place = |coroutine: &mut Coroutine, at: &Cell<usize>| {
        assert_eq!(coroutine.resume(null_mut()), Resumed::Finished);
        at.get()
    };
    let mut places = Vec::new();
    for _ in 0..100 {
        let at = Cell::new(0);
        let at = &at;
        // SAFETY: the body borrows only variables of this function, and the coroutine finishes
        // before they are dropped, on this thread.
        let mut coroutine = unsafe {
            Coroutine::new(stacks.take().unwrap(), label(""), |_, _| {
                let local = 0_u8;
                at.set((&raw const local).addr());
            })
        };
        places.push(place(&mut coroutine, at));
        // The stack is returned in both ways: by `into_stack`, and by the drop of the coroutine.
        if places.len() % 2 == 0 {
            drop(coroutine.into_stack());
        }
    }
    places.dedup();
    assert_eq!(places.len(), 1);
    let unfinished = on(&stacks, |_, _| ());
    assert!(catch_unwind(AssertUnwindSafe(|| unfinished.into_stack())).is_err());
}

#[test]
fn one_resumes_another_inside() {
    let stacks = &stacks(SIZE).unwrap();
    let log = Rc::new(Cell::new(0_u64));
    let note = |digit: u64| log.set(log.get() * 10 + digit);
    let note = &note;
    // SAFETY: the test runs this coroutine and the inner coroutine to their ends below, on one
    // thread.
    let mut outer = unsafe {
        Coroutine::new(stacks.take().unwrap(), label("outer"), |suspender, _| {
            let mut inner =
                Coroutine::new(stacks.take().unwrap(), label("inner"), |suspender, _| {
                    note(2);
                    suspender.suspend();
                    note(5);
                    suspender.suspend();
                    note(8);
                });
            note(1);
            assert_eq!(inner.resume(null_mut()), Resumed::Suspended);
            note(3);
            suspender.suspend();
            assert_eq!(inner.resume(null_mut()), Resumed::Suspended);
            note(6);
            suspender.suspend();
            assert_eq!(inner.resume(null_mut()), Resumed::Finished);
            note(9);
        })
    };
    assert_eq!(outer.resume(null_mut()), Resumed::Suspended);
    note(4);
    assert_eq!(outer.resume(null_mut()), Resumed::Suspended);
    note(7);
    assert_eq!(outer.resume(null_mut()), Resumed::Finished);
    assert_eq!(log.get(), 123_456_789);
}

#[test]
fn an_unstarted_one_drops_its_body() {
    let alive = std::sync::Arc::new([7_u8; 3]);
    let held = alive.clone();
    let small = coroutine(move |_, _| drop(held));
    let (held, ballast) = (alive.clone(), [0_u8; 3000]);
    let large = coroutine(move |_, _| drop((held, ballast)));
    assert_eq!(std::sync::Arc::strong_count(&alive), 3);
    drop((small, large));
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}

#[test]
fn a_large_body_runs() {
    #[repr(align(64))]
    struct Aligned([u8; 2000]);
    let ballast = Aligned(std::array::from_fn(|i| i as u8));
    let mut sum = 0;
    let into = &mut sum;
    let mut coroutine = coroutine(move |suspender, _| {
        let ballast = ballast;
        assert_eq!((&raw const ballast).addr() % 64, 0);
        suspend(suspender);
        *into = ballast.0.iter().map(|b| u32::from(*b)).sum();
    });
    assert_eq!(coroutine.resume(null_mut()), Resumed::Suspended);
    assert_eq!(coroutine.resume(null_mut()), Resumed::Finished);
    drop(coroutine);
    assert_eq!(sum, (0..2000).map(|i| i % 256).sum());
}

#[test]
fn a_panic_inside_is_caught_inside() {
    let mut message = String::new();
    let mut coroutine = coroutine(|suspender, _| {
        suspend(suspender);
        let caught = catch_unwind(|| {
            assert!(std::backtrace::Backtrace::force_capture().to_string().len() > 10);
            std::panic::panic_any(format!("seven is {}", 7))
        });
        suspend(suspender);
        message = *caught.unwrap_err().downcast::<String>().unwrap();
    });
    assert_eq!(coroutine.resume(null_mut()), Resumed::Suspended);
    // A second thread resumes the coroutine, which panics on that thread.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(coroutine.resume(null_mut()), Resumed::Suspended);
        });
    });
    assert_eq!(coroutine.resume(null_mut()), Resumed::Finished);
    drop(coroutine);
    assert_eq!(message, "seven is 7");
}

#[test]
fn labels_print_as_the_messages_do() {
    let line = line!() + 1;
    let named = label("graph 3");
    assert_eq!(
        named.to_string(),
        format!("fiber \"graph 3\" (spawned at {}:{line})", file!())
    );
    let line = line!() + 1;
    let nameless = coroutine(|_, _| ());
    assert_eq!(
        nameless.label().to_string(),
        format!("fiber (spawned at {}:{line})", file!())
    );
}

// The tests below end their process. `crash` runs each of them in a child process, with this test
// binary.

const CRASH: &str = "HEIST_TEST_CRASH";

fn crash(how: &str) -> (Output, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fiber::tests::victim", "--nocapture"])
        .env(CRASH, how)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{how} did not crash: {text}");
    (output, text)
}

fn signal(output: &Output) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&output.status)
}

#[inline(never)]
fn dig(depth: usize) -> usize {
    let ballast = std::hint::black_box([depth as u8; 200]);
    if depth == usize::MAX {
        return 0;
    }
    dig(depth + 1) + usize::from(std::hint::black_box(ballast)[3])
}

fn dig_all() {
    std::hint::black_box(dig(0));
}

extern "C" fn bare_thread(start: *mut libc::c_void) -> *mut libc::c_void {
    let _signal_stack = ensure_signal_stack().unwrap();
    // SAFETY: `overflow_on_a_bare_thread` passes the address of a coroutine, which exists until
    // this thread has been joined.
    let coroutine = unsafe { &mut *start.cast::<Coroutine>() };
    let _ = coroutine.resume(null_mut());
    null_mut()
}

/// Overflows a stack on a thread that the standard library has not started, and that has no signal
/// stack.
fn overflow_on_a_bare_thread(mut coroutine: Coroutine) {
    let mut thread = std::mem::MaybeUninit::uninit();
    // SAFETY: the coroutine exists until the thread has been joined below.
    unsafe {
        let start = (&raw mut coroutine).cast();
        libc::pthread_create(thread.as_mut_ptr(), std::ptr::null(), bare_thread, start);
        libc::pthread_join(thread.assume_init(), null_mut());
    }
}

#[test]
fn victim() {
    let Ok(how) = std::env::var(CRASH) else {
        return;
    };
    let stacks = stacks(SIZE).unwrap();
    // SAFETY: the bodies are functions, which borrow no values, and each body runs on one thread.
    let named = |body: fn(&Suspender, *mut ())| unsafe {
        Coroutine::new(stacks.take().unwrap(), label("deep"), body)
    };
    match how.as_str() {
        "overflow" => {
            // Other stacks surround this stack, so it is not the first stack of its slab.
            let _others: Vec<_> = (0..100).map(|_| stacks.take().unwrap()).collect();
            let mut deep = named(|_, _| dig_all());
            let _after: Vec<_> = (0..100).map(|_| stacks.take().unwrap()).collect();
            let _ = deep.resume(null_mut());
        }
        "bare" => overflow_on_a_bare_thread(named(|_, _| dig_all())),
        "nested" => {
            let mut outer = named(|_, _| {
                let mut inner = on(&super::stacks(4 * SIZE).unwrap(), |_, _| {
                    std::hint::black_box(dig(0));
                });
                let _ = inner.resume(null_mut());
            });
            let _ = outer.resume(null_mut());
        }
        "segfault" | "segfault inside" => {
            let fault = |_: &Suspender, _: *mut ()| {
                // SAFETY: this is unsound on purpose: the write must fault.
                unsafe { without_provenance_mut::<u8>(std::hint::black_box(64)).write_volatile(1) };
            };
            if how == "segfault" {
                // SAFETY: the reference is not valid, but `fault` does not use it, and the process
                // ends in `fault`.
                fault(unsafe { &*std::ptr::dangling::<Suspender>() }, null_mut());
            } else {
                let _ = named(fault).resume(null_mut());
            }
        }
        "thread" => {
            let thread = std::thread::Builder::new().name("plain".to_owned());
            let _ = thread.spawn(|| dig(0)).unwrap().join();
        }
        "panic" => {
            let _ = named(|_, _| panic!("out of the body")).resume(null_mut());
        }
        "drop" => {
            let mut waiting = named(|suspender, _| {
                suspend(suspender);
            });
            assert_eq!(waiting.resume(null_mut()), Resumed::Suspended);
            drop(waiting);
        }
        _ => {}
    }
}

#[test]
fn an_overflow_names_the_fiber() {
    for how in ["overflow", "bare"] {
        let (output, text) = crash(how);
        assert_eq!(signal(&output), Some(libc::SIGABRT), "{text}");
        let line = text
            .lines()
            .find(|line| line.starts_with("heist: "))
            .unwrap();
        let (before, after) = line.split_once(file!()).unwrap();
        assert_eq!(before, "heist: the fiber \"deep\" (spawned at ");
        let after = after.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
        assert_eq!(
            after,
            ") overflowed its stack of 64 KiB; give fibers larger stacks (Fibers::stack_size)"
        );
    }
}

#[test]
fn an_overflow_of_an_inner_one_names_that() {
    let (_, text) = crash("nested");
    assert!(text.contains("heist: the fiber (spawned at "), "{text}");
    assert!(text.contains("its stack of 256 KiB;"), "{text}");
}

#[test]
fn other_faults_are_not_ours() {
    for how in ["segfault", "segfault inside"] {
        let (output, text) = crash(how);
        assert_eq!(signal(&output), Some(libc::SIGSEGV), "{text}");
        assert!(!text.contains("heist: "), "{text}");
    }
    let (output, text) = crash("thread");
    assert_eq!(signal(&output), Some(libc::SIGABRT), "{text}");
    assert!(
        text.contains("thread 'plain'") && text.contains("overflowed its stack"),
        "{text}"
    );
    assert!(!text.contains("heist: "), "{text}");
}

#[test]
fn a_panic_out_of_the_body_aborts() {
    let (output, text) = crash("panic");
    assert_eq!(signal(&output), Some(libc::SIGABRT), "{text}");
    assert!(text.contains("out of the body"), "{text}");
    assert!(
        text.contains("heist: a panic left the body of the fiber \"deep\""),
        "{text}"
    );
}

#[test]
fn dropping_a_suspended_one_aborts() {
    let (output, text) = crash("drop");
    assert_eq!(signal(&output), Some(libc::SIGABRT), "{text}");
    assert!(
        text.contains("heist: the fiber \"deep\" (spawned at "),
        "{text}"
    );
    assert!(text.contains("was dropped while it waits"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn a_signal_stack_is_given_once() {
    let run = std::thread::spawn(|| {
        // A thread of the standard library has a signal stack.
        let first = ensure_signal_stack().unwrap();
        drop(first);
        let again = ensure_signal_stack().unwrap();
        drop(again);
    });
    run.join().unwrap();
}
