//! The young generation of a worker, or the chunk of a flat heap that the worker fills.

use crate::memory::heap::{LARGE, Region, YOUNG_SPAN};
use crate::memory::sharing::Memory;
use crate::state::worker::Worker;
use crate::value::object::WORD;

/// The sum of the sizes of the young generations of several workers, as a multiple of the size that a single worker has.
const SHARED_YOUNG: usize = 2;
/// Minimum number of bytes of a worker's share of the young generations, unless a single worker would have a smaller young generation.
const SMALLEST_YOUNG: usize = 1 << 20;

impl Worker {
    /// Gives a new worker its young generation. The caller must call this function before other workers can see the new worker, because
    /// from then on their collections may empty the new worker's young generation.
    pub(crate) fn settle_in(&mut self, number: usize) {
        let nursery = self.world.zone + number * YOUNG_SPAN;
        self.nursery = nursery;
        // Neither the options nor the state of the sampler (on or off) change after this.
        let runtime_copies = self.sampler.is_on() || self.options().stats_json.is_some();
        if self.options().memory == Memory::Split && !runtime_copies {
            self.copyable = YOUNG_SPAN;
        }
        self.ready.number = number;
        self.sampler.seed(number);
        if !self.is_flat() {
            self.sampler.jump(0, nursery);
            (self.alloc, self.filled_from) = (nursery, nursery);
        }
        self.fit_young();
    }

    /// Sets the size of the young generation, which must be empty. If several workers run at the same time, they share twice the size that
    /// a single worker would have, and each of them gets at most the size that a single worker would have.
    pub(crate) fn fit_young(&mut self) {
        if !self.is_flat() {
            debug_assert_eq!(self.alloc, self.nursery, "it is empty");
            let (young, workers) = (self.options().young, self.options().workers.max(1));
            let size = if self.world.is_shared() {
                young.min(SMALLEST_YOUNG.max(SHARED_YOUNG * young / workers))
            } else {
                young
            };
            self.young_end = self.nursery + size.clamp(4 * LARGE, YOUNG_SPAN) / WORD * WORD;
        }
        self.fit_soft_end();
        self.reset_limit();
    }

    /// Returns the limit at which allocations take the slow path while no request is pending.
    pub(crate) fn limit(&self) -> usize {
        if self.options().stress {
            0
        } else {
            self.soft_end
        }
    }

    /// Sets the limit of allocations. A pending request stays pending.
    pub(crate) fn reset_limit(&self) {
        self.bell.set_limit(self.limit());
    }

    /// Sets the address at which allocations take the slow path: the end of the memory, or the next sample of a heap profile.
    pub(crate) fn fit_soft_end(&mut self) {
        self.soft_end = self.young_end.min(self.sampler.next());
    }

    /// Returns true if the worker allocates in chunks of the old generation.
    #[inline]
    pub(crate) fn is_flat(&self) -> bool {
        self.world.options.memory == Memory::Flat
    }

    /// Returns the chunk of the old generation that the worker fills. In the result, `next` is the end of the filled part.
    pub(crate) fn filled(&self) -> Region {
        let mut region = self.region;
        if self.is_flat() && self.young_end != 0 {
            region.next = self.alloc;
        }
        region
    }
}
