//! Each place asks the next place to greet it: `HEIST_PLACES=4 cargo run -p heist-places --example
//! hello`

use heist_places::{Task, World, register};
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

pub(crate) fn main() -> Result<(), heist_places::PlaceError> {
    heist_places::run(|world| {
        let next = (world.here() + 1) % world.places();
        let greeting = world.at(next, Greet(world.here())).wait()?;
        println!("{greeting} (process {})", std::process::id());
        Ok(())
    })?
}
