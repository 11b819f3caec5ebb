//! Writes a trace as JSON ("Trace Event Format"), which Perfetto and Chrome load.

use super::arrows::arrows;
use super::collected::{Thread, Trace};
use super::event::{EventKind, PollEnd};
use super::slices::{Doing, Slice, Stretch, What, slices, stretches};
use std::fmt::{self, Write as _};
use std::io;
use std::time::Duration;

/// A process in a picture of several processes. Each process has traced a pool: see
/// [`Trace::write_chrome_events`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process<'a> {
    /// The number of the process, below 2^21 and unique in the picture. If a thread has the number of its process, viewers show the thread
    /// as the main thread. The numbers of a pool's threads begin at 100.
    pub number: u32,
    /// The name that the viewer shows.
    pub name: &'a str,
    /// The time from the beginning of the picture to the start of this process's trace.
    pub begin: Duration,
}

/// The thread number of a pool's first thread. The thread number is not 0, because Perfetto treats thread 0 as the idle task and does not
/// show it. The thread number is not the process number either, because viewers show a thread with the number of its process as the main
/// thread.
const FIRST: usize = 100;

/// Returns the thread number of a thread of the pool.
fn tid(number: usize) -> usize {
    FIRST + number
}

/// The number of a process, and the time of its trace's start in nanoseconds.
#[derive(Clone, Copy)]
struct Track {
    pid: u32,
    begin: u64,
}

impl Track {
    /// Converts the time `at` in the trace to a time in the picture, and returns it.
    fn time(self, at: u64) -> Micros {
        Micros(self.begin + at)
    }
}

/// A line of the file, to be sorted by time, then by rank.
struct Line {
    at: u64,
    /// The order of lines with equal times. First come the ends and beginnings of slices, in an order in which slices nest; then events
    /// that are bound to slices; then counts.
    rank: u64,
    text: String,
}

/// A time in nanoseconds that is printed in microseconds.
struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// A value that is printed as a string literal of JSON.
struct Quoted<T>(T);

impl<T: AsRef<str>> fmt::Display for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.as_ref().chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

impl Trace {
    /// Writes the trace as JSON in the [Trace Event Format], which <https://ui.perfetto.dev> and `chrome://tracing` show.
    ///
    /// Each thread of the pool, including spare threads, has a track. The track has a slice for each activity of the
    /// thread, nested in the slice of the outer activity. If work was stolen, an arrow leads from the moment of the
    /// theft, on the victim's track, to the slice in which the work ran. For each wake-up of a suspending task, an
    /// arrow leads to the task's next poll. A count shows how many threads ran the program's code.
    ///
    /// For n events, this call takes about 150 n bytes of memory, and O(n log n) time because it sorts.
    ///
    /// # Errors
    /// Returns the errors of `to`. The call writes to `to` in large pieces.
    ///
    /// [Trace Event Format]: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
    pub fn write_chrome(&self, to: impl io::Write) -> io::Result<()> {
        let mut to = io::BufWriter::with_capacity(1 << 16, to);
        write!(
            to,
            r#"{{"displayTimeUnit":"ns","otherData":{{"dropped events":"{}"}},"traceEvents":["#,
            self.dropped()
        )?;
        let process = Process {
            number: 1,
            name: &format!("pool {}", self.pool),
            begin: Duration::ZERO,
        };
        self.write_chrome_events(&process, &mut to)?;
        to.write_all(b"\n]}\n")?;
        to.flush()
    }

