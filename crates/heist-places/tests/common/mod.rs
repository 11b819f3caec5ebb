//! The parts that several tests share.
#![allow(dead_code, reason = "each test takes a part")]

/// The numbers of places that are tested.
pub(crate) const PLACES: [usize; 4] = [1, 2, 4, 7];

/// Repeats a test; `HEIST_PLACES_STRESS` is a factor.
pub(crate) fn repeat(times: usize, test: impl Fn()) {
    let factor = std::env::var("HEIST_PLACES_STRESS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    for _ in 0..times * factor {
        test();
    }
}
