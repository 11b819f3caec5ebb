//! A trace of all places, which place 0 writes to a file.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heist::Pool;
use heist::trace::Process;
use serde::{Deserialize, Serialize};

use crate::place::lock;
use crate::task;
use crate::transport::{Event, Transport};
use crate::wire::Message;
use crate::{PlaceError, World, say};

/// The environment variable with the name of the trace file. Set the variable at all places or at no place.
const FILE: &str = "HEIST_PLACES_TRACE";
/// The environment variable with the number of events that each thread keeps.
const EVENTS: &str = "HEIST_PLACES_TRACE_EVENTS";
/// The number of events that each thread keeps if [`EVENTS`] is not set.
const USUAL_EVENTS: usize = 65_536;
/// The process number of place 0 in the picture. This number is larger than all numbers of threads.
const FIRST_PROCESS: usize = 1_000_000;

/// The trace of this place while it is recorded. The recording later becomes a part of the trace file.
pub(crate) struct Recording {
    file: PathBuf,
    events: usize,
    traffic: Arc<Traffic>,
}

/// The numbers of frames and bytes that the transport has carried for this place.
#[derive(Default)]
struct Traffic {
    sent: Count,
    received: Count,
    /// The numbers of tasks sent, by the number of their type.
    tasks: Mutex<BTreeMap<u32, u64>>,
}

/// A number of frames and of their bytes. Relaxed is enough: a thread reads the values only after the program has ended at this place.
#[derive(Default)]
struct Count {
    frames: AtomicU64,
    bytes: AtomicU64,
}

impl Count {
    fn add(&self, frame: &[u8]) {
        self.frames.fetch_add(1, Relaxed);
        self.bytes.fetch_add(frame.len() as u64, Relaxed);
    }
}

impl Traffic {
    fn send(&self, frame: &[u8]) {
        self.sent.add(frame);
        if let Ok((Message::Task { kind, .. }, _)) = postcard::take_from_bytes(frame) {
            *lock(&self.tasks).entry(kind).or_default() += 1;
        }
    }
}

/// The part of the trace that one place sends to place 0.
#[derive(Serialize, Deserialize)]
struct Part {
    workers: usize,
    dropped: u64,
    frames_sent: u64,
    bytes_sent: u64,
    frames_received: u64,
    bytes_received: u64,
    /// The numbers of tasks sent, by the name of their type.
    tasks_sent: BTreeMap<String, u64>,
    /// The lines of this place in the list of events.
    events: String,
}

impl Recording {
    /// Returns a recording if the environment requests a trace.
    pub(crate) fn requested() -> Option<Recording> {
        let file = env::var_os(FILE).filter(|file| !file.is_empty())?;
        let events = match env::var(EVENTS) {
            Err(_) => USUAL_EVENTS,
            Ok(text) => text.parse().unwrap_or_else(|_| {
                say(format_args!(
                    "{EVENTS}={text} is not a number: each thread keeps {USUAL_EVENTS} events"
                ));
                USUAL_EVENTS
            }),
        };
        Some(Recording {
            file: file.into(),
            events,
            traffic: Arc::default(),
        })
    }

    /// Returns a transport that also counts the frames of `transport`.
    pub(crate) fn counting(&self, transport: Arc<dyn Transport>) -> Arc<dyn Transport> {
        Arc::new(Counting {
            transport,
            traffic: Arc::clone(&self.traffic),
        })
    }

    /// Starts the trace at this place. Returns the time between the start at place 0 and the start at this place, as measured by the clocks
    /// of the two machines. This operation is collective.
    ///
    /// # Errors
    /// Returns an error if place 0 has died.
    pub(crate) fn start(&self, world: &World, pool: &Pool) -> Result<Duration, PlaceError> {
        let origin = world
            .broadcast(0, (world.here() == 0).then(since_epoch))
            .wait()?;
        pool.start_trace(self.events);
        Ok(since_epoch().saturating_sub(origin))
    }

