//! Transports: they carry frames of bytes from one place to another.

#[cfg(unix)]
pub(crate) mod sockets;
pub(crate) mod threads;

/// Carries frames between places. Frames from one place to another keep their order.
///
/// A place has one thread, its progress thread, which calls [`next`](Transport::next); any thread may call the rest. [`run_on`](crate::run_on)
/// runs a program on a transport.
///
/// ```
/// use std::sync::{Arc, Condvar, Mutex};
/// use heist_places::transport::{Event, Transport};
///
/// /// A place without others.
/// #[derive(Default)]
/// struct Alone { closed: Mutex<bool>, changed: Condvar }
///
/// impl Transport for Alone {
///     fn here(&self) -> usize { 0 }
///     fn places(&self) -> usize { 1 }
///     fn send(&self, _: usize, _: Vec<u8>) {}
///     fn next(&self, wait: bool) -> Option<Event> {
///         let closed = self.closed.lock().unwrap();
///         if !wait { return closed.then_some(Event::Closed) }
///         let _closed = self.changed.wait_while(closed, |closed| !*closed).unwrap();
///         Some(Event::Closed)
///     }
///     fn close(&self) {
///         *self.closed.lock().unwrap() = true;
///         self.changed.notify_all();
///     }
/// }
///
/// let places = heist_places::run_on(Arc::new(Alone::default()), 1, |world| world.places());
/// assert_eq!(places, Ok(1));
/// ```
pub trait Transport: Send + Sync + 'static {
    /// Returns the number of this place.
    fn here(&self) -> usize;

    /// Returns the number of places.
    fn places(&self) -> usize;

    /// Returns the maximum number of bytes of a frame. A place sends no longer frame: an attempt to send a
    /// longer task panics.
    fn longest(&self) -> usize {
        usize::MAX
    }

    /// Hands over a frame for another place. Does not wait for that place: frames that cannot be sent yet are queued. A frame for a
    /// place that has died is dropped.
    fn send(&self, to: usize, frame: Vec<u8>);

    /// Hands over a frame that is not urgent. The progress thread may send several such frames together, later.
    fn post(&self, to: usize, frame: Vec<u8>) {
        self.send(to, frame);
    }

    /// Returns the next event. A panic of this function ends the place: all its waits fail. If no event has arrived, returns
    /// `None` at once, or waits for an event if `wait` is true.
    fn next(&self, wait: bool) -> Option<Event>;

    /// Sends the queued frames, and none after these: afterwards [`next`](Transport::next) returns [`Event::Closed`]. Other
    /// places that still run get [`Event::Down`] for this one.
    fn close(&self);
}

/// An event that a [`Transport`] delivers.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A frame has arrived.
    Frame {
        /// The place that sent it.
        from: usize,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A place has died or closed its transport. No frame from it follows.
    Down(usize),
    /// This place has been closed.
    Closed,
}
