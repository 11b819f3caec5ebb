//! The sampler of a worker: the points at which the worker samples, and the sampled objects of its young generation.

use std::time::{Duration, Instant};

use crate::measure::heap_profile::sites::{Origin, Sites};
use crate::measure::heap_profile::{HeapProfile, Sample};
use crate::value::object::{Header, Value};

/// Number of samples after which a worker's interval is adapted to its speed of allocation.
const PACE: u32 = 1024;
/// The time for [`PACE`] samples below which a worker's interval doubles. If the worker takes longer than four times this time, its
/// interval halves.
const SHORT: Duration = Duration::from_millis(5);
/// The longest interval, as a multiple of the interval that the user has set.
const COARSEST: usize = 8;
/// The number of bytes below which an interval that the user has set is not adapted to the speed of allocation.
const FINE: usize = 1 << 12;

/// A sample in memory whose objects are not initialised yet. One check for memory covers several objects. The object at `point` is known
/// when all of these objects are initialised.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// The first object, and the end of the last object.
    first: usize,
    end: usize,
    point: usize,
    origin: Origin,
    /// The number of allocated bytes that the object represents.
    bytes: u64,
}

/// A frame outside of the Basis that a search has found below many frames of a recursion in the Basis. The worker keeps this frame, so that
/// later samples need not search through the recursion again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deep {
    /// The address of the stack slot that holds the frame's return address. The field `address` is that return address.
    pub(crate) slot: usize,
    pub(crate) address: usize,
    pub(crate) spot: u32,
}

/// The points at which a worker samples, and its samples that are young.
#[derive(Debug)]
pub(crate) struct Sampler {
    /// The address of the next point, if allocation continues in the present memory; `usize::MAX` while there is no profile.
    next: usize,
    /// The length of a stretch in bytes; 0 while there is no profile.
    interval: usize,
    /// The minimum and the maximum length of a stretch in bytes.
    bounds: (usize, usize),
    /// Number of samples since the interval was last adapted to the speed of allocation, and the time of this adaptation.
    paced: (u32, Instant),
    /// The offset of the next point in its stretch.
    offset: usize,
    random: u64,
    /// Samples of the young generation, or of the chunk of a flat heap that the worker fills, in the order of addresses.
    found: Vec<Sample>,
    /// Newer samples, whose objects are not known yet.
    taken: Vec<Taken>,
    /// The last frame outside of the Basis that was found below many other frames.
    pub(crate) deep: Deep,
}

impl Sampler {
    /// Makes the sampler of a worker. Workers with different numbers sample at different points.
    pub(crate) fn new(profile: Option<&HeapProfile>) -> Sampler {
        let mut sampler = Sampler {
            next: usize::MAX,
            interval: 0,
            bounds: (0, 0),
            paced: (0, Instant::now()),
            offset: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            found: Vec::new(),
            taken: Vec::new(),
            deep: Deep::default(),
        };
        if let Some(profile) = profile {
            let least = profile.interval;
            let most = if least < FINE {
                least
            } else {
                COARSEST * least
            };
            (sampler.interval, sampler.bounds) = (least, (least, most));
            sampler.next = 0;
            sampler.advance();
        }
        sampler
    }

    /// Mixes the number of the worker into the random numbers that determine the worker's points.
    pub(crate) fn seed(&mut self, number: usize) {
        self.random ^= (number as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.interval != 0
    }

    /// Returns the address at which the worker takes its next sample.
    #[inline]
    pub(crate) fn next(&self) -> usize {
        self.next
    }

    /// Notes that the worker has stopped allocating at the address `from` and continues at the address `to`.
    pub(crate) fn jump(&mut self, from: usize, to: usize) {
        if self.is_on() {
            self.next = self.next.wrapping_sub(from).wrapping_add(to);
        }
    }

    /// Chooses the point of the next stretch.
    fn advance(&mut self) {
        self.next += self.interval - self.offset;
        self.fit();
        // xorshift64*
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let number = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        let offset = ((number * self.interval as u64) >> 32) as usize;
        self.next += offset;
        self.offset = offset;
    }

    /// Doubles the length of stretches if the worker has allocated quickly, and halves the length if it has allocated slowly. So samples
    /// take a bounded share of the time.
    fn fit(&mut self) {
        self.paced.0 += 1;
        if self.paced.0 < PACE {
            return;
        }
        let time = self.paced.1.elapsed();
        if time < SHORT {
            self.interval = (2 * self.interval).min(self.bounds.1);
        } else if time > 4 * SHORT {
            self.interval = (self.interval / 2).max(self.bounds.0);
        }
        self.paced = (0, Instant::now());
    }

    /// Adds samples of the objects between two addresses. The caller makes these objects after this call.
    pub(crate) fn add(&mut self, first: usize, end: usize, origin: Origin) {
        while self.next < end {
            self.taken.push(Taken {
                first,
                end,
                point: self.next,
                origin,
                bytes: self.interval as u64,
            });
            self.advance();
        }
    }

    /// Finds the objects of all samples, and their sites. Drops the sample of an object that was not made because an exception was raised
    /// first.
    ///
    /// # Safety
    /// The worker's young objects must be initialised, and none of them may have moved.
    pub(crate) unsafe fn find(&mut self, sites: &mut Sites) {
        for taken in self.taken.drain(..) {
            // SAFETY: the memory from `first` on was cleared, and then objects were made in it from the front.
            if let Some((object, header, index)) = unsafe { at(taken) } {
                let bytes = taken.bytes;
                let site = sites.of(taken.origin, index, header, bytes);
                self.found.push(Sample {
                    object,
                    site,
                    bytes,
                });
            }
        }
    }

    /// Returns true if samples were taken whose objects are not found yet.
    pub(crate) fn has_taken(&self) -> bool {
        !self.taken.is_empty()
    }

    /// Takes the samples of young objects that have copies, and passes them to `keep` as samples of the copies.
    pub(crate) fn take_copied(
        &mut self,
        copy_of: impl Fn(Value) -> Option<Value>,
        mut keep: impl FnMut(Sample),
    ) {
        self.found.retain(|sample| match copy_of(sample.object) {
            Some(object) => {
                keep(Sample { object, ..*sample });
                false
            }
            None => true,
        });
    }

    /// Takes all samples whose objects were found.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Sample> {
        self.taken.clear();
        self.found.drain(..)
    }

