//! Checks every program at a tiny size, under every contender, with one, two and three threads.

mod common;

use common::tiny;
use heist_suite::{Contender, Data, Runner, Size, programs};

#[test]
fn right_under_every_contender() {
    let runners: Vec<Runner> = (1..=3)
        .map(|threads| Runner::new(threads).unwrap())
        .collect();
    for program in programs() {
        let mut instance =
            (program.prepare)(Size::N(tiny(program.name)), &Data::default()).unwrap();
        assert!(!instance.params().is_empty());
        assert_ne!(instance.forks(), Some(0), "{}", program.name);
        for runner in &runners {
            for &who in program.contenders {
                for _ in 0..2 {
                    instance.reset();
                    instance.run(who, runner);
                    let verdict = instance.check();
                    assert_eq!(
                        verdict,
                        Ok(()),
                        "{} under {who:?}, {} threads",
                        program.name,
                        runner.threads()
                    );
                }
            }
        }
    }
}

#[test]
fn no_result_without_a_run() {
    for program in programs() {
        let mut instance =
            (program.prepare)(Size::N(tiny(program.name)), &Data::default()).unwrap();
        instance.reset();
        assert!(
            instance.check().is_err(),
            "{} accepts what no run computed",
            program.name
        );
    }
}

#[test]
fn absurd_sizes_are_refused() {
    for program in programs() {
        for n in [0, u64::MAX] {
            let error = (program.prepare)(Size::N(n), &Data::default()).err();
            let error = error.unwrap_or_else(|| panic!("{} accepts {n}", program.name));
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
    }
}

#[test]
fn names_are_distinct_and_serial_is_always_there() {
    let names: std::collections::BTreeSet<_> =
        programs().iter().map(|program| program.name).collect();
    assert_eq!(names.len(), programs().len());
    for program in programs() {
        assert_eq!(program.contenders[0], Contender::Serial);
        assert!(!program.about.is_empty() && !program.source.is_empty());
    }
}