    /// Waits for the ends of the bodies of all places and of all tasks. After that, this place stops its trace, and place 0 writes the
    /// file. This operation is collective.
    pub(crate) fn finish(&self, world: &World, pool: &Pool, begin: Duration) {
        // If a place has died or left, `gather` below returns the error.
        let _ = world.barrier().wait();
        let Some(trace) = pool.stop_trace() else {
            return;
        };
        let here = world.here();
        let mut events = Vec::new();
        let process = Process {
            number: u32::try_from(FIRST_PROCESS + here).unwrap_or(u32::MAX),
            name: &format!("place {here}"),
            begin,
        };
        trace
            .write_chrome_events(&process, &mut events)
            .expect("a vector takes all bytes");
        let Traffic {
            sent,
            received,
            tasks,
        } = &*self.traffic;
        let tasks_sent = lock(tasks)
            .iter()
            .map(|(kind, count)| (task::name(*kind).to_owned(), *count))
            .collect();
        let part = Part {
            workers: world.workers(),
            dropped: trace.dropped(),
            frames_sent: sent.frames.load(Relaxed),
            bytes_sent: sent.bytes.load(Relaxed),
            frames_received: received.frames.load(Relaxed),
            bytes_received: received.bytes.load(Relaxed),
            tasks_sent,
            events: String::from_utf8_lossy(&events).into_owned(),
        };
        match world.gather(part).wait() {
            Ok(None) => {}
            Ok(Some(parts)) => {
                if let Err(error) = fs::write(&self.file, picture(&parts)) {
                    say(format_args!(
                        "cannot write the trace to {}: {error}",
                        self.file.display()
                    ));
                }
            }
            Err(error) => say(format_args!("there is no trace of all places: {error}")),
        }
    }
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Returns the text of the file: the traffic of each place, and the events of all places.
fn picture(parts: &[Part]) -> String {
    let mut text = "{\"displayTimeUnit\":\"ns\",\"places\":[".to_owned();
    for (place, part) in parts.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n{{\"place\":{place},\"workers\":{},\"dropped_events\":{},\"frames_sent\":{},\"bytes_sent\":{},\
             \"frames_received\":{},\"bytes_received\":{},\"tasks_sent\":{{",
            part.workers,
            part.dropped,
            part.frames_sent,
            part.bytes_sent,
            part.frames_received,
            part.bytes_received,
        );
        for (at, (name, count)) in part.tasks_sent.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            // The name of a type needs no escape.
            let _ = write!(text, "{comma}\"{name}\":{count}");
        }
        text.push_str("}}");
    }
    text.push_str("\n],\"traceEvents\":[");
    let events = parts.iter().map(|part| &part.events);
    for (at, events) in events.filter(|events| !events.is_empty()).enumerate() {
        text.push_str(if at == 0 { "" } else { "," });
        text.push_str(events);
    }
    text.push_str("\n]}\n");
    text
}

/// A transport whose frames are counted.
struct Counting {
    transport: Arc<dyn Transport>,
    traffic: Arc<Traffic>,
}

impl Transport for Counting {
    fn here(&self) -> usize {
        self.transport.here()
    }

    fn places(&self) -> usize {
        self.transport.places()
    }

    fn longest(&self) -> usize {
        self.transport.longest()
    }

    fn send(&self, to: usize, frame: Vec<u8>) {
        self.traffic.send(&frame);
        self.transport.send(to, frame);
    }

    fn post(&self, to: usize, frame: Vec<u8>) {
        self.traffic.send(&frame);
        self.transport.post(to, frame);
    }

    fn next(&self, wait: bool) -> Option<Event> {
        let event = self.transport.next(wait);
        if let Some(Event::Frame { bytes, .. }) = &event {
            self.traffic.received.add(bytes);
        }
        event
    }

    fn close(&self) {
        self.transport.close();
    }
}