    /// Returns the samples of an object that was found.
    pub(crate) fn samples_of(&self, object: Value) -> impl Iterator<Item = Sample> {
        let first = self.found.partition_point(|it| it.object.0 < object.0);
        let those = self.found[first..].iter();
        those.take_while(move |it| it.object == object).copied()
    }
}

/// Returns the object at the point of a sample, its header, and its index among the objects of the memory. Returns `None` if the object was
/// not made.
///
/// # Safety
/// The memory must contain objects without gaps, followed by words that are 0.
unsafe fn at(taken: Taken) -> Option<(Value, Header, usize)> {
    let (mut object, mut index) = (taken.first, 0);
    while object < taken.end {
        // SAFETY: there is an object here, or a word that is 0.
        let header = unsafe { Value(object).header() };
        if header.is_moved() || header.kind().is_none() {
            return None;
        }
        let behind = object + header.shape().bytes();
        if taken.point < behind {
            return Some((Value(object), header, index));
        }
        (object, index) = (behind, index + 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(interval: usize) -> Sampler {
        let mut sampler = Sampler::new(None);
        (sampler.interval, sampler.next) = (interval, 0);
        sampler.bounds = (interval, interval);
        sampler.advance();
        sampler
    }

    #[test]
    fn each_stretch_has_one_point() {
        let mut sampler = sampler(1000);
        let mut offsets = Vec::new();
        for stretch in 1..2000 {
            assert_eq!(sampler.next / 1000, stretch);
            offsets.push(sampler.next % 1000);
            sampler.advance();
        }
        let mean = offsets.iter().sum::<usize>() / offsets.len();
        assert!((450..550).contains(&mean), "{mean}");
    }

    #[test]
    fn fast_allocation_lengthens_the_interval() {
        let mut sampler = sampler(1000);
        sampler.bounds = (1000, 8000);
        (0..20 * PACE).for_each(|_| sampler.advance());
        assert!(sampler.interval > 1000 && sampler.interval <= 8000);
        sampler.paced = (PACE - 1, Instant::now() - 10 * SHORT);
        let before = sampler.interval;
        sampler.advance();
        assert_eq!(sampler.interval, before / 2);
    }

    #[test]
    fn a_point_moves_with_the_memory() {
        let mut sampler = sampler(1000);
        let left = sampler.next - 600;
        sampler.jump(600, 8000);
        assert_eq!(sampler.next, 8000 + left);
    }

    #[test]
    fn the_object_at_a_point_is_found() {
        let mut memory = [0_usize; 8];
        memory[0] = Header::record(0, 1, 1).0 as usize;
        memory[3] = Header::record(0, 0, 1).0 as usize;
        let first = memory.as_ptr() as usize;
        let found = |point: usize| {
            let taken = Taken {
                first,
                end: first + 64,
                point: first + point,
                origin: Origin::default(),
                bytes: 0,
            };
            // SAFETY: the memory has two objects, and then zeros.
            let found = unsafe { at(taken) };
            found.map(|(object, _, index)| (object.0 - first, index))
        };
        assert_eq!(found(0), Some((0, 0)));
        assert_eq!(found(23), Some((0, 0)));
        assert_eq!(found(24), Some((24, 1)));
        assert_eq!(found(40), None);
    }
}
