//! The table of calls in memory: the information about the frame to which each return address returns.
//!
//! Compiled code keeps frame pointers, so a frame has the caller's frame pointer in `[fp]`, and the address at which the caller continues
//! in `[fp + 8]`. The table [`Frames`] maps each return address to a description of the frame to which the address returns. Compiled code
//! calls runtime functions by thunks. A thunk notes the address of its frame in the worker, and a walk over frames begins at that frame.
//! Frames of Rust functions are never walked.

use std::num::NonZeroU32;

use crate::code::sites::{Calls, Words};
use crate::value::object::WORD;

/// A call during which a collection may happen or an exception may be raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Address of the call's handler, or 0 if no handler covers the call.
    pub handler: usize,
    /// Address of the call's landing, or 0 if the call has none (`sites::Call::landing`).
    pub landing: usize,
    /// The frame pointer minus the stack pointer, at the call.
    pub frame: u32,
    /// The number of the call's chain of forks (`forks::Chain`), or 0 if the call has none.
    pub chain: u32,
    first: u32,
    count: u32,
}

/// The entry of a return address in the hash table. For a call without a handler, the code that raises an exception reads only this entry.
#[derive(Clone, Copy, Debug, Default)]
struct Key {
    address: usize,
    site: u32,
    handles: bool,
}

/// All calls of the programs in memory, by their return addresses.
#[derive(Debug, Default)]
pub struct Frames {
    /// Hash table of return addresses and landings (0 is a free entry). The size of the table is a power of two, and at most a third of its
    /// entries are used.
    keys: Vec<Key>,
    /// The number of used entries of `keys`.
    used: usize,
    sites: Vec<Site>,
    /// The spots of the sites. Only backtraces read these spots.
    spots: Vec<u32>,
    slots: Vec<u32>,
}

impl Frames {
    /// Reads the table of calls that code generation writes by [`Calls`].
    #[must_use]
    pub fn read(functions: &[usize], table: &[u32]) -> Frames {
        let mut frames = Frames::default();
        frames.extend(functions, table, 0, 0);
        frames
    }

    /// Adds the sites of another program. The program's numbers of chains and spots begin after the given numbers.
    pub fn extend(&mut self, functions: &[usize], table: &[u32], chains: u32, spots: u32) {
        let mut words = Words::new(table);
        // The numbers of this program follow those of the programs before it; 0 stands for no chain or no spot.
        let after =
            |number: Option<NonZeroU32>, before: u32| number.map_or(0, |it| it.get() + before);
        let mut addresses = Vec::new();
        for function in functions {
            for call in Calls::read(&mut words) {
                let site = self.sites.len() as u32;
                addresses.push((function + call.address as usize, site));
                let landing = call.landing.map_or(0, |it| function + it.get() as usize);
                if landing != 0 {
                    addresses.push((landing, site));
                }
                self.spots.push(after(call.spot, spots));
                let first = self.slots.len() as u32;
                self.slots.extend(call.slots);
                self.sites.push(Site {
                    handler: call.handler.map_or(0, |it| function + it.get() as usize),
                    landing,
                    frame: call.frame,
                    chain: after(call.chain, chains),
                    first,
                    count: call.slots.len() as u32,
                });
            }
        }
        self.used += addresses.len();
        let size = (3 * self.used).next_power_of_two().max(4);
        if size > self.keys.len() {
            let old = std::mem::replace(&mut self.keys, vec![Key::default(); size]);
            for key in old.into_iter().filter(|key| key.address != 0) {
                self.insert(key);
            }
        }
        for (address, site) in addresses {
            self.insert(Key {
                address,
                site,
                handles: self.sites[site as usize].handler != 0,
            });
        }
    }

    fn insert(&mut self, key: Key) {
        let mut at = self.hash(key.address);
        while self.keys[at].address != 0 {
            debug_assert_ne!(self.keys[at].address, key.address, "two calls return here");
            at = (at + 1) & (self.keys.len() - 1);
        }
        self.keys[at] = key;
    }

