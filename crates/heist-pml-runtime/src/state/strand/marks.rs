//! The addresses at which a strand continues after a return through a mark or a return barrier. Such an address is the return address that
//! the mark or barrier has overwritten, or a landing.

use crate::state::strand::Strand;
use crate::state::walk::barrier;
use crate::value::object::WORD;

/// The landing to which a mark shall lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    /// The number of marks that are older than the frame, without new marks.
    pub older: usize,
    /// Whether the frame has a mark already.
    pub marked: bool,
    /// The address of the landing.
    pub address: usize,
}

/// Makes the marks of some frames lead to landings, and inserts a mark for each of these frames that has none. `count` is the number of
/// marks in use. Returns the new number of marks.
fn insert(marks: &mut Vec<usize>, count: usize, landings: &[Landing]) -> usize {
    let total = count + landings.iter().filter(|it| !it.marked).count();
    if total > marks.len() {
        marks.resize(2 * total, 0);
    }
    // Each mark moves up by the number of new marks that are older than it. The loop moves the newest marks first, so that no mark is
    // overwritten.
    let (mut from, mut to) = (count, total);
    for landing in landings.iter().rev() {
        let moved = from - landing.older;
        (from, to) = (landing.older, to - moved);
        marks.copy_within(from..from + moved, to);
        if !landing.marked {
            to -= 1;
        }
        marks[to] = landing.address;
    }
    debug_assert_eq!(from, to, "all new marks have their places");
    total
}

impl Strand {
    /// Returns the number of marks in use.
    pub(crate) fn marks_used(&self) -> usize {
        if self.worker.is_null() {
            return self.marks_used;
        }
        // SAFETY: the worker that runs the strand exists. The caller is that worker's thread, or has stopped it, so nothing writes the
        // field.
        let end = unsafe { (*self.worker).marks_end };
        (end as usize - self.marks.as_ptr() as usize) / WORD
    }

    /// Returns the marks in use.
    pub(crate) fn marks(&self) -> &[usize] {
        &self.marks[..self.marks_used()]
    }

    /// Keeps only the `count` oldest marks.
    pub(crate) fn keep_marks(&mut self, count: usize) {
        assert!(count <= self.marks.len(), "there are not so many");
        self.marks_used = count;
        if !self.worker.is_null() {
            // SAFETY: a strand is mounted on a worker that exists, and the caller is that worker's thread, or has stopped it. `count` is
            // within the buffer.
            unsafe { (*self.worker).marks_end = self.marks.as_mut_ptr().add(count) };
        }
        self.scanned = self.scanned.min(count);
        self.searched = self.searched.min(count);
    }

    /// Adds marks that are newer than all others. `newest_first` has their addresses.
    pub(crate) fn add_marks(&mut self, newest_first: &[usize]) {
        let count = self.marks_used();
        self.settle(count);
        let total = count + newest_first.len();
        if total > self.marks.len() {
            self.marks.resize(2 * total, 0);
        }
        for (at, address) in newest_first.iter().rev().enumerate() {
            self.marks[count + at] = *address;
        }
        self.keep_marks_after_growth(total);
    }

    /// Makes marks lead to landings. The landings are in the order of their frames, the oldest first.
    pub(crate) fn divert(&mut self, landings: &[Landing]) {
        let count = self.marks_used();
        self.settle(count);
        let (scanned, searched) = (self.scanned, self.searched);
        // A new mark counts as scanned (or searched) if some newer mark was scanned (or searched).
        let among = |number: usize| {
            let new = landings.iter().filter(|it| !it.marked && it.older < number);
            number + new.count()
        };
        let numbers = (among(scanned), among(searched));
        let count = insert(&mut self.marks, count, landings);
        self.keep_marks(count);
        (self.scanned, self.searched) = numbers;
    }

    /// Puts a return barrier into `slot`, from which a callee takes its return address. `address`
    /// is the return address that the slot had, and `older` is the number of older marks.
    pub(crate) fn put_barrier(
        &mut self,
        slot: *mut usize,
        address: usize,
        older: usize,
        marked: bool,
    ) {
        let count = self.marks_used();
        self.settle(count);
        if !marked {
            if count == self.marks.len() {
                self.marks.resize((2 * count).max(4), 0);
            }
            self.marks.copy_within(older..count, older + 1);
            self.marks[older] = address;
            let (scanned, searched) = (self.scanned, self.searched);
            self.keep_marks_after_growth(count + 1);
            self.scanned = scanned + usize::from(scanned > older);
            self.searched = searched + usize::from(searched > older);
        }
        // SAFETY: the slot is a return address of a frame of this strand, which does not run meanwhile.
        unsafe { *slot = barrier() };
        self.armed = true;
    }

    /// Notes that the frames of all marks except for the first `used` marks must be scanned and searched again. The strand has returned
    /// through the later marks, and new marks may have replaced them.
    pub(crate) fn settle(&mut self, used: usize) {
        self.scanned = self.scanned.min(used);
        self.searched = self.searched.min(used);
    }

    fn keep_marks_after_growth(&mut self, count: usize) {
        let (scanned, searched) = (self.scanned, self.searched);
        self.keep_marks(count);
        (self.scanned, self.searched) = (scanned, searched);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Landing, insert};

    proptest! {
        /// In this test, each frame has a number. The address of a frame's mark is the frame's number, and the address of its landing is
        /// 1,000 higher.
        #[test]
        fn landings_are_in_the_order_of_their_frames(
            frames in proptest::collection::vec((any::<bool>(), any::<bool>()), 0..30),
        ) {
            let (mut marks, mut landings, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            for (number, (marked, lands)) in frames.into_iter().enumerate() {
                let address = 1000 + number;
                if lands {
                    landings.push(Landing { older: marks.len(), marked, address });
                }
                if marked {
                    marks.push(number);
                }
                if marked || lands {
                    expected.push(if lands { address } else { number });
                }
            }
            let count = marks.len();
            let total = insert(&mut marks, count, &landings);
            prop_assert_eq!(&marks[..total], expected);
        }
    }
}
