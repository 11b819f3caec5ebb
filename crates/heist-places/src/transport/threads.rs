//! The transport between threads of one process, over queues in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Event, Transport};

/// The queue of events of one place.
#[derive(Default)]
struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
    /// True if the place was killed or closed. Such a place may not send. A sender holds this lock of its own place while it puts a frame
    /// into the queue of the receiver. So no frame of a place arrives after the event of the place's death.
    killed: Mutex<bool>,
}

#[derive(Default)]
struct State {
    events: VecDeque<Event>,
    /// True if the place accepts no more events.
    closed: bool,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: Event) {
        let mut state = self.lock();
        if !state.closed {
            state.events.push_back(event);
            drop(state);
            self.arrived.notify_one();
        }
    }
}

/// The transport of one place, over the queues of all places.
pub(crate) struct Threads {
    here: usize,
    inboxes: Arc<[Inbox]>,
}

/// Creates a transport for each of `places` places.
pub(crate) fn connect(places: usize) -> Vec<Threads> {
    let inboxes: Arc<[Inbox]> = (0..places).map(|_| Inbox::default()).collect();
    (0..places)
        .map(|here| Threads {
            here,
            inboxes: Arc::clone(&inboxes),
        })
        .collect()
}

impl Threads {
    /// Disconnects this place, as if its process had been killed: from now on, it sends and receives no frames. The other places get
    /// [`Event::Down`].
    pub(crate) fn kill(&self) {
        self.cut(true);
    }

    fn cut(&self, lose: bool) {
        let own = &self.inboxes[self.here];
        let mut killed = own.killed.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut state = own.lock();
            if state.closed {
                return;
            }
            state.closed = true;
            if lose {
                state.events.clear();
            }
        }
        *killed = true;
        own.arrived.notify_all();
        for (place, inbox) in self.inboxes.iter().enumerate() {
            if place != self.here {
                inbox.push(Event::Down(self.here));
            }
        }
    }
}

impl Transport for Threads {
    fn here(&self) -> usize {
        self.here
    }

    fn places(&self) -> usize {
        self.inboxes.len()
    }

    fn send(&self, to: usize, bytes: Vec<u8>) {
        let own = &self.inboxes[self.here];
        let killed = own.killed.lock().unwrap_or_else(PoisonError::into_inner);
        if !*killed {
            let from = self.here;
            if let Some(inbox) = self.inboxes.get(to) {
                inbox.push(Event::Frame { from, bytes });
            }
        }
    }

    fn next(&self, wait: bool) -> Option<Event> {
        let inbox = &self.inboxes[self.here];
        let mut state = inbox.lock();
        loop {
            if let Some(event) = state.events.pop_front() {
                return Some(event);
            }
            if state.closed {
                return Some(Event::Closed);
            }
            if !wait {
                return None;
            }
            state = inbox
                .arrived
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        self.cut(false);
    }
}
