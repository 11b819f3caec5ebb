//! The lists of sleepers, of waiters without a slot, and of the holders of each slot. One lock covers all these lists.

/// The lists of the workers and slots that the counts include.
#[derive(Debug)]
pub(crate) struct IdleLists {
    /// Workers that hold a slot and sleep because there is no work. The last worker of the list is woken first.
    pub(super) sleepers: Vec<u16>,
    /// Number of slots that waiting workers have given away and that no other worker has taken over yet.
    pub(super) vacant: u32,
    /// Number of slots that have no holder because no worker could be started. Such stranded slots do not count as idle.
    pub(super) stranded: u32,
    /// Workers that have no slot and wait for a slot.
    pub(super) spares: Vec<u16>,
    /// The numbers (names) of workers whose threads could not be started. The next attempts to start a thread use these numbers.
    pub(super) unborn: Vec<u16>,
    /// For each slot, the number of workers that hold it. As a rule this number is 1. The number is 0 while the slot is vacant, and 2 or
    /// more after waiters came back to a slot that another worker had taken over.
    holders: Vec<u16>,
}

impl IdleLists {
    pub(super) fn new(slots: usize) -> Self {
        IdleLists {
            sleepers: Vec::new(),
            vacant: 0,
            stranded: 0,
            spares: Vec::new(),
            unborn: Vec::new(),
            holders: vec![1; slots],
        }
    }

    pub(super) fn hold(&mut self, slot: u32) {
        self.holders[slot as usize] += 1;
    }

    pub(super) fn release(&mut self, slot: u32) {
        self.holders[slot as usize] -= 1;
    }

    pub(super) fn is_shared(&self, slot: u32) -> bool {
        self.holders[slot as usize] > 1
    }

    /// Removes a worker from the list of spares. Returns false if the worker is not a spare.
    pub(super) fn leave_spares(&mut self, worker: u16) -> bool {
        let place = self.spares.iter().position(|&id| id == worker);
        if let Some(place) = place {
            self.spares.remove(place);
        }
        place.is_some()
    }

    /// Returns a slot that no thread holds.
    pub(super) fn free_slot(&self) -> Option<u32> {
        self.free_slots().next()
    }

    /// Returns the slots that no thread holds.
    pub(crate) fn free_slots(&self) -> impl Iterator<Item = u32> {
        let holders = self.holders.iter().enumerate();
        holders
            .filter(|&(_, &count)| count == 0)
            .map(|(slot, _)| slot as u32)
    }

    /// Moves a holder from one slot to another.
    pub(crate) fn exchange(&mut self, from: u32, to: u32) {
        self.release(from);
        self.hold(to);
    }
}
