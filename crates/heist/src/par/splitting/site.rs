//! Profiles of a program's loops. A profile contains the length of the first chunk, so a loop with a profile need not find this length by
//! measurements.

use super::meter::SHORT;
use crate::platform::fence_is_ready;
use crate::worker::is_steal_requested;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of entries of a table of profiles. Sites that share an entry overwrite each other's profile.
const SITES: usize = 1 << SITE_BITS;
const SITE_BITS: u32 = 9;
/// Number of low address bits that the index of a site's entry ignores, because compilers mostly align functions to 16 bytes. Sites that
/// differ only in these bits share an entry, which does no harm.
const ALIGN_BITS: u32 = 4;
/// Out of every `SAMPLED` short loops, Heist measures one. A measurement of every loop would be too expensive, because the two readings of
/// the clock take 10 to 50 ns.
const SAMPLED: u32 = 1024;

/// A loop in the program: one operation with one closure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site(usize);

/// The profile of a site, in one word. The upper half of the word is the site's tag. The lower half is the length of the loop's
/// first chunk. A word of 0 is an empty entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LoopProfile(u64);

impl LoopProfile {
    const LENGTH_BITS: u32 = 32;

    /// Creates a profile. The length is limited so that its product with [`SHORT`] fits.
    fn new(site: Site, length: usize) -> Self {
        let length = length.min(u32::MAX as usize / SHORT) as u64;
        LoopProfile(site.tag() << Self::LENGTH_BITS | length)
    }

    /// Returns the length if the word belongs to `site`. Otherwise returns 0.
    #[inline]
    fn length(self, site: Site) -> usize {
        if self.0 >> Self::LENGTH_BITS == site.tag() {
            self.0 as u32 as usize
        } else {
            0
        }
    }
}

/// The profiles that all threads share. A thread reads an entry if it has no profile of its own for the site. All accesses are
/// relaxed, because no other data depends on these words.
static KNOWN: [AtomicU64; SITES] = [const { AtomicU64::new(0) }; SITES];

/// One thread's profile of a site. The layout is made for fast access, because each loop reads its profile: see [`Site::is_short`].
struct Own {
    site: Cell<Site>,
    /// The maximum number of positions with which the loop counts as short.
    short: Cell<u32>,
    /// The number of short loops before the next measured loop.
    until_sample: Cell<u32>,
}

impl Own {
    const fn nothing() -> Own {
        Own {
            site: Cell::new(Site(0)),
            short: Cell::new(0),
            until_sample: Cell::new(SAMPLED),
        }
    }

    /// Resets the counter before this loop is measured.
    #[cold]
    fn sample(&self) -> Short {
        self.until_sample.set(SAMPLED);
        Short::Sampled
    }

    /// Returns the length of the loop's first chunk if the entry belongs to `site`, and otherwise 0.
    fn length(&self, site: Site) -> usize {
        if self.site.get() == site {
            self.short.get() as usize / SHORT
        } else {
            0
        }
    }
}

thread_local! {
    static OWN: [Own; SITES] = const { [const { Own::nothing() }; SITES] };
}

/// Says whether a loop that is about to run is short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Short {
    /// The loop is long, or its profile is unknown, or a steal request is pending.
    No,
    /// The loop is short, as earlier runs have shown.
    Yes,
    /// The loop is short, as earlier runs have shown, but its time should be measured again.
    Sampled,
}

impl Site {
    /// Returns the site of the loop in `function`. Functions that the linker has merged share a site, which does no harm.
    #[inline]
    pub(crate) fn of(function: *const ()) -> Self {
        Site(function.addr())
    }

    #[inline]
    fn place(self) -> usize {
        (self.0 >> ALIGN_BITS) % SITES
    }

    /// Returns the tag, which is not 0.
    #[inline]
    fn tag(self) -> u64 {
        self.0 as u64 & 0xffff_ffff | 1
    }

    /// Returns the length of the loop's first chunk, or 0 if it is unknown.
    // This function is not inlined: within a fiber, the address of thread-local words must not be kept across a switch.
    #[inline(never)]
    pub(crate) fn length(self) -> usize {
        let own = OWN.with(|own| own[self.place()].length(self));
        if own > 0 {
            return own;
        }
        LoopProfile(KNOWN[self.place()].load(Ordering::Relaxed)).length(self)
    }

    /// Determines whether a loop of `len` positions takes at most [`SHORT`] chunks, as earlier runs have shown. The answer is `No` if a
    /// steal request is pending, because the loop should then be split.
    // This function is inlined, because a call would take a noticeable part of a short loop's time: a loop of a hundred items takes no
    // longer than fifteen calls. A function may call `is_short` only if none of its earlier code can wait.
    #[inline(always)]
    pub(crate) fn is_short(self, len: usize) -> Short {
        OWN.with(|own| {
            let own = &own[self.place()];
            if own.site.get() != self || len > own.short.get() as usize || is_steal_requested() {
                return Short::No;
            }
            let left = own.until_sample.get() - 1;
            own.until_sample.set(left);
            if left == 0 {
                return own.sample();
            }
            Short::Yes
        })
    }

    /// Records the length of the first chunk for later runs of the loop.
    #[inline(never)]
    pub(crate) fn learn(self, length: usize) {
        let profile = LoopProfile::new(self, length);
        let before = OWN.with(|own| {
            let own = &own[self.place()];
            let before = own.length(self);
            // Without the asymmetric fence, a sleeper does not announce itself, and one worker keeps searching on behalf of all
            // sleepers. So no loop counts as short.
            if fence_is_ready() {
                own.site.set(self);
                own.short.set((profile.length(self) * SHORT) as u32);
            }
            before
        });
        // The shared entry is written only if the length has changed by more than a quarter, because other threads read the entry.
        if before.abs_diff(length) > length / 4 {
            KNOWN[self.place()].store(profile.0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SAMPLED, SHORT, Short, Site};

    #[test]
    fn a_length_learned_on_one_thread_is_known_to_others() {
        let site = Site(0x5ee_d0f0_1234);
        assert_eq!(site.length(), 0);
        site.learn(77);
        assert_eq!(site.length(), 77);
        std::thread::spawn(move || assert_eq!(site.length(), 77))
            .join()
            .unwrap();
        // This site shares the entry, but has another tag.
        assert_eq!(Site(site.0 + (1 << 20)).length(), 0);
    }

    #[test]
    fn of_short_loops_some_are_measured() {
        let site = Site(0x5ee_d0f0_4321);
        if !crate::asymmetric_fence_available() {
            return;
        }
        crate::Pool::new(1).unwrap().install(|| {
            // The join answers the requests that thieves made before the pool had work.
            crate::join(|| (), || ());
            site.learn(100);
            assert_eq!(site.is_short(100 * SHORT + 1), Short::No);
            let sampled = |_: &u32| site.is_short(100 * SHORT) == Short::Sampled;
            assert_eq!((0..10 * SAMPLED).filter(sampled).count(), 10);
        });
        // For a thread that is not a worker, a steal request always counts as pending.
        site.learn(100);
        assert_eq!(site.is_short(100), Short::No);
    }
}
