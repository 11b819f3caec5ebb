//! Tests of a generation whose tags are used up.

/// The tests of a deque whose generations have tags. The `tests.rs` of such a deque calls this macro with `$deque`, which is generic over
/// its items.
macro_rules! tag_trials {
    ($module:ident: $deque:ident) => {
        mod $module {
            use std::collections::VecDeque;
            use std::sync::atomic::Ordering;

            use super::super::anchor::Anchor;
            use super::$deque;
            use crate::Owner as _;
            use crate::trials::{self, Numbered as _, Wide};

            /// Uses up all but `left` tags of the newest generation. No other thread may use the deque.
            fn wear(owner: &$deque<Wide>, left: u64) {
                let one_tag = Anchor::of(0).put().map_or(0, |anchor| anchor.word() - 1);
                let shared = owner.thief().shared;
                let anchor = &shared.generations.newest(Ordering::Relaxed).anchor;
                let counts = anchor.load(Ordering::Relaxed) & (one_tag - 1);
                let last = !(one_tag - 1) | counts;
                anchor.store(last - left * one_tag, Ordering::Relaxed);
            }

            /// Returns the address of the newest generation. The address identifies the generation, because no other generation gets this
            /// address while the deque exists.
            fn generation(owner: &$deque<Wide>) -> usize {
                let shared = owner.thief().shared;
                std::ptr::from_ref(shared.generations.newest(Ordering::Relaxed)).addr()
            }

            #[test]
            fn renew_the_generation() {
                for left in 0..20 {
                    let mut owner = $deque::default();
                    let mut model = VecDeque::new();
                    for number in 1..=2 {
                        owner.push(Wide::of(number));
                        model.push_back(Wide::of(number));
                    }
                    wear(&owner, left);
                    let first = generation(&owner);
                    for number in 1..=left as usize {
                        owner.push(Wide::of(number));
                        model.push_back(Wide::of(number));
                        assert_eq!(generation(&owner), first);
                    }
                    owner.push(Wide::of(100));
                    model.push_back(Wide::of(100));
                    assert_ne!(generation(&owner), first, "after the last tag");
                    trials::drain(&mut owner, model);
                }
            }

            #[test]
            fn renew_the_generation_under_thieves() {
                for left in 0..if cfg!(miri) { 3 } else { 100 } {
                    let mut owner = $deque::default();
                    wear(&owner, left);
                    trials::stress_on(&mut owner, 2, 110, 8);
                }
            }
        }
    };
}
pub(crate) use tag_trials;