    fn hash(&self, address: usize) -> usize {
        let mixed = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.keys.len() - 1)
    }

    #[inline]
    fn key(&self, address: usize) -> Option<&Key> {
        let mut at = self.hash(address);
        loop {
            let key = &self.keys[at];
            if key.address == address {
                return Some(key);
            }
            if key.address == 0 {
                return None;
            }
            at = (at + 1) & (self.keys.len() - 1);
        }
    }

    /// Returns the site of a return address, or of a landing.
    #[inline]
    #[must_use]
    pub fn site(&self, address: usize) -> Option<&Site> {
        self.key(address).map(|key| &self.sites[key.site as usize])
    }

    /// Returns the spot of a return address, or 0 if the site of that address has no spot.
    #[must_use]
    pub fn spot(&self, address: usize) -> Option<u32> {
        self.key(address).map(|key| self.spots[key.site as usize])
    }

    /// Returns the site of a return address, if a handler covers that address.
    #[inline]
    #[must_use]
    pub fn handling(&self, address: usize) -> Option<&Site> {
        let key = self.key(address).filter(|key| key.handles)?;
        Some(&self.sites[key.site as usize])
    }

    /// Returns the newest frame that a handler covers, with its site, and the address at which the newest frame of the stack continues.
    /// Returns `None` if the walk reaches a mark or a return barrier before such a frame, or if no handler covers a frame.
    ///
    /// # Safety
    /// `newest` must be the frame pointer of a compiled function or thunk that has not returned, or 0. No code may run on the stack during
    /// the call.
    #[inline]
    pub(crate) unsafe fn handler(&self, newest: usize) -> Option<(usize, &Site, usize)> {
        if newest == 0 {
            return None;
        }
        // SAFETY: `newest` is the frame pointer of a frame that has not returned, and so is each `at`, which was read from its callee.
        unsafe {
            let first = *((newest + WORD) as *const usize);
            let (mut at, mut address) = (newest, first);
            loop {
                let pointer = *(at as *const usize);
                // Marks, the return barrier and the code below the oldest frame are not sites.
                let key = self.key(address)?;
                if key.handles {
                    return Some((pointer, &self.sites[key.site as usize], first));
                }
                at = pointer;
                address = *((at + WORD) as *const usize);
            }
        }
    }

    /// Returns the slots of a site, as distances below the frame pointer.
    #[inline]
    #[must_use]
    pub fn slots(&self, site: &Site) -> &[u32] {
        &self.slots[site.first as usize..(site.first + site.count) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_found_by_their_return_addresses() {
        let table = [
            2, 16, 0, 0, 32, 0, 7, 1, 8, 40, 64, 80, 48, 5, 0, 2, 16, 24, 0, 1, 4, 0, 0, 0, 0, 9, 0,
        ];
        let frames = Frames::read(&[0x1000, 0x2000, 0x3000], &table);
        let one = frames.site(0x1010).unwrap();
        assert_eq!(
            (one.handler, one.frame, frames.slots(one)),
            (0, 32, &[8][..])
        );
        let two = frames.site(0x1028).unwrap();
        assert_eq!((two.handler, frames.slots(two)), (0x1040, &[16, 24][..]));
        assert_eq!((two.landing, frames.site(0x1050)), (0x1050, Some(two)));
        assert!(frames.slots(frames.site(0x3004).unwrap()).is_empty());
        assert_eq!(frames.site(0x2004), None);
        assert_eq!(frames.handling(0x1028), Some(two));
        assert_eq!(frames.handling(0x1010), None);
        assert_eq!(
            (frames.spot(0x1010), frames.spot(0x1028)),
            (Some(7), Some(0))
        );

        let mut frames = frames;
        for number in 0..100_u32 {
            let table = [1, 8, 0, 0, number, 0, 1 + number, 1, 4 * number];
            frames.extend(&[0x10_000 + 0x100 * number as usize], &table, 0, 1000);
        }
        for number in 0..100_u32 {
            assert_eq!(
                frames.spot(0x10_008 + 0x100 * number as usize),
                Some(1001 + number)
            );
            let site = frames.site(0x10_008 + 0x100 * number as usize).unwrap();
            assert_eq!(
                (site.frame, frames.slots(site)),
                (number, &[4 * number][..])
            );
        }
        assert_eq!(frames.slots(frames.site(0x1010).unwrap()), &[8]);
    }
}
