//! Runs those tests of heist-places over MPI that cause no failures: `mpirun -n 4 --oversubscribe target/debug/examples/check 100`

#[path = "../../heist-places/examples/uts.rs"]
#[allow(dead_code, reason = "this program has a main function of its own")]
mod uts;

use std::sync::atomic::{AtomicU64, Ordering};

use heist_places::{GlobalRef, PlaceArray, PlaceError, Task, World, register};
use serde::{Deserialize, Serialize};

/// A node of a tree of tasks that spreads over all places. Each task adds one to a counter, at the counter's home.
#[derive(Serialize, Deserialize)]
struct Spread {
    depth: u32,
    sum: GlobalRef<AtomicU64>,
    ballast: Vec<u8>,
}
impl Task for Spread {
    type Output = ();
    async fn run(self, world: World) {
        if self.depth > 0 {
            for step in 1..=3 {
                let (depth, sum, ballast) = (self.depth - 1, self.sum, self.ballast.clone());
                world.async_at(
                    (world.here() + step) % world.places(),
                    Spread {
                        depth,
                        sum,
                        ballast,
                    },
                );
            }
        }
        world.async_at(self.sum.home(), Count(self.sum));
    }
}

#[derive(Serialize, Deserialize)]
struct Count(GlobalRef<AtomicU64>);
impl Task for Count {
    type Output = ();
    async fn run(self, world: World) {
        self.0.get(&world).unwrap().fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Serialize, Deserialize)]
struct Fail;
impl Task for Fail {
    type Output = ();
    async fn run(self, world: World) {
        panic!("at {}", world.here())
    }
}

register!(Spread, Count, Fail);

fn main() -> Result<(), PlaceError> {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(10);
    std::panic::set_hook(Box::new(|_| {}));
    heist_places_mpi::run(|world| {
        let next = (world.here() + 1) % world.places();
        for round in 0..rounds {
            // All places do this at the same time. Some messages are so long that MPI cannot send
            // them immediately.
            let ballast = vec![7; if round % 10 == 0 { 200_000 } else { 10 }];
            let sum = world.global_ref(AtomicU64::new(0));
            world
                .finish(|f| {
                    f.async_at(
                        next,
                        Spread {
                            depth: 3,
                            sum,
                            ballast,
                        },
                    )
                })
                .wait()?;
            assert_eq!(
                sum.get(&world).unwrap().load(Ordering::Relaxed),
                1 + 3 + 9 + 27
            );

            let error = world.finish(|f| f.async_at(next, Fail)).wait().unwrap_err();
            assert_eq!(
                error,
                PlaceError::Panicked {
                    place: next,
                    message: format!("at {next}")
                }
            );

            assert_eq!(uts::count(&world, 6)?, 16_000);
            let array = PlaceArray::new(&world, 100, |index| index);
            let all = array.gather(&world)?;
            assert!(all.is_none_or(|all| all == (0..100).collect::<Vec<_>>()));
            let here = world.here();
            let values = (0..world.places()).map(|to| (here, to)).collect();
            let received = world.all_to_all(values).wait()?;
            assert!(
                received
                    .into_iter()
                    .eq((0..world.places()).map(|from| (from, here)))
            );
            let places = world.reduce(1, |left, right| left + right).wait()?;
            assert_eq!(places, world.places());
            world.barrier().wait()?;
        }
        if world.here() == 0 {
            println!("{rounds} rounds on {} places", world.places());
        }
        Ok(())
    })?
}
