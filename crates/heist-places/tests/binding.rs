//! Tests of places that are bound to CPUs. This program starts itself again as the places of a
//! program.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

/// Returns the CPUs on which this thread may run, in the kernel's format.
fn own_cpus() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap().trim().to_owned()
}

/// Returns the numbers in a list in the kernel's format.
fn numbers(list: &str) -> Vec<usize> {
    let ranges = list.split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        first.parse().unwrap()..=last.parse().unwrap()
    });
    ranges.flatten().collect()
}

/// Runs a program over `places` places, in which each place prints its CPUs.
fn start(places: usize, bind: Option<&str>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["a_place_prints_its_cpus", "--exact", "--nocapture"])
        .env("HEIST_PLACES", places.to_string())
        .env_remove("HEIST_PLACES_BIND")
        .env_remove("HEIST_PLACES_WORKERS")
        .env_remove("HEIST_NUM_THREADS");
    if let Some(bind) = bind {
        command.env("HEIST_PLACES_BIND", bind);
    }
    command.output().unwrap()
}

/// Returns the CPUs and the number of workers of each place.
fn cpus(places: usize, bind: Option<&str>) -> Vec<(String, usize)> {
    let output = start(places, bind);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<(usize, String, usize)> = text
        .lines()
        .filter_map(|line| {
            // The test harness writes to the same line.
            let (_, line) = line.split_once("place=")?;
            let mut words = line.split(' ');
            let mut word = || words.next().unwrap();
            Some((
                word().parse().unwrap(),
                word().to_owned(),
                word().parse().unwrap(),
            ))
        })
        .collect();
    lines.sort();
    assert_eq!(lines.len(), places, "{text}");
    lines
        .into_iter()
        .map(|(_, cpus, workers)| (cpus, workers))
        .collect()
}

/// Prints a line if this process is a place of a program that a test below has started. Otherwise, this test
/// does nothing.
#[test]
fn a_place_prints_its_cpus() {
    if std::env::var_os("HEIST_PLACES").is_some() {
        heist_places::run(|world| {
            world.barrier().wait().unwrap();
            println!("place={} {} {}", world.here(), own_cpus(), world.workers());
        })
        .unwrap();
    }
}

#[test]
fn places_are_bound_in_blocks_to_the_groups_of_a_request() {
    let own = own_cpus();
    let all = numbers(&own);
    let (one, other) = (all[0], all[all.len() - 1]);
    let (first, last) = (one.to_string(), other.to_string());
    let bind = format!("{one}/{other}");
    let found: Vec<String> = cpus(3, Some(&bind))
        .into_iter()
        .map(|(cpus, _)| cpus)
        .collect();
    assert_eq!(found, [&*first, &*first, &*last]);
    // A place has one worker for each CPU, unless places share the CPU.
    let found = cpus(2, Some(&bind));
    assert_eq!(found, [(first.clone(), 1), (last, 1)]);
    // This process keeps its own CPUs.
    assert_eq!(own_cpus(), own);
    let found = cpus(2, Some(&first));
    assert_eq!(found, [(first.clone(), 1), (first, 1)]);
}

#[test]
fn without_a_request_the_nodes_are_used_and_none_leaves_all_cpus() {
    let own = own_cpus();
    let found = cpus(2, Some("none"));
    assert!(found.iter().all(|(cpus, _)| *cpus == own), "{found:?}");
    for bind in [None, Some(""), Some("nodes")] {
        for places in [1, 2, 3] {
            let found = cpus(places, bind);
            let mut used: Vec<usize> = found.iter().flat_map(|(cpus, _)| numbers(cpus)).collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used, numbers(&own), "{found:?}");
            assert!(found.iter().all(|(_, workers)| *workers > 0));
        }
    }
}

#[test]
fn wrong_requests_are_refused() {
    for (bind, reason) in [
        ("all", "is not nodes, none, or groups of CPUs like 0-3/4-7"),
        ("65535", "has CPU 65535, which this process may not use"),
    ] {
        let output = start(2, Some(bind));
        let text = String::from_utf8(output.stderr).unwrap();
        let expected = format!("heist-places: HEIST_PLACES_BIND={bind} {reason}\n");
        assert_eq!((text, output.status.code()), (expected, Some(1)));
    }
}
