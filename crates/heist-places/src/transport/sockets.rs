//! The transport between processes of one machine, over Unix sockets.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Event, Transport};
use crate::launch::clean;
use crate::place::lock;
use crate::say;

/// The maximum number of bytes that one call reads.
const CHUNK: usize = 64 << 10;
/// The capacity in bytes that an empty queue keeps.
const KEPT: usize = 1 << 20;

/// A place's connections to all other places.
#[derive(Debug)]
pub(crate) struct Sockets {
    here: usize,
    peers: Vec<Option<Peer>>,
    /// The connection to the launcher, which ends when the launcher ends.
    launcher: Option<Launcher>,
    /// The bell. To wake the thread that waits for events, another thread writes a byte to the bell, and the waiting thread reads this
    /// byte.
    bell: (UnixStream, UnixStream),
    /// True if a thread has written to the bell, and no thread has read the byte.
    rung: AtomicBool,
    closing: AtomicBool,
    /// The state of the reading side, which one thread at a time uses.
    reader: Mutex<Reader>,
}

/// The connection to the launcher, and the folder of the sockets.
#[derive(Debug)]
pub(crate) struct Launcher {
    pub(crate) stream: UnixStream,
    /// The folder of the sockets. If the launcher dies early, this place removes the folder.
    pub(crate) folder: PathBuf,
}

#[derive(Debug)]
struct Peer {
    stream: UnixStream,
    out: Mutex<Out>,
}

/// The bytes that the socket has not accepted yet.
#[derive(Debug, Default)]
struct Out {
    queue: Vec<u8>,
    /// The number of bytes of the queue that the socket has accepted.
    taken: usize,
    broken: bool,
}

#[derive(Debug)]
struct Reader {
    events: VecDeque<Event>,
    /// For each peer, the bytes of its incomplete frame.
    partial: Vec<Vec<u8>>,
    down: Vec<bool>,
    chunk: Vec<u8>,
}

impl Sockets {
    /// Creates the transport from the connections to each place. The entry of this place itself is `None`.
    pub(crate) fn new(
        here: usize,
        streams: Vec<Option<UnixStream>>,
        launcher: Option<Launcher>,
    ) -> io::Result<Self> {
        let bell = UnixStream::pair()?;
        bell.0.set_nonblocking(true)?;
        bell.1.set_nonblocking(true)?;
        let mut peers = Vec::new();
        for stream in streams {
            if let Some(stream) = &stream {
                stream.set_nonblocking(true)?;
            }
            peers.push(stream.map(|stream| Peer {
                stream,
                out: Mutex::default(),
            }));
        }
        let reader = Mutex::new(Reader {
            events: VecDeque::new(),
            partial: vec![Vec::new(); peers.len()],
            down: vec![false; peers.len()],
            chunk: vec![0; CHUNK],
        });
        Ok(Sockets {
            here,
            peers,
            launcher,
            bell,
            rung: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            reader,
        })
    }

    fn ring(&self) {
        // AcqRel pairs with the swap in `turn`: if this swap finds the bell rung, the next turn will still reset it, and then look at the
        // queues.
        if !self.rung.swap(true, Ordering::AcqRel) {
            let _ = (&self.bell.0).write(&[1]);
        }
    }

    /// Writes the queues and reads from the sockets. If `wait` is true and no socket is readable or writable, waits until a socket is
    /// readable or writable.
    fn turn(&self, reader: &mut Reader, wait: bool) {
        let mut fds = vec![PollFd::new(&self.bell.1, PollFlags::IN)];
        let mut places = Vec::with_capacity(self.peers.len());
        for (place, peer) in self.peers.iter().enumerate() {
            let Some(peer) = peer.as_ref().filter(|_| !reader.down[place]) else {
                continue;
            };
            let mut flags = PollFlags::IN;
            if !peer.flush(&mut lock(&peer.out)) {
                flags |= PollFlags::OUT;
            }
            fds.push(PollFd::new(&peer.stream, flags));
            places.push(place);
        }
        if let Some(launcher) = &self.launcher {
            fds.push(PollFd::new(&launcher.stream, PollFlags::IN));
        }
        let now = Timespec::default();
        match poll(&mut fds, (!wait).then_some(&now)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("heist-places: poll: {error}"),
        }
        let ready: Vec<PollFlags> = fds.iter().map(PollFd::revents).collect();
        drop(fds);
        if !ready[0].is_empty() {
            let mut rings = [0; 64];
            let _ = (&self.bell.1).read(&mut rings);
            // AcqRel pairs with the swap in `ring`: the next turn sees the frames that were queued
            // before.
            self.rung.swap(false, Ordering::AcqRel);
        }
        for (place, flags) in places.iter().zip(&ready[1..]) {
            if let Some(peer) = &self.peers[*place]
                && flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
            {
                reader.read(*place, &peer.stream);
            }
        }
        if let Some(launcher) = &self.launcher
            && !ready[ready.len() - 1].is_empty()
            && !self.closing.load(Ordering::Relaxed)
        {
            clean(&launcher.folder, self.peers.len());
            say(format_args!(
                "place {} ends because its launcher has died",
                self.here
            ));
            std::process::exit(1);
        }
    }
}

