//! One trace of all places: place 0 writes it to a file.

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

/// The environment variable with the name of the file. The trace is made if all places have the variable.
const FILE: &str = "HEIST_PLACES_TRACE";
/// The environment variable with the number of events that each thread keeps.
const EVENTS: &str = "HEIST_PLACES_TRACE_EVENTS";
/// The number of events that each thread keeps if [`EVENTS`] is not set.
const USUAL_EVENTS: usize = 65_536;
/// The process number of place 0 in the picture, above the numbers of threads.
const FIRST_PROCESS: usize = 1_000_000;

/// A trace of this place that will be part of the file.
pub(crate) struct Recording {
    file: PathBuf,
    events: usize,
    traffic: Arc<Traffic>,
}

/// Frames and their bytes, as the transport has carried them for this place.
#[derive(Default)]
struct Traffic {
    sent: Count,
    received: Count,
    /// The number of tasks sent, by the number of their type.
    tasks: Mutex<BTreeMap<u32, u64>>,
}

/// Relaxed: the values are read when the program has ended here.
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

/// The part of one place, as it travels to place 0.
#[derive(Serialize, Deserialize)]
struct Part {
    workers: usize,
    dropped: u64,
    frames_sent: u64,
    bytes_sent: u64,
    frames_received: u64,
    bytes_received: u64,
    /// The number of tasks sent, by the name of their type.
    tasks_sent: BTreeMap<String, u64>,
    /// Lines of the list of events.
    events: String,
}

impl Recording {
    /// The trace that the environment requests.
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

    /// Counts the frames of a transport.
    pub(crate) fn counting(&self, transport: Arc<dyn Transport>) -> Arc<dyn Transport> {
        Arc::new(Counting {
            transport,
            traffic: Arc::clone(&self.traffic),
        })
    }

    /// Starts the trace at this place, and returns its start since that of place 0, by the clocks of the machines. This is a collective
    /// operation.
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

    /// Stops the trace when the bodies of all places have ended, with all tasks that they have started, and writes the file at place 0.
    /// This is a collective operation.
    pub(crate) fn finish(&self, world: &World, pool: &Pool, begin: Duration) {
        // If a place has died or left, the next operation says so.
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

/// The file: the events of all places, with what each place sent and received beside them.
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
