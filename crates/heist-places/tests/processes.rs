//! Tests of places as processes. This program starts itself again as the places of a program, and
//! kills some places at various moments.

#![allow(dead_code, reason = "examples have main functions of their own")]

mod common;
#[path = "../examples/fft.rs"]
mod fft;
#[path = "../examples/heat.rs"]
mod heat;
#[path = "../examples/hello.rs"]
mod hello;
#[path = "../examples/kill.rs"]
mod kill;
#[path = "../examples/uts.rs"]
mod uts;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use common::repeat;

/// The time limit of a program. The limit is far longer than a program usually takes, because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a program over `places` places, calls `line` for each line of its output, and returns all
/// lines and the exit status.
fn run(name: &str, places: usize, mut line: impl FnMut(&str)) -> (Vec<String>, i32) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .env("PROGRAM", name)
        .env("HEIST_PLACES", places.to_string())
        .env("HEIST_PLACES_WORKERS", "2");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    let reader = thread::spawn(move || {
        output
            .lines()
            .map_while(Result::ok)
            .try_for_each(|line| sender.send(line))
    });
    let until = Instant::now() + LIMIT;
    let mut lines = Vec::new();
    loop {
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(text) => {
                line(&text);
                lines.push(text);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                child.kill().unwrap();
                panic!("{name} over {places} places hangs after {lines:?}");
            }
        }
    }
    let _ = reader.join();
    (lines, child.wait().unwrap().code().unwrap())
}

fn hello_from_all_places() {
    for places in common::PLACES {
        repeat(2, || {
            let (mut lines, status) = run("hello", places, |_| {});
            lines.sort();
            assert_eq!((lines.len(), status), (places, 0), "{lines:?}");
            for (place, line) in lines.iter().enumerate() {
                let greeted = (place + places - 1) % places;
                assert!(
                    line.starts_with(&format!("place {place} greets place {greeted} ")),
                    "{lines:?}"
                );
            }
        });
    }
}

/// Runs the examples `fft` and `heat` over several numbers of places, and checks their results.
fn arrays_are_transformed_and_heated() {
    for places in common::PLACES {
        let (lines, status) = run("fft", places, |_| {});
        assert_eq!((lines.len(), status), (1, 0), "{lines:?}");
        let begin = format!("2^9 numbers over {places} places in ");
        assert!(lines[0].starts_with(&begin), "{lines:?}");
        let (lines, status) = run("heat", places, |_| {});
        assert_eq!((&*lines, status), (&["the same bits".to_owned()][..], 0));
    }
}

/// Runs a program over three places, and kills one of these places at a moment that depends on the round.
fn run_and_kill(program: &str, round: u64, victim: u64) -> (Vec<String>, i32, Duration) {
    let mut processes = Vec::new();
    let mut killed = None;
    let (lines, status) = run(program, 3, |line| {
        if let Some((place, process)) = line
            .strip_prefix("place ")
            .and_then(|rest| rest.split_once(" is process "))
        {
            processes.push((place.parse::<u64>().unwrap(), process.to_owned()));
        }
        if processes.len() == 3 && killed.is_none() {
            // Some kills come before the work begins, and most during the work.
            thread::sleep(Duration::from_micros(round * round * 331 % 30_000));
            let (_, process) = processes
                .iter()
                .find(|(place, _)| *place == victim)
                .unwrap();
            assert!(
                Command::new("kill")
                    .args(["-9", process])
                    .status()
                    .unwrap()
                    .success()
            );
            killed = Some(Instant::now());
        }
    });
    let elapsed = killed.unwrap().elapsed();
    (lines, status, elapsed)
}

fn a_killed_place_is_named() {
    let moment = std::cell::Cell::new(0);
    repeat(10, || {
        let round = moment.replace(moment.get() + 1);
        let (lines, status, elapsed) = run_and_kill("kill", round, 1 + round % 2);
        let error = format!("error: place {} died", 1 + round % 2);
        assert!(
            lines.iter().any(|line| line.starts_with(&error)),
            "round {round}: {lines:?}"
        );
        assert!(elapsed < Duration::from_secs(10), "noticed late");
        assert_eq!(status, 128 + 9);
    });
}

/// Kills the home of all finishes. The tasks of the other places must end, and then the other places must
/// end.
fn places_end_when_the_first_is_killed() {
    let moment = std::cell::Cell::new(0);
    repeat(10, || {
        let round = moment.replace(moment.get() + 1);
        let (lines, status, elapsed) = run_and_kill("kill", round, 0);
        assert_eq!(lines.len(), 3, "round {round}: {lines:?}");
        assert!(elapsed < Duration::from_secs(10), "noticed late");
        assert_eq!(status, 128 + 9);
    });
}

