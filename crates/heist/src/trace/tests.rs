//! Tests that make slices from events, including events whose predecessors are missing.

use super::arrows::arrows;
use super::collected::{Thread, Trace};
use super::event::{EventKind as K, Name, PollEnd};
use super::slices::{Slice, What, slices, stretches};
use std::panic::Location;

const END: u64 = 100;

fn thread(number: usize, dropped: u64, events: &[(u64, K)]) -> Thread {
    Thread {
        number,
        spare: false,
        dropped,
        events: events.to_vec(),
    }
}

fn wait() -> K {
    K::WaitBegins {
        what: Name::new(&"a test"),
        at: None,
    }
}

/// Returns the slices as (begin, end, kind), after a check that each slice is inside its enclosing
/// slice.
fn told(thread: &Thread) -> Vec<(u64, u64, What)> {
    let slices = slices(thread, END);
    let mut open: Vec<Slice> = Vec::new();
    for slice in &slices {
        while open.last().is_some_and(|last| last.end <= slice.begin) {
            open.pop();
        }
        assert!(
            open.last().is_none_or(|last| slice.end <= last.end),
            "{slices:?}"
        );
        open.push(*slice);
    }
    slices
        .iter()
        .map(|slice| (slice.begin, slice.end, slice.doing.what()))
        .collect()
}

#[test]
fn slices_end_within_the_slices_around_them() {
    let of = thread(
        0,
        0,
        &[
            (1, K::WorkBegins { slot: 0 }),
            (2, K::JobBegins),
            (3, wait()),
            (4, K::FrameBegins { victim: 1 }),
            (5, K::FrameEnds),
            (6, K::SlotGiven),
            (8, K::SlotTaken),
            (9, K::WaitEnds),
            (10, K::JobEnds),
            (11, K::WorkEnds),
            (12, K::ParkBegins),
        ],
    );
    assert_eq!(
        told(&of),
        [
            (1, 11, What::Work),
            (2, 10, What::Job),
            (3, 9, What::Wait),
            (4, 5, What::Frame),
            (6, 8, What::Blocked),
            (12, END, What::Parked),
        ]
    );
    let running: u64 = stretches(&slices(&of, END))
        .iter()
        .filter(|stretch| stretch.what.runs())
        .map(|stretch| stretch.end - stretch.begin)
        .sum();
    // The thread runs from 1 to 3, from 4 to 5, and from 9 to 11.
    assert_eq!(running, 5);
}

