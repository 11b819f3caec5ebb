//! Checks every program of loops at a tiny size, under every entrant and every way to split loops.

use heist_suite::loops::{Entrant, How, loop_programs};
use heist_suite::{Data, Runner, Size};

/// Returns a small size at which chili still has several tasks.
fn tiny(name: &str) -> u64 {
    match name {
        "quicksort" => 1500,
        "barnes-hut-loops" => 100,
        "star-forces" => 60,
        "raytracer" => 9,
        "smvm" => 10_000,
        "dmm-loops" => 20,
        "rootfix" => 5000,
        "nested-sums" => 50,
        "word-count" => 2500,
        "inverted-index" => 2500,
        "primes" => 70_000,
        "mandelbrot" => 12,
        "k-means" => 3000,
        "hull" => 10_000,
        _ => panic!("{name} has no tiny size"),
    }
}

const HOWS: &[How] = &[
    How::Lazy,
    How::Innermost,
    How::Eager(1),
    How::Eager(64),
    How::Tary(4),
    How::Structural,
];

fn entrants(has_ropes: bool) -> Vec<Entrant> {
    let mut all = vec![Entrant::Serial, Entrant::Rayon, Entrant::Chili];
    all.extend(HOWS.iter().map(|&how| Entrant::Slices(how)));
    if has_ropes {
        all.push(Entrant::SerialRopes);
        all.extend(HOWS.iter().map(|&how| Entrant::Ropes(how)));
    }
    all
}

#[test]
fn right_in_every_way() {
    let runners: Vec<Runner> = (1..=3)
        .map(|threads| Runner::new(threads).unwrap())
        .collect();
    let mut wrong = Vec::new();
    for program in loop_programs() {
        let name = program.program.name;
        let leaves: &[usize] = if program.has_ropes {
            &[1, 7, 512]
        } else {
            &[1]
        };
        for &leaf in leaves {
            let size = Size::N(tiny(name));
            let mut instance = (program.prepare)(size, &Data::default(), leaf).unwrap();
            for runner in &runners {
                let threads = runner.threads();
                for who in entrants(program.has_ropes) {
                    instance.reset();
                    instance.run_as(who, runner);
                    if let Err(error) = instance.check() {
                        wrong.push(format!(
                            "{name} as {who:?}, {threads} threads, leaves of {leaf}: {error}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_those_without_ropes_refuse_them() {
    let runner = Runner::new(1).unwrap();
    for program in loop_programs() {
        let size = Size::N(tiny(program.program.name));
        let mut instance = (program.prepare)(size, &Data::default(), 7).unwrap();
        let run = std::panic::AssertUnwindSafe(|| instance.run_as(Entrant::SerialRopes, &runner));
        let refused = std::panic::catch_unwind(run).is_err();
        assert_eq!(refused, !program.has_ropes, "{}", program.program.name);
    }
}
