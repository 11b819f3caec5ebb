//! Makes the first worker of a world.

use std::sync::Arc;

use crate::entry::{internal, table};
use crate::memory::stack::Stack;
use crate::state::options::Options;
use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::world::World;

/// Returns the addresses of the functions that compiled code calls, in the order of their numbers.
fn functions() -> Box<[usize]> {
    let table = table::FUNCTIONS
        .iter()
        .map(|function| (function.address)() as usize);
    internal::internals()
        .into_iter()
        .chain(table)
        .chain(internal::lasts())
        .collect()
}

impl Worker {
    /// Makes the first worker of a new world, with a strand of its own.
    ///
    /// # Errors
    /// Returns an error if the system has no memory for the heap and the stack.
    pub fn new(options: Options) -> std::io::Result<Box<Worker>> {
        let stack = Stack::new(options.stack, 0, options.reserve)?;
        let strand = Box::new(Strand::new(Some(stack), 0));
        let world = Arc::new(World::new(options, functions())?);
        if let Some(profile) = &world.heap_profile {
            let of_profile = Arc::downgrade(&world);
            profile.set_ring(move || match of_profile.upgrade() {
                Some(world) => {
                    world.ring_in_handler();
                    true
                }
                None => false,
            });
        }
        let mut worker = Worker::join(&world)?;
        let own: *mut Strand = &raw mut **worker.own.insert(strand);
        world.add_strands(std::iter::once(own));
        Ok(worker)
    }
}
