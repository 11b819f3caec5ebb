//! Tests recordings of every program.

mod common;

use common::tiny;
use heist_suite::record::{Keep, Profile, Recording};
use heist_suite::{Contender, Ctx, Data, Kernel, Runner, Size, programs};
use std::hint::black_box;
use std::time::Duration;

const ALL: Keep = Keep {
    dag: true,
    profile: Some(1000.0),
    repeats: false,
};

#[test]
fn every_program_is_recorded_whole() {
    let runner = Runner::recording(ALL).unwrap();
    assert!(runner.take_recording().is_none());
    // If the system stops this thread between two readings of the clock, the measured rate of the clock is wrong, and so is a recording
    // with this rate.
    let mut misses = Vec::new();
    let mut left = programs().iter().peekable();
    while let Some(&program) = left.peek() {
        let mut instance =
            (program.prepare)(Size::N(tiny(program.name)), &Data::default()).unwrap();
        instance.reset();
        instance.run(Contender::Serial, &runner);
        instance.check().unwrap();
        let recording = runner.take_recording().unwrap();
        let (dag, profile) = (recording.dag.unwrap(), recording.profile.unwrap());
        let sum = dag.summary();
        if let Some(forks) = instance.forks() {
            assert_eq!(sum.forks + sum.spawns, forks, "{}", program.name);
        }
        assert_eq!(sum.forks + sum.spawns, profile.forks);
        // A recording measures the clock's rate twice, before and after the run, and rounds ticks, so times are not exact. Unlike the
        // recording, the profile does not include the readings of the clock.
        let at_least = |ps: u64, seconds: f64| ps as f64 * 1e-12 >= 0.98 * seconds - 1e-6;
        let readings =
            (3 * sum.forks + 2 * (sum.spawns + sum.scopes) + 1) as f64 * recording.reading * 1e-9;
        let off = sum.work as f64 * 1e-12 - profile.work;
        if at_least(sum.work, profile.work)
            && at_least(sum.span, profile.span)
            && off <= 1.02 * readings + 0.02 * profile.work + 1e-6
            && profile.work <= recording.elapsed
        {
            misses.clear();
            left.next();
        } else {
            misses.push((sum.work, sum.span, profile.work, profile.span, readings));
            assert!(misses.len() < 10, "{}: {misses:?}", program.name);
        }
        assert!(profile.burdened_span >= profile.span);
        let on_span: f64 = profile.sites.iter().map(|share| share.on_span).sum();
        assert!(on_span <= profile.span * 1.001);
        // The site of a fork is in a program, not in a helper function of `ctx.rs`.
        for share in &profile.sites {
            assert!(
                !share.site.file.ends_with("ctx.rs"),
                "{}: {share:?}",
                program.name
            );
        }
        assert!(runner.take_recording().is_none());
    }
}

/// Uses the given amount of CPU time. Time during which another program has the CPU does not count, because a recording does not include
/// this time.
fn wait(time: Duration) {
    let began = thread_time();
    while thread_time() - began < time {
        black_box(());
    }
}

fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a value of the type that the call writes.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(done, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

const UNIT: Duration = Duration::from_micros(100);

/// A program that takes 200 us, then forks branches of 600 us and 300 us, then takes 100 us. The program is so short that at least one of
/// its runs is not interrupted.
struct Known;

impl Kernel for Known {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        wait(2 * UNIT);
        ctx.join(|_| wait(6 * UNIT), |_| wait(3 * UNIT));
        wait(UNIT);
    }
}

/// The line of the fork in `Known`.
const FORKED_AT: u32 = line!() - 6;

fn runs(keep: Keep) -> Runner {
    let repeats = true;
    let runner = Runner::recording(Keep { repeats, ..keep }).unwrap();
    for _ in 0..100 {
        runner.run(Contender::Serial, Known);
    }
    runner
}

fn recorded(keep: Keep) -> Recording {
    runs(keep).take_recording().unwrap()
}

