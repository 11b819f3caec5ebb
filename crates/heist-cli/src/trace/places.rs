//! `heist trace --places`: one picture of all places of a program.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::args;
use crate::failure::Failure;
use crate::{outfile, places};

/// The part of the trace file that this command reads after the run.
#[derive(Deserialize)]
struct Written {
    places: Vec<Counts>,
}

/// The frames that a place sent and received.
#[derive(Deserialize)]
struct Counts {
    place: usize,
    workers: usize,
    frames_sent: u64,
    bytes_sent: u64,
    frames_received: u64,
    bytes_received: u64,
    dropped_events: u64,
}

/// Runs the program. Place 0 writes the trace file. `heist trace` prints the summary on standard error, because the program may print on
/// standard output.
pub(super) fn run(args: &args::Trace, places: u32) -> Result<(), Failure> {
    // Open the file before the run, so that a missing folder is reported immediately.
    drop(outfile::in_its_folder(&args.out)?);
    let out = std::path::absolute(&args.out)
        .map_err(|error| Failure::Request(format!("{}: {error}", args.out.display())))?;
    // Place 0 writes to another file first, because the file of `--out` may contain an earlier trace.
    let mut part = out.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    // An earlier run that was killed may have left this file.
    let _ = fs::remove_file(&part);
    let mut command = places::command(args.name.as_ref(), places, args.threads);
    command
        .args(&args.rest)
        .env("HEIST_PLACES_TRACE", &part)
        .env("HEIST_PLACES_TRACE_EVENTS", args.events.to_string());
    let status = places::status(command)?;
    let written = read(&part);
    if status != 0 {
        let _ = fs::remove_file(&part);
        std::process::exit(status);
    }
    let written = written.map_err(|why| {
        Failure::Request(format!(
            "{} left no trace: is it a program of heist-places? ({why})",
            args.name
        ))
    })?;
    fs::rename(&part, &out).map_err(|error| {
        Failure::Request(format!("cannot write '{}': {error}", args.out.display()))
    })?;
    eprint!(
        "{}\nWrote '{}': open it at https://ui.perfetto.dev\n",
        summary(&written.places),
        args.out.display()
    );
    Ok(())
}

fn read(file: &Path) -> Result<Written, String> {
    let file = File::open(file).map_err(|error| error.to_string())?;
    serde_json::from_reader(BufReader::new(file)).map_err(|error| error.to_string())
}

fn summary(places: &[Counts]) -> String {
    let mut text = format!(
        "{:<8} {:>8} {:>12} {:>12} {:>12} {:>12} {:>6}\n",
        "place", "workers", "frames sent", "bytes", "received", "bytes", "lost"
    );
    for place in places {
        let _ = writeln!(
            text,
            "{:<8} {:>8} {:>12} {:>12} {:>12} {:>12} {:>6}",
            place.place,
            place.workers,
            place.frames_sent,
            place.bytes_sent,
            place.frames_received,
            place.bytes_received,
            place.dropped_events
        );
    }
    text
}