fn a_bag_survives_a_killed_place() {
    let moment = std::cell::Cell::new(0);
    repeat(10, || {
        let round = moment.replace(moment.get() + 1);
        let (lines, status, _) = run_and_kill("bag", round, 1 + round % 2);
        assert!(
            lines.iter().any(|line| line == "257042 nodes"),
            "round {round}: {lines:?}"
        );
        assert_eq!(status, 128 + 9);
    });
}

/// Starts two places without the launcher. The program file of the second place has an additional byte.
fn unequal_builds_refuse_each_other() {
    let folder = std::env::temp_dir().join(format!("heist-places-test-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let listener = UnixListener::bind(folder.join("launcher")).unwrap();
    let own = std::env::current_exe().unwrap();
    let other = folder.join("other");
    std::fs::copy(&own, &other).unwrap();
    std::fs::OpenOptions::new()
        .append(true)
        .open(&other)
        .unwrap()
        .write_all(&[0])
        .unwrap();
    let places: Vec<_> = [own, other]
        .iter()
        .enumerate()
        .map(|(place, file)| {
            let mut command = Command::new(file);
            command
                .env("PROGRAM", "hello")
                .env("HEIST_PLACES", "2")
                .env("HEIST_PLACE", place.to_string());
            command
                .env("HEIST_PLACES_DIR", &folder)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for place in places {
        let output = place.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.lines().count() == 1 && text.contains("run different builds"),
            "{text}"
        );
    }
    drop(listener);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The places end and leave no files behind if the launcher is killed, although no process reads their output.
fn places_end_with_their_launcher() {
    let mut launcher = Command::new(std::env::current_exe().unwrap())
        .env("PROGRAM", "rest")
        .env("HEIST_PLACES", "3")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = std::env::temp_dir().join(format!("heist-places-{}-0", launcher.id()));
    let mut output = BufReader::new(launcher.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "connected\n");
    let until = Instant::now() + Duration::from_secs(20);
    while folder.exists() {
        assert!(Instant::now() < until, "the folder stays");
        thread::sleep(Duration::from_millis(1));
    }
    drop(launcher.stderr.take());
    launcher.kill().unwrap();
    launcher.wait().unwrap();
    let (sender, receiver) = mpsc::channel();
    // The output is closed when the last place has ended.
    thread::spawn(move || sender.send(output.read_line(&mut line).unwrap()));
    let end = receiver.recv_timeout(Duration::from_secs(20));
    assert_eq!(end, Ok(0), "places go on without a launcher");
}

/// The launcher dies while a place waits for another place.
fn a_place_does_not_start_without_its_launcher() {
    let folder = std::env::temp_dir().join(format!("heist-places-alone-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let listener = UnixListener::bind(folder.join("launcher")).unwrap();
    let started = Instant::now();
    let place = Command::new(std::env::current_exe().unwrap())
        .env("PROGRAM", "hello")
        .env("HEIST_PLACES", "2")
        .env("HEIST_PLACE", "1")
        .env("HEIST_PLACES_DIR", &folder)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(listener.accept().unwrap());
    let output = place.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("place 1 cannot reach place 0"), "{text}");
    assert_eq!(output.status.code(), Some(1));
    assert!(started.elapsed() < Duration::from_secs(20), "noticed late");
    assert!(!folder.exists(), "the folder stays");
}

fn a_number_beyond_the_places_is_refused() {
    let output = Command::new(std::env::current_exe().unwrap())
        .env("PROGRAM", "hello")
        .env("HEIST_PLACES", "2")
        .env("HEIST_PLACE", "5")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        text,
        "heist-places: HEIST_PLACE=5 is not below HEIST_PLACES=2\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

/// The trace file shows a process with work for each place, on one axis of time, and the numbers of frames that each place sent and
/// received.
fn a_trace_has_all_places() {
    let file = std::env::temp_dir().join(format!("heist-places-{}.json", std::process::id()));
    let begin = Instant::now();
    let output = Command::new(std::env::current_exe().unwrap())
        .env("PROGRAM", "hello")
        .env("HEIST_PLACES", "3")
        .env("HEIST_PLACES_TRACE", &file)
        .output()
        .unwrap();
    let longest = begin.elapsed().as_secs_f64() * 1e6;
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    for place in 0..3 {
        let name = events.iter().find(|event| {
            event["name"] == "process_name" && event["args"]["name"] == format!("place {place}")
        });
        let pid = &name.unwrap()["pid"];
        let times: Vec<f64> = events
            .iter()
            .filter(|event| event["pid"] == *pid && event["ph"] == "B")
            .map(|event| event["ts"].as_f64().unwrap())
            .collect();
        assert!(!times.is_empty(), "place {place} did nothing");
        assert!(times.iter().all(|time| (0.0..longest).contains(time)));
        let counts = &trace["places"][place];
        assert_eq!(counts["place"], place);
        // Each place greets its neighbour once.
        let tasks = counts["tasks_sent"].as_object().unwrap();
        let sent: Vec<(&str, Option<u64>)> = tasks
            .iter()
            .map(|(name, count)| (name.rsplit("::").next().unwrap(), count.as_u64()))
            .collect();
        assert_eq!(sent, [("Greet", Some(1))], "{counts}");
        // The frames are the task, its answer, and the messages of the barriers.
        for count in ["frames_sent", "frames_received"] {
            let frames = counts[count].as_u64().unwrap();
            assert!((3..100).contains(&frames), "{counts}");
            let bytes = counts[count.replace("frames", "bytes")].as_u64().unwrap();
            assert!(bytes >= frames, "{counts}");
        }
    }
}

/// The program writes no trace if a place dies, and ends as it does without a trace.
fn a_trace_of_a_killed_place_does_not_hang() {
    let file = std::env::temp_dir().join(format!("heist-killed-{}.json", std::process::id()));
    let output = Command::new(std::env::current_exe().unwrap())
        .env("PROGRAM", "abort")
        .env("HEIST_PLACES", "3")
        .env("HEIST_PLACES_TRACE", &file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && !file.exists(), "{text}");
    assert!(
        text.contains("there is no trace of all places: place 1 died"),
        "{text}"
    );
}

/// A program whose places wait until their process is killed.
fn rest() {
    heist_places::run(|world| {
        world.barrier().wait().unwrap();
        if world.here() == 0 {
            println!("connected");
        }
        thread::sleep(LIMIT);
    })
    .unwrap();
}

fn bag() {
    heist_places::run(|world| {
        println!("place {} is process {}", world.here(), std::process::id());
        // The barrier may fail because a place has died, but the test does not check barriers.
        let _ = world.barrier().wait();
        if world.here() == 0 {
            println!("{} nodes", uts::count(&world, 8).unwrap());
            // Repeat the calls until a place is killed, which may happen late.
            while world.at(1, Nap).wait().is_ok() && world.at(2, Nap).wait().is_ok() {}
        }
    })
    .unwrap();
}

fn transform() {
    heist_places::run(|world| {
        if let Some(line) = fft::run(&world, 9).unwrap() {
            println!("{line}");
        }
    })
    .unwrap();
}

fn heat_plate() {
    heist_places::run(|world| {
        if let Some(plate) = heat::heat(&world, 40, 60, 20).unwrap() {
            assert!(heat::equal(&plate, &heat::serial(40, 60, 20)));
            println!("the same bits");
        }
    })
    .unwrap();
}

/// A task that waits for a short time.
#[derive(serde::Serialize, serde::Deserialize)]
struct Nap;
impl heist_places::Task for Nap {
    type Output = ();
    async fn run(self, _: heist_places::World) {
        heist::sleep(Duration::from_millis(1)).await;
    }
}
heist_places::register!(Nap);

fn main() {
    match std::env::var("PROGRAM").as_deref() {
        Ok("hello") => hello::main().unwrap(),
        Ok("kill") => kill::main(),
        Ok("bag") => bag(),
        Ok("fft") => transform(),
        Ok("heat") => heat_plate(),
        Ok("rest") => rest(),
        Ok("abort") => {
            heist_places::run(|world| {
                if world.here() == 1 {
                    std::process::abort();
                }
            })
            .unwrap();
        }
        _ => {
            hello_from_all_places();
            arrays_are_transformed_and_heated();
            unequal_builds_refuse_each_other();
            a_number_beyond_the_places_is_refused();
            places_end_with_their_launcher();
            a_place_does_not_start_without_its_launcher();
            a_trace_has_all_places();
            a_trace_of_a_killed_place_does_not_hang();
            places_end_when_the_first_is_killed();
            a_killed_place_is_named();
            a_bag_survives_a_killed_place();
        }
    }
}
