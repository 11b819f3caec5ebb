//! Reproducible random inputs by SplitMix64. An item of an input is a function of its index, so no generator has a state.

/// Returns the `i`-th word of the stream of `seed`.
pub(crate) fn word(seed: u64, i: u64) -> u64 {
    let mut z = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns the `i`-th number in -1..1 of the stream of `seed`.
pub(crate) fn unit(seed: u64, i: u64) -> f64 {
    (word(seed, i) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_published() {
        // These are the first outputs of SplitMix64 for the seed 1234567.
        assert_eq!(word(1_234_567, 0), 6_457_827_717_110_365_317);
        assert_eq!(word(1_234_567, 1), 3_203_168_211_198_807_973);
    }

    #[test]
    fn units_are_bounded_and_centred() {
        let sum: f64 = (0..10_000)
            .map(|i| unit(7, i))
            .inspect(|x| assert!((-1.0..1.0).contains(x)))
            .sum();
        assert!(sum.abs() < 200.0);
    }
}
