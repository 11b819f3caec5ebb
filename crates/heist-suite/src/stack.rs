//! Starts runs at different positions in the stack.

use std::hint::black_box;

/// The number of places. Each of 64 cache lines has at least four places for the stack of a run. The last place is at least a page away
/// from the first place.
pub(crate) const PLACES: u64 = 256;

/// Calls `run` with its stack at the place of the given number. There are [`PLACES`] places.
///
/// A variable that lies across the end of a page costs tens of cycles at each read or write. The sizes of all frames above a variable
/// decide whether the variable lies across the end of a page. For example, a count of words took 1.3 times as long under one policy as
/// under another policy that ran the same code. So a run should not have its stack at the same place as the previous run (Mytkowicz, Diwan,
/// Hauswirth, Sweeney, *Producing wrong data without doing anything obviously wrong*, ASPLOS 2009). A variable across the end of a cache
/// line costs only a few cycles.
pub(crate) fn at<R>(place: u64, run: impl FnOnce() -> R) -> R {
    let (mut run, mut result) = (Some(run), None);
    let mut once = || result = run.take().map(|run| run());
    let (steps, part) = (place % PLACES / 4, place % 4);
    let mut here = || match part {
        0 => aside::<0>(&mut once),
        1 => aside::<16>(&mut once),
        2 => aside::<32>(&mut once),
        _ => aside::<48>(&mut once),
    };
    down(steps, &mut here);
    result.expect("it has run")
}

/// Calls `run` with the stack moved down by `BYTES` bytes.
#[inline(never)]
fn aside<const BYTES: usize>(run: &mut dyn FnMut()) {
    let frame = [0_u8; BYTES];
    // Pass a reference: without optimisation, passing the value would copy it.
    black_box(&frame);
    run();
    black_box(&frame);
}

#[inline(never)]
fn down(steps: u64, run: &mut dyn FnMut()) {
    let frame = black_box([0_u8; 32]);
    match steps {
        0 => run(),
        _ => down(steps - 1, run),
    }
    // The frame is used after the call, so the compiler cannot turn the call into a tail call.
    black_box(&frame);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_differ_within_a_line_and_reach_over_a_page() {
        let address = |place| {
            at(place, || {
                let local = 0_u8;
                (&raw const *black_box(&local)).addr()
            })
        };
        let places: Vec<usize> = (0..=PLACES).map(address).collect();
        for of_line in places.chunks_exact(4) {
            let mut within: Vec<usize> = of_line.iter().map(|place| place % 64 / 16).collect();
            within.sort_unstable();
            assert_eq!(within, [0, 1, 2, 3], "{of_line:x?}");
        }
        let lines: Vec<usize> = places.iter().copied().step_by(4).collect();
        assert!(lines[..64].windows(2).all(|pair| pair[1] < pair[0]));
        assert!(lines[0] - lines[63] > 4096 - 128);
        assert_eq!(lines[64], lines[0]);
    }
}
