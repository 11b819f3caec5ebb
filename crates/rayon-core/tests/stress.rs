//! Runs random trees of all constructs on two pools that call each other, and compares each result with a serial count.
//! `STRESS_SECONDS` sets the duration; the default is 2.

use rayon_core::{
    Scope, ThreadPool, ThreadPoolBuilder, join, scope, scope_fifo, yield_local, yield_now,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A tree of constructs. The field `seed` determines the tree.
#[derive(Clone, Copy)]
struct Node {
    seed: u64,
    depth: u32,
}

enum Kind {
    Leaf,
    Join,
    Scope(usize),
    Fifo(usize),
    Outer(usize),
    Install,
    InPlace(usize),
    Broadcast,
    Yield,
    Panic,
}

impl Node {
    fn child(self, nth: u64) -> Node {
        let mut seed = self.seed ^ (nth + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        seed ^= seed >> 31;
        seed = seed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        seed ^= seed >> 27;
        Node {
            seed,
            depth: self.depth - 1,
        }
    }

    fn kind(self) -> Kind {
        if self.depth == 0 {
            return Kind::Leaf;
        }
        let some = (self.seed >> 8) as usize % 5;
        match self.seed % 32 {
            0..12 => Kind::Join,
            12..17 => Kind::Scope(some),
            17..20 => Kind::Fifo(some),
            20..24 => Kind::Outer(some),
            24..26 => Kind::Install,
            26..28 => Kind::InPlace(some),
            28 if self.seed % 5 == 0 => Kind::Broadcast,
            29 => Kind::Panic,
            30 => Kind::Yield,
            _ => Kind::Leaf,
        }
    }

    /// Returns the number of leaves. Each pool has `threads` threads.
    fn leaves(self, threads: u64) -> u64 {
        let of = |count: usize| {
            (0..count as u64)
                .map(|nth| self.child(nth).leaves(threads))
                .sum()
        };
        match self.kind() {
            Kind::Leaf => 1,
            Kind::Join => of(2),
            Kind::Scope(count) | Kind::Fifo(count) | Kind::Outer(count) | Kind::InPlace(count) => {
                of(count)
            }
            Kind::Install | Kind::Yield | Kind::Panic => of(1),
            Kind::Broadcast => threads,
        }
    }
}

struct World {
    pools: [ThreadPool; 2],
    leaves: AtomicU64,
}

impl World {
    fn run<'s>(&'s self, node: Node, outer: &Scope<'s>) {
        let child = move |nth| node.child(nth);
        // For about half of the callers, this is the pool to which they do not belong.
        let pool = &self.pools[(node.seed >> 40) as usize % 2];
        match node.kind() {
            Kind::Leaf => {
                for _ in 0..node.seed >> 56 {
                    std::hint::spin_loop();
                }
                self.leaves.fetch_add(1, Ordering::Relaxed);
            }
            Kind::Join => {
                join(|| self.run(child(0), outer), || self.run(child(1), outer));
            }
            Kind::Scope(count) => scope(|s| {
                for nth in 0..count {
                    s.spawn(move |s| self.run(child(nth as u64), s));
                }
            }),
            Kind::Fifo(count) => scope_fifo(|s| {
                for nth in 0..count {
                    s.spawn_fifo(move |_| scope(|s| self.run(child(nth as u64), s)));
                }
            }),
            Kind::Outer(count) => {
                for nth in 0..count {
                    outer.spawn(move |s| self.run(child(nth as u64), s));
                }
            }
            Kind::Install => pool.install(|| self.run(child(0), outer)),
            Kind::InPlace(count) => pool.in_place_scope(|s| {
                for nth in 0..count {
                    s.spawn(move |s| self.run(child(nth as u64), s));
                }
            }),
            Kind::Broadcast => {
                pool.broadcast(|_| self.leaves.fetch_add(1, Ordering::Relaxed));
            }
            Kind::Yield => {
                yield_now();
                yield_local();
                self.run(child(0), outer);
            }
            Kind::Panic => {
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    join(
                        || std::panic::resume_unwind(Box::new(node.seed)),
                        || self.run(child(0), outer),
                    )
                }));
                let payload = result.map(|((), ())| ()).unwrap_err();
                assert_eq!(payload.downcast_ref::<u64>(), Some(&node.seed));
            }
        }
    }
}

#[test]
fn trees_of_everything() {
    let seconds = std::env::var("STRESS_SECONDS").map_or(2, |text| text.parse().unwrap());
    let since = Instant::now();
    let mut seed = 1;
    while since.elapsed() < Duration::from_secs(seconds) {
        for threads in [1, 2, 3, 8] {
            let pool = || {
                ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap()
            };
            let mut world = World {
                pools: [pool(), pool()],
                leaves: AtomicU64::new(0),
            };
            for _ in 0..20 {
                seed += 1;
                let root = Node { seed: 0, depth: 11 }.child(seed);
                world.pools[0].scope(|s| world.run(root, s));
                let leaves = std::mem::take(world.leaves.get_mut());
                assert_eq!(
                    leaves,
                    root.leaves(threads as u64),
                    "seed {seed}, {threads} threads"
                );
            }
        }
    }
}
