//! Number of arrivals at a barrier.

/// The count of a barrier that shrinks.
#[derive(Debug)]
pub(super) struct Tally {
    registered: usize,
    arrived: usize,
}

impl Tally {
    pub(super) fn new(registered: usize) -> Tally {
        Tally {
            registered,
            arrived: 0,
        }
    }

    /// Counts one more participant as arrived. Returns whether it was the last one: then the next round begins.
    pub(super) fn arrive(&mut self) -> bool {
        self.arrived += 1;
        self.complete()
    }

    /// Removes a participant that has not arrived. Returns whether it was the last one that the others waited for.
    pub(super) fn leave(&mut self) -> bool {
        self.registered -= 1;
        self.arrived > 0 && self.complete()
    }

    fn complete(&mut self) -> bool {
        let complete = self.arrived == self.registered;
        if complete {
            self.arrived = 0;
        }
        complete
    }
}