impl Peer {
    /// Writes as much of the queue as the socket accepts. Returns true if the queue is then empty.
    fn flush(&self, out: &mut Out) -> bool {
        while out.taken < out.queue.len() {
            match (&self.stream).write(&out.queue[out.taken..]) {
                Ok(written) => out.taken += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // The drain moves at most one byte for each byte that the socket has accepted.
                    if out.taken > out.queue.len() / 2 {
                        out.queue.drain(..out.taken);
                        out.taken = 0;
                    }
                    return false;
                }
                Err(_) => {
                    self.give_up(out);
                    break;
                }
            }
        }
        out.queue.clear();
        out.queue.shrink_to(KEPT);
        out.taken = 0;
        true
    }

    /// Closes the connection. Both sides notice the end of the connection, even if both processes continue to run.
    fn give_up(&self, out: &mut Out) {
        out.broken = true;
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn prefix(frame: &[u8]) -> [u8; 4] {
    match u32::try_from(frame.len()) {
        Ok(length) => length.to_le_bytes(),
        Err(_) => panic!(
            "heist-places: a message of {} bytes is too long",
            frame.len()
        ),
    }
}

impl Reader {
    fn read(&mut self, place: usize, mut stream: &UnixStream) {
        match stream.read(&mut self.chunk) {
            Ok(0) => self.lose(place),
            Ok(bytes) => self.split(place, bytes),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.lose(place),
        }
    }

    fn lose(&mut self, place: usize) {
        self.down[place] = true;
        self.events.push_back(Event::Down(place));
    }

    /// Divides the bytes that have arrived into frames, which become events.
    fn split(&mut self, from: usize, arrived: usize) {
        let partial = &mut self.partial[from];
        let mut whole = Vec::new();
        let mut rest = if partial.is_empty() {
            &self.chunk[..arrived]
        } else {
            partial.extend_from_slice(&self.chunk[..arrived]);
            let complete = partial.split_first_chunk::<4>();
            if !complete.is_some_and(|(length, behind)| {
                behind.len() >= u32::from_le_bytes(*length) as usize
            }) {
                // This thread copies no byte of a frame before the frame is complete, so the work is linear in the length of the frame.
                return;
            }
            std::mem::swap(&mut whole, partial);
            &whole[..]
        };
        while let Some((length, behind)) = rest.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            let Some((frame, behind)) = behind.split_at_checked(length) else {
                break;
            };
            self.events.push_back(Event::Frame {
                from,
                bytes: frame.to_vec(),
            });
            rest = behind;
        }
        self.partial[from].extend_from_slice(rest);
    }
}

impl Transport for Sockets {
    fn here(&self) -> usize {
        self.here
    }

    fn places(&self) -> usize {
        self.peers.len()
    }

    fn longest(&self) -> usize {
        u32::MAX as usize
    }

    fn send(&self, to: usize, frame: Vec<u8>) {
        let Some(peer) = self.peers.get(to).and_then(Option::as_ref) else {
            return;
        };
        let length = prefix(&frame);
        let mut out = lock(&peer.out);
        if out.broken {
            return;
        }
        let mut taken = 0;
        if out.queue.is_empty() {
            match (&peer.stream).write_vectored(&[IoSlice::new(&length), IoSlice::new(&frame)]) {
                Ok(written) if written == 4 + frame.len() => return,
                Ok(written) => taken = written,
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => {
                    peer.give_up(&mut out);
                    return;
                }
            }
        }
        out.taken += taken;
        out.queue.extend_from_slice(&length);
        out.queue.extend_from_slice(&frame);
        if !peer.flush(&mut out) {
            drop(out);
            self.ring();
        }
    }

    fn post(&self, to: usize, frame: Vec<u8>) {
        let Some(peer) = self.peers.get(to).and_then(Option::as_ref) else {
            return;
        };
        let length = prefix(&frame);
        let mut out = lock(&peer.out);
        if out.broken {
            return;
        }
        out.queue.extend_from_slice(&length);
        out.queue.extend_from_slice(&frame);
        drop(out);
        self.ring();
    }

    fn next(&self, wait: bool) -> Option<Event> {
        let mut reader = lock(&self.reader);
        if !wait && reader.events.is_empty() {
            self.turn(&mut reader, false);
        }
        loop {
            if let Some(event) = reader.events.pop_front() {
                return Some(event);
            }
            // Relaxed is enough: the flag guards no other data, and `close` rings the bell after it sets the flag, so this thread looks
            // again.
            if self.closing.load(Ordering::Relaxed) {
                let mut peers = self.peers.iter().enumerate();
                let queued = peers.any(|(place, peer)| {
                    !reader.down[place]
                        && peer
                            .as_ref()
                            .is_some_and(|peer| !peer.flush(&mut lock(&peer.out)))
                });
                if !queued {
                    // Close the connections now, because this process may continue to run for a long time.
                    for peer in self.peers.iter().flatten() {
                        peer.give_up(&mut lock(&peer.out));
                    }
                    return Some(Event::Closed);
                }
            }
            if !wait {
                return None;
            }
            self.turn(&mut reader, true);
        }
    }

    fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.ring();
    }
}

#[cfg(test)]
#[path = "sockets_tests.rs"]
mod tests;