#[test]
fn parts_of_a_front_door_nest_and_report_their_amounts() {
    let (strand, collection) = (Name::new(&"strand"), Name::new(&"collection"));
    let part = |what, number| K::PartBegins { what, number };
    let of = thread(
        0,
        0,
        &[
            (1, K::WorkBegins { slot: 0 }),
            (2, part(strand, 7)),
            (
                3,
                K::Noted {
                    what: Name::new(&"published"),
                    amount: 4,
                },
            ),
            (4, part(collection, 0)),
            (5, K::PartEnds { amount: 1000 }),
            (6, K::PartEnds { amount: 0 }),
            (7, part(strand, 8)),
            (8, K::WorkEnds),
        ],
    );
    assert_eq!(
        told(&of),
        [
            (1, 8, What::Work),
            (2, 6, What::Part),
            (4, 5, What::Part),
            (7, 8, What::Part),
        ]
    );
    let trace = Trace::new("of a test", vec![of], END);
    let mut json = Vec::new();
    trace.write_chrome(&mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    for text in [
        r#""name":"strand","cat":"run","pid":1,"tid":100,"ts":0.002,"args":{"number":7,"amount":0}"#,
        r#""name":"strand","cat":"run","pid":1,"tid":100,"ts":0.007,"args":{"number":8}"#,
        r#""name":"collection","cat":"run","pid":1,"tid":100,"ts":0.004,"args":{"number":0,"amount":1000}"#,
        r#""name":"published","pid":1,"tid":100,"ts":0.003,"args":{"amount":4}"#,
    ] {
        assert!(json.contains(text), "no {text} in {json}");
    }
}

#[test]
fn slices_that_have_lost_their_beginning_enclose_the_rest() {
    let events = [
        (20, K::FrameEnds),
        (21, K::WaitEnds),
        (22, K::JobBegins),
        (23, K::JobEnds),
        (30, K::WorkEnds),
    ];
    // Newer events have overwritten the begin events, so the trace contains no information about the time before the first event.
    assert_eq!(
        told(&thread(0, 7, &events)),
        [
            (20, 30, What::Work),
            (20, 21, What::Wait),
            (20, 20, What::Frame),
            (22, 23, What::Job),
        ]
    );
    // The beginnings were before the trace.
    assert_eq!(
        told(&thread(0, 0, &events))[..2],
        [(0, 30, What::Work), (0, 21, What::Wait)]
    );
}

#[test]
fn ends_that_are_missing_come_with_those_around() {
    let of = thread(
        0,
        0,
        &[
            (1, K::WorkBegins { slot: 0 }),
            (2, wait()),
            (3, K::SlotGiven),
            (9, K::WorkEnds),
        ],
    );
    assert_eq!(
        told(&of),
        [
            (1, 9, What::Work),
            (2, 9, What::Wait),
            (3, 9, What::Blocked)
        ]
    );
}

#[test]
fn a_batch_ends_when_it_has_been_run_or_something_else_is_taken() {
    let taken = K::StoleTasks {
        victim: 1,
        count: 3,
    };
    let trace = Trace::new(
        "of a test",
        vec![
            thread(
                0,
                0,
                &[
                    (1, taken),
                    (2, K::Exposed { count: 1 }),
                    (3, K::WorkBegins { slot: 0 }),
                    (5, K::Drained),
                    (6, taken),
                    (7, taken),
                    (8, K::StoleFrame { victim: 1 }),
                    (9, K::FrameBegins { victim: 1 }),
                    (10, K::FrameEnds),
                    (11, K::WorkEnds),
                ],
            ),
            thread(1, 0, &[(0, K::WorkBegins { slot: 1 })]),
        ],
        END,
    );
    assert_eq!(
        told(&trace.threads[0]),
        [
            (1, 11, What::Work),
            (1, 5, What::Batch),
            (6, 7, What::Batch),
            (7, 9, What::Batch),
            (9, 10, What::Frame),
        ]
    );
    let all: Vec<_> = trace
        .threads
        .iter()
        .map(|of| stretches(&slices(of, END)))
        .collect();
    let ends: Vec<_> = arrows(&trace.threads, &all)
        .into_iter()
        .map(|arrow| (arrow.from, arrow.to))
        .collect();
    assert_eq!(
        ends,
        [
            ((1, 1), (0, 1)),
            ((1, 6), (0, 6)),
            ((1, 7), (0, 7)),
            ((1, 8), (0, 9))
        ]
    );
}

#[test]
fn an_arrow_begins_where_its_owner_did_something() {
    let spawned = Location::caller();
    let threads = [
        // This thread's last activity before it slept is the best known source of the stolen frame.
        thread(
            0,
            0,
            &[
                (1, K::WorkBegins { slot: 0 }),
                (5, K::Queued { task: 8 }),
                (10, K::WorkEnds),
            ],
        ),
        thread(
            1,
            0,
            &[
                // The clocks of two cores may differ. In this case the event that queued the task seems to come after the poll, and there
                // is no arrow.
                (
                    4,
                    K::PollBegins {
                        task: 8,
                        spawned,
                        fiber: false,
                    },
                ),
                (6, K::PollEnds { how: PollEnd::Done }),
                (19, K::StoleFrame { victim: 0 }),
                (20, K::FrameBegins { victim: 0 }),
                (21, K::FrameEnds),
            ],
        ),
        // The trace has no events of the thread that forked this frame.
        thread(
            2,
            0,
            &[(30, K::FrameBegins { victim: 9 }), (31, K::FrameEnds)],
        ),
    ];
    let all: Vec<_> = threads
        .iter()
        .map(|of| stretches(&slices(of, END)))
        .collect();
    let arrows = arrows(&threads, &all);
    assert_eq!(arrows.len(), 1, "{arrows:?}");
    assert_eq!((arrows[0].from, arrows[0].to), ((0, 9), (1, 20)));
}
