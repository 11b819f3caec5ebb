//! Transports: how frames of bytes get from one place to another.

#[cfg(unix)]
pub(crate) mod sockets;
pub(crate) mod threads;

/// Carries frames between places, each pair's in order.
///
/// A place has one thread, its progress thread, which calls [`next`](Transport::next); any thread may call the rest.
pub(crate) trait Transport: Send + Sync + 'static {
    /// The number of this place.
    fn here(&self) -> usize;

    /// The number of places.
    fn places(&self) -> usize;

    /// Hands over a frame for another place. Does not wait for that place: frames that cannot be sent yet are queued. A frame for a
    /// place that has died is dropped.
    fn send(&self, to: usize, frame: Vec<u8>);

    /// The same, for frames that nothing waits for at once: they may go out together, when the progress thread comes to them.
    fn post(&self, to: usize, frame: Vec<u8>) {
        self.send(to, frame);
    }

    /// Returns the next event. If none has been read, returns `None` at once, or waits for one if `wait` is true.
    fn next(&self, wait: bool) -> Option<Event>;

    /// Sends the frames that are queued, and no more after that: [`next`](Transport::next) returns [`Event::Closed`] from now on.
    fn close(&self);
}

/// An event that a [`Transport`] delivers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A frame has arrived.
    Frame {
        /// The place that sent it.
        from: usize,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A place can send nothing more. No frame of that place follows.
    Down(usize),
    /// This place has been closed.
    Closed,
}
