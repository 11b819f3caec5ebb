//! The graph of lifelines: the cyclic hypercube of `heist-places/src/balance/lifelines.rs`.

/// The base in which the digits of a place's index are written.
const RADIX: usize = 2;

/// Returns the lifelines of the place `here`: the places that it asks when it has no work, in this
/// order.
pub(super) fn lifelines(here: usize, places: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut weight = 1;
    while weight < places {
        let digit = here / weight % RADIX;
        let base = here - digit * weight;
        let next = (1..RADIX)
            .map(|step| base + (digit + step) % RADIX * weight)
            .find(|place| *place < places);
        // If no place differs from `here` in this digit only, take the next place of the ring.
        let next = next.unwrap_or((here + 1) % places);
        if next != here && !found.contains(&next) {
            found.push(next);
        }
        weight *= RADIX;
    }
    found
}

/// The runtime's file with the graph of lifelines.
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
