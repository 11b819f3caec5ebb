//! Measures the cost of a choice between two channels. Compares this cost with the cost of a plain receive, and with the cost of a choice
//! in crossbeam-channel, flume and tokio.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example select [-- --check]
//! ```
//!
//! In the measurement `there`, all values are in the channels before the first receive. In the measurement `stream`, a second thread sends
//! the values. Each row is the median of rounds that alternate between the contenders. With `--check` the program fails if a choice costs
//! more than 2.0 times a plain receive, or more than the cheapest choice of a rival.

use crossbeam_channel as crossbeam;
use heist::Pool;
use heist::sync::channel;
use heist::sync::event::Event;
use std::hint::black_box;
use std::thread;
use std::time::Instant;
use tokio::sync::mpsc;

/// The number of rounds of each measurement. The result of a measurement is the median of its rounds.
const ROUNDS: usize = 15;
/// The total number of values that wait in the two channels.
const THERE: u64 = 20_000;
/// The number of values of a stream.
const STREAM: u64 = 200_000;
/// The capacity of a channel of a stream.
const CAPACITY: usize = 64;

/// A contender: its name, and a function that runs one round. The function returns the time for each value in nanoseconds.
type Contender = (&'static str, fn() -> f64);

/// The contenders of the measurement `there`. The array has Heist's receive and choice first, then the rivals' choices, then the rivals'
/// receives.
const THERES: &[Contender] = &[
    ("heist recv", heist_recv_there),
    ("heist choice of 2", heist_choice_there),
    ("crossbeam select of 2", crossbeam_select_there),
    ("flume select of 2", flume_select_there),
    ("tokio select of 2", tokio_select_there),
    ("crossbeam recv", crossbeam_recv_there),
];
const STREAMS: &[Contender] = &[
    ("heist recv", heist_recv_stream),
    ("heist choice of 2", heist_choice_stream),
    ("crossbeam select of 2", crossbeam_select_stream),
    ("flume select of 2", flume_select_stream),
    ("tokio select of 2", tokio_select_stream),
    ("crossbeam recv", crossbeam_recv_stream),
];

fn main() {
    let check = std::env::args().any(|argument| argument == "--check");
    let pool = Pool::new(1).expect("a pool");
    let mut missed = Vec::new();
    let there = pool.install(|| measure("there, one worker", THERES));
    let stream = measure("stream, two threads", STREAMS);
    for (part, times) in [("there", there), ("stream", stream)] {
        let (plain, choice) = (times[0], times[1]);
        let best = times[2..5].iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "{part}: choice / recv {:.2}, choice / cheapest other choice {:.2}",
            choice / plain,
            choice / best
        );
        if choice > 2.0 * plain || choice > best {
            missed.push(part);
        }
    }
    if check && !missed.is_empty() {
        eprintln!("far from the bar: {}", missed.join(", "));
        std::process::exit(1);
    }
}

/// Returns each contender's median time for a value, in nanoseconds.
fn measure(title: &str, contenders: &[Contender]) -> Vec<f64> {
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for (times, (_, round)) in times.iter_mut().zip(contenders) {
            times.push(round());
        }
    }
    println!("{title}:");
    let medians = times.iter_mut().zip(contenders).map(|(times, (name, _))| {
        times.sort_by(f64::total_cmp);
        let median = times[ROUNDS / 2];
        println!("  {name:24} {median:8.1} ns");
        median
    });
    medians.collect()
}

fn per_value(count: u64, work: impl FnOnce()) -> f64 {
    let since = Instant::now();
    work();
    since.elapsed().as_nanos() as f64 / count as f64
}

fn heist_recv_there() -> f64 {
    let (send, recv) = channel(THERE as usize);
    (0..THERE).for_each(|i| send.send(i).expect("open"));
    per_value(THERE, || {
        for _ in 0..THERE {
            black_box(recv.recv().expect("open"));
        }
    })
}

fn heist_choice_there() -> f64 {
    let (send_left, left) = channel(THERE as usize);
    let (send_right, right) = channel(THERE as usize);
    for i in 0..THERE / 2 {
        send_left.send(i).expect("open");
        send_right.send(i).expect("open");
    }
    per_value(THERE, || {
        for _ in 0..THERE {
            let either = left.recv_event().or(right.recv_event());
            black_box(either.sync().expect("open"));
        }
    })
}

fn crossbeam_recv_there() -> f64 {
    let (send, recv) = crossbeam::bounded(THERE as usize);
    (0..THERE).for_each(|i| send.send(i).expect("open"));
    per_value(THERE, || {
        for _ in 0..THERE {
            black_box(recv.recv().expect("open"));
        }
    })
}

