//! Each place asks the next place to greet it: `mpirun -n 4 --oversubscribe
//! target/debug/examples/hello`

use heist_places::{PlaceError, Task, World, register};
use serde::{Deserialize, Serialize};

/// A task that returns a greeting for the place with this index.
#[derive(Serialize, Deserialize)]
struct Greet(usize);

impl Task for Greet {
    type Output = String;

    async fn run(self, world: World) -> String {
        format!("place {} greets place {}", world.here(), self.0)
    }
}

register!(Greet);

fn main() -> Result<(), PlaceError> {
    heist_places_mpi::run(|world| {
        let next = (world.here() + 1) % world.places();
        println!("{}", world.at(next, Greet(world.here())).wait()?);
        Ok(())
    })?
}