#[test]
fn strands_have_their_times_and_forks_their_place() {
    let units = |seconds: f64| (seconds / UNIT.as_secs_f64()).round() as u32;
    // If the system stops this thread while it rates the clock, all recorded times are wrong.
    let mut misses = Vec::new();
    let recording = loop {
        let recording = recorded(ALL);
        let profile = recording.profile.as_ref().unwrap();
        let found = (units(profile.work), units(profile.span));
        if found == (12, 9) {
            break recording;
        }
        misses.push(found);
        assert!(misses.len() < 10, "{misses:?}");
    };
    let profile: &Profile = recording.profile.as_ref().unwrap();
    let [share] = &profile.sites[..] else {
        panic!("{:?}", profile.sites)
    };
    assert!(share.site.file.ends_with("record.rs"), "{share:?}");
    assert_eq!((share.site.line, share.forks), (FORKED_AT, 1));
    assert_eq!((units(share.work), units(share.on_span)), (9, 6));
    // The upper bound of the speed-up is the parallelism, 12/9. The lower bound is less.
    assert!((profile.parallelism() - 12.0 / 9.0).abs() < 0.05);
    let speedup = profile.speedup(4);
    assert!(speedup.at_least < speedup.at_most && speedup.at_most < 1.4);

    let dag = recording.dag.clone().unwrap().summary();
    // A recording measures the clock's rate twice, and other programs may have had the CPU, so the work may also be 11 units.
    let work = units(dag.work as f64 * 1e-12);
    assert!(
        dag.forks == 1 && (11..=12).contains(&work),
        "{} {work}",
        dag.forks
    );
    // One of these times is less than the recorded time, and the other time is more.
    for seconds in [0.0010, 0.0015] {
        let sum = recording.clone().fit(seconds).unwrap().summary();
        let off = sum.work as f64 * 1e-12 / seconds - 1.0;
        assert!(off.abs() < 1e-6, "{off}");
    }
}

/// After `Runner::fit`, the profile of the next run must have the requested work. The strands must keep their proportions, and
/// the burden must not change.
#[test]
fn a_profile_is_fitted_to_the_serial_time() {
    // The clock is rated before the runs. If the system stops this thread meanwhile, the recorded times are wrong by a few hundredths.
    let mut misses = Vec::new();
    while let Err(found) = fitted_profiles() {
        misses.push(found);
        assert!(misses.len() < 10, "{misses:?}");
    }
}

/// Fits profiles to three times. If a fitted profile differs from the expected profile, returns its work, its span and the time of the fork
/// on the span, in units of `UNIT`, as an error.
fn fitted_profiles() -> Result<(), (u32, u32, u32)> {
    let runner = runs(ALL);
    let profile = runner.take_recording().unwrap().profile.unwrap();
    let units = |seconds: f64| (seconds / UNIT.as_secs_f64()).round() as u32;
    for (times, expected) in [(2.0, (24, 18, 12)), (3.0, (36, 27, 18)), (1.0, (12, 9, 6))] {
        runner.fit(times * 12.0 * UNIT.as_secs_f64());
        runner.run(Contender::Serial, Known);
        let fitted = runner.take_recording().unwrap().profile.unwrap();
        let found = (
            units(fitted.work),
            units(fitted.span),
            units(fitted.sites[0].on_span),
        );
        if found != expected {
            return Err(found);
        }
        let burden = |profile: &Profile| profile.burdened_span - profile.span;
        assert!((burden(&fitted) - burden(&profile)).abs() < 1e-9);
    }
    Ok(())
}

#[test]
fn only_the_requested_records_are_kept() {
    let sums = recorded(Keep {
        dag: false,
        profile: Some(0.0),
        repeats: true,
    });
    let profile = sums.profile.unwrap();
    assert!(sums.dag.is_none());
    assert_eq!(profile.burdened_span, profile.span);
    let dag = recorded(Keep {
        dag: true,
        profile: None,
        repeats: true,
    });
    assert!(dag.profile.is_none() && dag.dag.is_some());
}
