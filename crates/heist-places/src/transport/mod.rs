//! Transports, which carry frames of bytes from one place to another.

#[cfg(unix)]
pub(crate) mod sockets;
pub(crate) mod threads;

/// A transport that carries frames between places. Frames from one place to another keep their order.
///
/// One thread of a place at a time calls [`next`](Transport::next), and only the progress thread calls it with `wait`. Any thread may call
/// the other functions at any time. [`run_on`](crate::run_on) runs a program on a transport.
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
    /// Returns the index of this place.
    fn here(&self) -> usize;

    /// Returns the number of places.
    fn places(&self) -> usize;

    /// Returns the maximum size in bytes of a frame. Places send only frames of at most this size. An attempt to send a larger task panics.
    fn longest(&self) -> usize {
        usize::MAX
    }

    /// Sends a frame to another place, without waiting for that place. If the frame cannot be sent yet, the transport queues it. A frame
    /// for a dead place is dropped.
    fn send(&self, to: usize, frame: Vec<u8>);

    /// Sends a frame that is not urgent. The next call of [`next`](Transport::next) may send several such frames together.
    fn post(&self, to: usize, frame: Vec<u8>) {
        self.send(to, frame);
    }

    /// Returns the next event. If no event has arrived and `wait` is true, waits for an event. If `wait` is false, looks for an event once,
    /// and returns `None` if no event has arrived. Workers call this function with `wait` false, so such a call must not block. If this
    /// function panics, the place ends, and all its waits fail.
    fn next(&self, wait: bool) -> Option<Event>;

    /// Closes this place. The transport still sends the queued frames. After that, [`next`](Transport::next) returns [`Event::Closed`], and
    /// other places that still run get [`Event::Down`] for this place.
    fn close(&self);
}

/// An event that a [`Transport`] delivers.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A frame has arrived.
    Frame {
        /// The place that sent the frame.
        from: usize,
        /// The bytes of the frame.
        bytes: Vec<u8>,
    },
    /// A place has died or closed its transport. After this event, no frame arrives from that
    /// place.
    Down(usize),
    /// This place has been closed by [`Transport::close`].
    Closed,
}
