//! The graph of lifelines: the cyclic hypercube of `heist-places/src/balance/lifelines.rs`.

/// The base of the digits of a place's number.
const RADIX: usize = 2;

/// Returns the places that `here` asks when it has no work, in the order in which it asks them.
pub(super) fn lifelines(here: usize, places: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut weight = 1;
    while weight < places {
        let digit = here / weight % RADIX;
        let base = here - digit * weight;
        let next = (1..RADIX)
            .map(|step| base + (digit + step) % RADIX * weight)
            .find(|place| *place < places);
        // No place differs from this one in this digit only: take the next place of the ring.
        let next = next.unwrap_or((here + 1) % places);
        if next != here && !found.contains(&next) {
            found.push(next);
        }
        weight *= RADIX;
    }
    found
}

/// The file that the runtime is built from.
#[cfg(test)]
#[path = "../../../heist-places/src/balance/lifelines.rs"]
mod original;

#[cfg(test)]
mod tests {
    use super::{lifelines, original};

    #[test]
    fn lifelines_are_those_of_the_runtime() {
        for places in 1..1100 {
            for here in (0..places).step_by(1 + places / 50) {
                assert_eq!(
                    lifelines(here, places),
                    original::lifelines(here, places),
                    "place {here} of {places}"
                );
            }
        }
    }
}
