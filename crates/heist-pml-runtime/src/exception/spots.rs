//! The places in the source texts at which strands are, and at which objects and strands were made.

use crate::code::places::Places;
use crate::state::strand::Strand;
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::{Inner, World};
use crate::value::made::Made;

/// The tables of places that a report on waiting strands has read. These tables contain the places at which strands wait, the places at
/// which strands were made, and the places at which the program made the objects for which strands wait.
pub(crate) struct Waits<'a> {
    world: &'a World,
    read: Vec<Option<Places>>,
}

impl Waits<'_> {
    pub(crate) fn new(world: &World) -> Waits<'_> {
        let read = vec![None; world.inner().known.len()];
        Waits { world, read }
    }

    /// Returns the innermost known place outside of the Basis at which a strand waits. If no place outside of the Basis is known, returns
    /// the innermost known place within the Basis, or `None`.
    ///
    /// # Safety
    /// The strand must wait, and nothing may run it during the call.
    pub(crate) unsafe fn at(&mut self, strand: *const Strand) -> Option<String> {
        // SAFETY: the strand waits and nothing runs it, so its frames and marks do not change during the walk.
        let (frame, marks) = unsafe { ((*strand).newest_frame(), (*strand).marks()) };
        // SAFETY: the newest frame of a strand that waits has not returned, or is 0.
        let walk = unsafe { Walk::new(frame, marks) };
        let (outside, innermost) = self.places(walk.map(|frame| frame.address));
        outside.or(innermost)
    }

    /// Returns the innermost known place outside of the Basis. `addresses` begin with the return address of the newest frame.
    pub(crate) fn outside(&mut self, addresses: &[usize]) -> Option<String> {
        self.places(addresses.iter().copied()).0
    }

    /// Returns the place at which the program made an object for which strands wait.
    pub(crate) fn made_at(&mut self, made: Made) -> Option<String> {
        let inner = self.world.inner();
        let spots = made.spots();
        self.around(spots.iter().filter_map(|spot| numbered(inner, *spot)))
            .0
    }

    /// Returns the innermost place outside of the Basis, and the innermost place within the Basis, among the given return addresses.
    fn places(
        &mut self,
        addresses: impl Iterator<Item = usize>,
    ) -> (Option<String>, Option<String>) {
        let inner = self.world.inner();
        self.around(addresses.filter_map(|address| spot(inner, address)))
    }

    /// Returns the innermost place outside of the Basis, and the innermost place within the Basis, among the given spots.
    fn around(
        &mut self,
        spots: impl Iterator<Item = (usize, u32)>,
    ) -> (Option<String>, Option<String>) {
        let inner = self.world.inner();
        let mut innermost = None;
        for (program, spot) in spots {
            let places = self.read[program].get_or_insert_with(|| {
                Places::decode(inner.known[program].places).unwrap_or_default()
            });
            for place in places.around(spot) {
                if !place.is_of_basis() {
                    return (Some(place.to_string()), innermost);
                }
                innermost.get_or_insert_with(|| place.to_string());
            }
        }
        (None, innermost)
    }
}

/// Returns the return addresses of the newest frames of the strand that the worker runs. If the strand has fewer frames than the result has
/// elements, the other elements are zeros.
///
/// # Safety
/// The worker must be the calling thread's own and run a strand. A thunk must have noted the strand's newest frame.
pub(crate) unsafe fn newest<const N: usize>(worker: *mut Worker) -> [usize; N] {
    let mut addresses = [0; N];
    // SAFETY: `worker` is this thread's own, so no other thread changes its strand. The noted frame and all older frames of the strand have
    // not returned.
    let walk = unsafe { Walk::new((*worker).frame, (*(*worker).strand).marks()) };
    for (address, frame) in addresses.iter_mut().zip(walk) {
        *address = frame.address;
    }
    addresses
}

/// Returns the spot for which an address stands: its program, and its number in that program.
pub(crate) fn spot(inner: &Inner, at: usize) -> Option<(usize, u32)> {
    let by_address = inner.known.iter().position(|known| {
        at.checked_sub(known.spots)
            .is_some_and(|offset| offset < known.count)
    });
    if let Some(program) = by_address {
        return Some((program, (at - inner.known[program].spots) as u32));
    }
    numbered(inner, inner.frames.spot(at)?)
}

/// Returns the program of the spot with this number, and the spot's number in that program; `None` for 0.
fn numbered(inner: &Inner, number: u32) -> Option<(usize, u32)> {
    let program = inner
        .known
        .iter()
        .rposition(|known| known.before < number)?;
    Some((program, number - inner.known[program].before))
}