fn crossbeam_select_there() -> f64 {
    let (send_left, left) = crossbeam::bounded(THERE as usize);
    let (send_right, right) = crossbeam::bounded(THERE as usize);
    for i in 0..THERE / 2 {
        send_left.send(i).expect("open");
        send_right.send(i).expect("open");
    }
    per_value(THERE, || {
        for _ in 0..THERE {
            let value = crossbeam::select! {
                recv(left) -> value => value,
                recv(right) -> value => value,
            };
            black_box(value.expect("open"));
        }
    })
}

fn heist_recv_stream() -> f64 {
    let (send, recv) = channel(CAPACITY);
    let sender = thread::spawn(move || (0..STREAM).for_each(|i| send.send(i).expect("open")));
    let time = per_value(STREAM, || {
        for _ in 0..STREAM {
            black_box(recv.recv().expect("open"));
        }
    });
    sender.join().expect("the sender");
    time
}

fn heist_choice_stream() -> f64 {
    let (send_left, left) = channel(CAPACITY);
    let (send_right, right) = channel(CAPACITY);
    let sender = thread::spawn(move || {
        for i in 0..STREAM / 2 {
            send_left.send(i).expect("open");
            send_right.send(i).expect("open");
        }
        // Keep the senders, so that the receivers do not see the end of a channel.
        (send_left, send_right)
    });
    let time = per_value(STREAM, || {
        for _ in 0..STREAM {
            let either = left.recv_event().or(right.recv_event());
            black_box(either.sync().expect("open"));
        }
    });
    sender.join().expect("the sender");
    time
}

fn crossbeam_recv_stream() -> f64 {
    let (send, recv) = crossbeam::bounded(CAPACITY);
    let sender = thread::spawn(move || (0..STREAM).for_each(|i| send.send(i).expect("open")));
    let time = per_value(STREAM, || {
        for _ in 0..STREAM {
            black_box(recv.recv().expect("open"));
        }
    });
    sender.join().expect("the sender");
    time
}

fn crossbeam_select_stream() -> f64 {
    let (send_left, left) = crossbeam::bounded(CAPACITY);
    let (send_right, right) = crossbeam::bounded(CAPACITY);
    let sender = thread::spawn(move || {
        for i in 0..STREAM / 2 {
            send_left.send(i).expect("open");
            send_right.send(i).expect("open");
        }
        (send_left, send_right)
    });
    let time = per_value(STREAM, || {
        for _ in 0..STREAM {
            let value = crossbeam::select! {
                recv(left) -> value => value,
                recv(right) -> value => value,
            };
            black_box(value.expect("open"));
        }
    });
    sender.join().expect("the sender");
    time
}

fn flume_select_there() -> f64 {
    let (send_left, left) = flume::bounded(THERE as usize);
    let (send_right, right) = flume::bounded(THERE as usize);
    for i in 0..THERE / 2 {
        send_left.send(i).expect("open");
        send_right.send(i).expect("open");
    }
    per_value(THERE, || flume_select(&left, &right, THERE))
}

fn flume_select_stream() -> f64 {
    let (send_left, left) = flume::bounded(CAPACITY);
    let (send_right, right) = flume::bounded(CAPACITY);
    let sender = thread::spawn(move || {
        for i in 0..STREAM / 2 {
            send_left.send(i).expect("open");
            send_right.send(i).expect("open");
        }
        (send_left, send_right)
    });
    let time = per_value(STREAM, || flume_select(&left, &right, STREAM));
    sender.join().expect("the sender");
    time
}

fn flume_select(left: &flume::Receiver<u64>, right: &flume::Receiver<u64>, count: u64) {
    for _ in 0..count {
        let value = flume::Selector::new()
            .recv(left, |value| value)
            .recv(right, |value| value)
            .wait();
        black_box(value.expect("open"));
    }
}

fn tokio_select_there() -> f64 {
    let (send_left, mut left) = mpsc::channel(THERE as usize);
    let (send_right, mut right) = mpsc::channel(THERE as usize);
    for i in 0..THERE / 2 {
        send_left.try_send(i).expect("open");
        send_right.try_send(i).expect("open");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    per_value(THERE, || {
        runtime.block_on(tokio_select(&mut left, &mut right, THERE));
    })
}

fn tokio_select_stream() -> f64 {
    let (send_left, mut left) = mpsc::channel(CAPACITY);
    let (send_right, mut right) = mpsc::channel(CAPACITY);
    let sender = thread::spawn(move || {
        for i in 0..STREAM / 2 {
            send_left.blocking_send(i).expect("open");
            send_right.blocking_send(i).expect("open");
        }
        (send_left, send_right)
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    let time = per_value(STREAM, || {
        runtime.block_on(tokio_select(&mut left, &mut right, STREAM));
    });
    sender.join().expect("the sender");
    time
}

async fn tokio_select(left: &mut mpsc::Receiver<u64>, right: &mut mpsc::Receiver<u64>, count: u64) {
    for _ in 0..count {
        let value = tokio::select! {
            value = left.recv() => value,
            value = right.recv() => value,
        };
        black_box(value.expect("open"));
    }
}
