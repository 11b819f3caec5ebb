//! Where on the stack a run stands.

use std::hint::black_box;

/// How many places there are. The last one is a page from the first, or more.
pub(crate) const PLACES: u64 = 64;

/// Calls `run` from that place of [`PLACES`].
///
/// A variable that lies across the end of a page costs tens of cycles each time that it is read or written, and which one that is
/// depends on the size of every frame above it: a count of words took 1.3 times as long under one of two policies that ran the same
/// code. So no run should stand where the last one stood (Mytkowicz, Diwan, Hauswirth, Sweeney, *Producing wrong data without doing
/// anything obviously wrong*, ASPLOS 2009).
pub(crate) fn at<R>(place: u64, run: impl FnOnce() -> R) -> R {
    let (mut run, mut result) = (Some(run), None);
    down(place % PLACES, &mut || {
        result = run.take().map(|run| run());
    });
    result.expect("it has run")
}

#[inline(never)]
fn down(steps: u64, run: &mut dyn FnMut()) {
    let frame = black_box([0_u8; 32]);
    match steps {
        0 => run(),
        _ => down(steps - 1, run),
    }
    // It is there until here, so that the call above is one.
    black_box(&frame);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_differ_and_reach_over_a_page() {
        let address = |place| {
            at(place, || {
                let local = 0_u8;
                (&raw const *black_box(&local)).addr()
            })
        };
        let places: Vec<usize> = (0..=PLACES).map(address).collect();
        assert!(places[..64].windows(2).all(|pair| pair[1] < pair[0]));
        assert!(places[0] - places[63] > 4096 - 128);
        assert_eq!(places[64], places[0]);
    }
}
