//! Checks that the leftmost panic wins if several functions panic.

use super::under_all;
use crate::par::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A guard: while it exists, no messages about planted panics appear on stderr. Tests with guards may run in parallel. The first guard
/// installs a panic hook, which stays installed after all guards are dropped.
pub(super) struct Quiet;

static QUIET: std::sync::Mutex<usize> = std::sync::Mutex::new(0);

impl Quiet {
    pub(super) fn new() -> Self {
        let mut users = QUIET.lock().unwrap();
        *users += 1;
        if *users == 1 {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                let planted =
                    |text: &str| text.contains("planted") || text.starts_with("heist: bucket");
                let payload = info.payload();
                let text = payload.downcast_ref::<&str>().copied();
                if !text
                    .or(payload.downcast_ref::<String>().map(String::as_str))
                    .is_some_and(planted)
                {
                    before(info);
                }
            }));
        }
        Quiet
    }
}

#[test]
fn the_leftmost_wins() {
    let _quiet = Quiet::new();
    under_all!(|policy| {
        for first in [0, 1, 50, 99] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                (0..100_u32).par().splitting(policy).for_each(|i| {
                    if i >= first {
                        panic!("planted {i}");
                    }
                });
            }));
            let payload = outcome.unwrap_err();
            let text = payload.downcast_ref::<String>().unwrap();
            assert_eq!(text, &format!("planted {first}"));
        }
    });
}

/// The grouping of a fold's items decides whether the fold overflows, and the schedule has no effect on this grouping.
#[test]
fn overflows_do_not_depend_on_the_schedule() {
    if !cfg!(debug_assertions) {
        return;
    }
    for keep in 1..3 {
        let cut = move |left: usize| (left == 3).then_some(keep);
        // The last number would undo the overflow.
        let sum = || {
            [i32::MAX, 1, -1]
                .par()
                .splitting(super::Forced(&cut))
                .sum::<i32>()
        };
        std::panic::catch_unwind(sum).expect_err("2147483647 + 1");
        let product = || {
            [u32::MAX, 2, 0]
                .par()
                .splitting(super::Forced(&cut))
                .product::<u32>()
        };
        std::panic::catch_unwind(product).expect_err("4294967295 * 2");
        let sum = || {
            [u32::MAX, 0, 1]
                .par()
                .splitting(super::Forced(&cut))
                .sum::<u32>()
        };
        std::panic::catch_unwind(sum).expect_err("4294967295 + 1");
    }
}
