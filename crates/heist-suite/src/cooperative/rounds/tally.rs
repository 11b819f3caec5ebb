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

    /// One more has arrived. Whether it was the last: then the next round begins.
    pub(super) fn arrive(&mut self) -> bool {
        self.arrived += 1;
        self.complete()
    }

    /// One that has not arrived leaves. Whether it was the last that the others waited for.
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
