//! The names under which a report lists the objects for which threads wait, such as channels. A name consists of the kind of the object,
//! and the place at which the program made the object.

/// The kinds of objects, in the order of their numbers in `basis/event.sml`.
const KINDS: [&str; 4] = ["channel", "mailbox", "variable", "multicast channel"];
/// Number of bits of a spot. This number is sufficient: a program has fewer spots than calls, a call takes more than two bytes of code, and
/// a program has at most 2^31 bytes of code.
const SPOT: u32 = 30;

/// An object for which threads wait. The Basis names the object by an integer, and notes this integer before a wait. If the thread waits
/// for several objects, the Basis notes the negative of the first object's integer. The integer 0 stands for an object without a name.
#[derive(Clone, Copy)]
pub(crate) struct Made(i64);

impl Made {
    /// Names an object of the given kind. The code at the spot `inner` makes the object, and was called at the spot `outer`.
    pub(crate) fn new(kind: i64, outer: u32, inner: u32) -> Made {
        debug_assert!(outer >> SPOT == 0 && inner >> SPOT == 0, "30 bits");
        Made(kind << (2 * SPOT) | i64::from(outer) << SPOT | i64::from(inner))
    }

    /// Returns the object with the integer that the Basis has noted.
    pub(crate) fn noted(number: i64) -> Made {
        Made(number)
    }

    pub(crate) fn number(self) -> i64 {
        self.0
    }

    pub(crate) fn is_first_of_several(self) -> bool {
        self.0 < 0
    }

    pub(crate) fn kind(self) -> &'static str {
        let kind = (self.0.unsigned_abs() >> (2 * SPOT)) as usize;
        KINDS.get(kind).copied().unwrap_or("thing")
    }

    /// Returns the spots at which the object was made, the innermost first.
    pub(crate) fn spots(self) -> [u32; 2] {
        let spots = self.0.unsigned_abs();
        [0, SPOT].map(|shift| (spots >> shift) as u32 & ((1 << SPOT) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_kind_and_spots() {
        let greatest = (1 << SPOT) - 1;
        for (kind, name) in KINDS.iter().enumerate() {
            for (outer, inner) in [(0, 0), (1, greatest), (greatest, 2), (greatest, greatest)] {
                let number = Made::new(kind as i64, outer, inner).number();
                for (number, several) in [(number, false), (-number, number != 0)] {
                    let made = Made::noted(number);
                    assert_eq!((made.kind(), made.spots()), (*name, [inner, outer]));
                    assert_eq!(made.is_first_of_several(), several);
                }
            }
        }
    }
}
