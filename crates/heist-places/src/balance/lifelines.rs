//! The graph of lifelines: a cyclic hypercube.

/// The base in which the index of a place is written for the hypercube.
const RADIX: usize = 2;

/// Returns the lifelines of `here`, one for each digit of the index of `here`. The index of the lifeline for a digit is the index of `here`
/// with the next digit (cyclically) in place of this digit. If there is no such place, the lifeline is the place after `here`.
pub(super) fn lifelines(here: usize, places: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut weight = 1;
    while weight < places {
        let digit = here / weight % RADIX;
        let base = here - digit * weight;
        let next = (1..RADIX)
            .map(|step| base + (digit + step) % RADIX * weight)
            .find(|place| *place < places);
        // If no place differs from `here` only in this digit, take the next place of the ring, so that work reaches each place.
        let next = next.unwrap_or((here + 1) % places);
        if next != here && !found.contains(&next) {
            found.push(next);
        }
        weight *= RADIX;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::lifelines;
    use std::collections::BTreeSet;

    #[test]
    fn work_reaches_each_place_from_each() {
        for places in 1..70 {
            for start in 0..places {
                // Work moves in the direction opposite to the requests.
                let mut reached = BTreeSet::from([start]);
                loop {
                    let before = reached.len();
                    for place in 0..places {
                        if lifelines(place, places)
                            .iter()
                            .any(|other| reached.contains(other))
                        {
                            reached.insert(place);
                        }
                    }
                    if reached.len() == before {
                        break;
                    }
                }
                assert_eq!(reached.len(), places, "from {start}");
            }
        }
    }

    #[test]
    fn eight_places_are_a_cube() {
        assert_eq!(lifelines(5, 8), [4, 7, 1]);
        assert_eq!(lifelines(0, 1), []);
    }
}