    /// Writes only the events of the trace: the lines that [`write_chrome`](Self::write_chrome) writes between the brackets of the list
    /// `traceEvents`. For a picture of several processes, join the lines of all processes with commas.
    ///
    /// ```
    /// use heist::trace::Process;
    /// use std::time::Duration;
    ///
    /// let mut events = Vec::new();
    /// for (number, name) in [(1, "left"), (2, "right")] {
    ///     let pool = heist::Pool::new(1)?;
    ///     pool.start_trace(1000);
    ///     pool.install(|| heist::join(|| (), || ()));
    ///     let mut text = Vec::new();
    ///     let process = Process { number, name, begin: Duration::ZERO };
    ///     pool.stop_trace().unwrap().write_chrome_events(&process, &mut text)?;
    ///     events.push(String::from_utf8(text)?);
    /// }
    /// let picture = format!("{{\"traceEvents\":[{}]}}", events.join(","));
    /// assert!(picture.contains("left") && picture.contains("right"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// This call takes the same time and memory as `write_chrome`.
    ///
    /// # Errors
    /// Returns the errors of `to`. The call writes to `to` in small pieces.
    pub fn write_chrome_events(
        &self,
        process: &Process<'_>,
        to: &mut impl io::Write,
    ) -> io::Result<()> {
        let track = Track {
            pid: process.number,
            begin: u64::try_from(process.begin.as_nanos()).unwrap_or(u64::MAX / 2),
        };
        let pid = track.pid;
        let slices: Vec<Vec<Slice>> = self
            .threads
            .iter()
            .map(|thread| slices(thread, self.end))
            .collect();
        let stretches: Vec<Vec<Stretch>> = slices.iter().map(|slices| stretches(slices)).collect();
        let mut lines: Vec<Line> = Vec::new();
        for (thread, slices) in self.threads.iter().zip(&slices) {
            lines.extend(slice_lines(track, tid(thread.number), slices));
            lines.extend(
                thread
                    .events
                    .iter()
                    .filter_map(|&(at, kind)| mark_line(track, tid(thread.number), at, kind)),
            );
        }
        // The ends of arrows come after all slices of the same time.
        let bound = u64::MAX - 2;
        // The number of each arrow is unique in the whole picture.
        let ids = (u64::from(pid) << 32) + 1..;
        for (id, arrow) in ids.zip(arrows(&self.threads, &stretches)) {
            for (end, (thread, at), bind) in
                [("s", arrow.from, ""), ("f", arrow.to, r#","bp":"e""#)]
            {
                let text = format!(
                    r#"{{"ph":"{end}","id":{id},"name":"{name}","cat":"{name}","pid":{pid},"tid":{thread},"ts":{ts}{bind}}}"#,
                    thread = tid(thread),
                    name = arrow.name,
                    ts = track.time(at),
                );
                lines.push(Line {
                    at,
                    rank: bound,
                    text,
                });
            }
        }
        lines.extend(counts(&stretches, self.end).into_iter().map(|(at, running)| Line {
            at,
            rank: u64::MAX,
            text: format!(
                r#"{{"ph":"C","name":"running threads","pid":{pid},"tid":{FIRST},"ts":{},"args":{{"threads":{running}}}}}"#,
                track.time(at)
            ),
        }));
        // The sort is stable, so an arrow's beginning comes before its end, even if both lines have
        // the same time and rank.
        lines.sort_by_key(|line| (line.at, line.rank));

        write!(
            to,
            "\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"tid\":{FIRST},\"args\":{{\"name\":{}}}}}",
            Quoted(process.name)
        )?;
        for thread in &self.threads {
            write_thread(to, pid, thread)?;
        }
        for line in &lines {
            write!(to, ",\n{}", line.text)?;
        }
        Ok(())
    }
}

use io::Write as _;

fn write_thread(to: &mut impl io::Write, pid: u32, thread: &Thread) -> io::Result<()> {
    let (number, tid) = (thread.number, tid(thread.number));
    let kind = if thread.spare { "spare" } else { "worker" };
    write!(
        to,
        ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"name\":\"{kind} {number}\"}}}}"
    )?;
    write!(
        to,
        ",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"sort_index\":{number}}}}}"
    )
}

/// Returns the beginnings and ends of a thread's slices. The slices must nest, and must be sorted by their beginnings.
/// The lines do not have durations, because viewers round beginnings and durations separately, and drop slices that
/// then seem to extend beyond their outer slices.
fn slice_lines(track: Track, thread: usize, slices: &[Slice]) -> Vec<Line> {
    let pid = track.pid;
    let mut lines = Vec::with_capacity(2 * slices.len());
    let mut open: Vec<u64> = Vec::new();
    let close = |lines: &mut Vec<Line>, open: &mut Vec<u64>, until: u64| {
        while let Some(at) = open.last().copied().filter(|end| *end <= until) {
            open.pop();
            lines.push(Line {
                at,
                rank: lines.len() as u64,
                text: format!(
                    r#"{{"ph":"E","pid":{pid},"tid":{thread},"ts":{}}}"#,
                    track.time(at)
                ),
            });
        }
    };
    for slice in slices {
        close(&mut lines, &mut open, slice.begin);
        lines.push(Line {
            at: slice.begin,
            rank: lines.len() as u64,
            text: begin_text(track, thread, slice),
        });
        open.push(slice.end);
    }
    close(&mut lines, &mut open, u64::MAX);
    lines
}

fn begin_text(track: Track, thread: usize, slice: &Slice) -> String {
    let mut args = String::new();
    let name = match slice.doing {
        Doing::Work { slot } => {
            let _ = write!(args, r#""worker":{slot}"#);
            "work".to_owned()
        }
        Doing::Frame { victim } => {
            let _ = write!(args, r#""from":{victim}"#);
            "stolen frame".to_owned()
        }
        Doing::Batch { victim, count } => {
            let _ = write!(args, r#""from":{victim},"tasks":{count}"#);
            "stolen tasks".to_owned()
        }
        Doing::Poll {
            task,
            spawned,
            fiber,
            end,
        } => {
            let how = match end {
                None => "unknown",
                Some(PollEnd::Suspended) => "suspended",
                Some(PollEnd::Yielded) => "yielded",
                Some(PollEnd::Done) => "done",
            };
            // The number is written as text, because numbers of JSON are exact only up to 2^53.
            let _ = write!(
                args,
                r#""task":"{task:x}","spawned":{},"end":"{how}""#,
                Quoted(spawned.to_string())
            );
            if fiber { "fiber" } else { "async task" }.to_owned()
        }
        Doing::Wait { what, at } => {
            if let Some(at) = at {
                let _ = write!(args, r#""at":{}"#, Quoted(at.to_string()));
            }
            format!("wait for {what}")
        }
        Doing::Part {
            what,
            number,
            amount,
        } => {
            let _ = write!(args, r#""number":{number}"#);
            if let Some(amount) = amount {
                let _ = write!(args, r#","amount":{amount}"#);
            }
            what.to_string()
        }
        Doing::Unknown(what) => {
            args.push_str(r#""beginning":"lost""#);
            name(what).to_owned()
        }
        doing => name(doing.what()).to_owned(),
    };
    format!(
        r#"{{"ph":"B","name":{},"cat":"{}","pid":{},"tid":{thread},"ts":{},"args":{{{args}}}}}"#,
        Quoted(name),
        if slice.doing.what().runs() {
            "run"
        } else {
            "idle"
        },
        track.pid,
        track.time(slice.begin),
    )
}

fn name(what: What) -> &'static str {
    match what {
        What::Work => "work",
        What::Frame => "stolen frame",
        What::Batch => "stolen tasks",
        What::Job => "job from outside",
        What::Poll => "task",
        What::Wait => "wait",
        What::Part => "part",
        What::Blocked => "place given away",
        What::Parked => "parked",
        What::Aside => "stepped aside",
    }
}

/// Returns the line of an event without a duration.
fn mark_line(track: Track, thread: usize, at: u64, kind: EventKind) -> Option<Line> {
    let (name, what, number) = match &kind {
        EventKind::Exposed { count } => ("exposed", "count", u64::from(*count)),
        EventKind::Forced { victim } => ("forced", "thread", u64::from(*victim)),
        EventKind::Woke { thread } => ("woke", "thread", u64::from(*thread)),
        EventKind::MovedTo { slot } => ("moved", "worker", u64::from(*slot)),
        EventKind::Noted { what, amount } => (&**what, "amount", *amount),
        _ => return None,
    };
    Some(Line {
        at,
        rank: u64::MAX - 1,
        text: format!(
            r#"{{"ph":"i","s":"t","name":{},"pid":{},"tid":{thread},"ts":{},"args":{{"{what}":{number}}}}}"#,
            Quoted(name),
            track.pid,
            track.time(at)
        ),
    })
}

/// Returns the times at which the number of threads that run code changes, each with the new number. Each time occurs
/// once, and the count at the end is 0.
fn counts(threads: &[Vec<Stretch>], end: u64) -> Vec<(u64, i64)> {
    let mut changes: Vec<(u64, i64)> = vec![(0, 0), (end, 0)];
    for stretch in threads
        .iter()
        .flatten()
        .filter(|stretch| stretch.what.runs())
    {
        changes.push((stretch.begin, 1));
        changes.push((stretch.end, -1));
    }
    changes.sort_unstable();
    let mut running = 0;
    let mut counts: Vec<(u64, i64)> = Vec::new();
    for (at, change) in changes {
        running += change;
        match counts.last_mut() {
            Some(last) if last.0 == at => last.1 = running,
            _ => counts.push((at, running)),
        }
    }
    // The last count is kept even if it equals the previous count, because it shows where the trace
    // ends.
    counts.dedup_by(|next, last| next.1 == last.1 && next.0 != end);
    counts
}
