//! Counts the participants of a barrier and their arrivals.

/// The number of participants of a barrier, and the number of arrivals. Participants can leave the barrier.
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

    /// Counts one more participant as arrived. Returns true if this was the last participant to arrive, so that the next round begins.
    pub(super) fn arrive(&mut self) -> bool {
        self.arrived += 1;
        self.complete()
    }

    /// Removes a participant that has not arrived. Returns true if all other participants have arrived, so that the next round begins.
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
