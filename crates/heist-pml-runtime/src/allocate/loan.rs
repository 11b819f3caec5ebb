//! Loans: a loan is memory outside of the heap that a function of the Basis uses for its result, and that counts as memory of the heap.
//!
//! The heap has a limit, but the memory that Rust code allocates is limited only by the machine. So a function whose result may be much
//! larger than its arguments, such as a power, takes a loan of the result's size before it computes. If the heap has no room for the loan,
//! the program ends as if the heap had no room for an object.

use crate::memory::heap::LARGE;
use crate::memory::uses::GRANULE;
use crate::poll::collection;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// Granules that count as used until a call of [`Worker::repay`].
#[must_use]
#[derive(Debug)]
pub(crate) struct Loan(usize);

impl Worker {
    /// Counts a number of bytes as bytes of the heap. This call may collect, so it also returns the current addresses of `values`. A loan
    /// of at most `LARGE` bytes is not counted.
    ///
    /// # Safety
    /// `self` must be the running worker, and a thunk must have made the call.
    pub(crate) unsafe fn lend<const N: usize>(
        &mut self,
        bytes: usize,
        values: [Value; N],
    ) -> (Loan, [Value; N]) {
        if bytes <= LARGE {
            return (Loan(0), values);
        }
        let count = bytes.div_ceil(GRANULE);
        if self.world().heap().lend(count).is_ok() {
            return (Loan(count), values);
        }
        let handles = values.map(|value| self.hold(value));
        // SAFETY: this worker is the running worker, and by contract a thunk has noted the newest frame. The values are in handles.
        unsafe { collection::collect(self, true) };
        let values = handles.map(|handle| self.held(handle));
        if let Some(&first) = handles.first() {
            self.release(first);
        }
        let lent = self.world().heap().lend(count);
        if lent.is_err() {
            // `exhausted` returns only if the strand holds a lock of the Basis.
            self.exhausted();
            return (Loan(0), values);
        }
        (Loan(count), values)
    }

    /// Ends a loan. The caller has freed the loan's memory, or frees it before it returns to the program.
    pub(crate) fn repay(&self, loan: Loan) {
        if loan.0 > 0 {
            self.world().heap().repay(loan.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::options::Options;

    #[test]
    fn a_loan_takes_room_from_objects_until_it_is_repaid() {
        let mut worker = Worker::new(Options {
            heap: 16 << 20,
            stack: 1 << 20,
            ..Options::default()
        })
        .unwrap();
        let value = worker.string(b"text");
        let room = |worker: &Worker| {
            let mut heap = worker.world().heap();
            let taken = heap.lend(200).is_ok();
            if taken {
                heap.repay(200);
            }
            taken
        };
        assert!(room(&worker));
        // SAFETY: the worker is this test's and runs no strand, so there is no frame to note.
        let (loan, [value]) = unsafe { worker.lend(10 << 20, [value]) };
        assert!(!room(&worker));
        // SAFETY: the value is a string, and nothing allocates while its bytes are used.
        assert_eq!(unsafe { value.bytes() }, b"text");
        worker.repay(loan);
        assert!(room(&worker));
        // SAFETY: the worker is this test's and runs no strand, so there is no frame to note.
        let (small, _) = unsafe { worker.lend(LARGE, [value]) };
        assert!(room(&worker));
        worker.repay(small);
    }
}
