//! Parallel sequences of a collection that Heist does not know.
//!
//! `Particles` is a struct of arrays, as in many simulations, and represents any collection of
//! another crate. `Run` refers to a run of items by shared references, and `RunMut` by mutable
//! references. `Run` and `RunMut` implement `Producer`, and `Particles` implements `IntoPar` with
//! these two types. So the collection has every operation of parallel sequences.
//!
//! ```text
//! cargo run -p heist --example producer
//! ```

use heist::par::{ParProducer, Producer, from_producer, prelude::*};
use std::{iter, slice};

/// Particles on a line, with a separate array for each property.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl Particles {
    /// Creates `count` particles at distances of one unit. The speed of a particle grows with its
    /// distance from 0.
    pub fn new(count: usize) -> Self {
        let position: Vec<f64> = (0..count).map(|i| i as f64).collect();
        let velocity = position.iter().map(|x| x / 2.0).collect();
        Particles { position, velocity }
    }
}

/// A run of particles.
#[derive(Clone, Copy, Debug)]
pub struct Run<'p> {
    position: &'p [f64],
    velocity: &'p [f64],
}

impl<'p> Producer for Run<'p> {
    type Item = (&'p f64, &'p f64);
    type IntoIter = iter::Zip<slice::Iter<'p, f64>, slice::Iter<'p, f64>>;

    fn len(&self) -> usize {
        self.position.len()
    }

    fn into_iter(self) -> Self::IntoIter {
        self.position.iter().zip(self.velocity)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (position, positions) = self.position.split_at(index);
        let (velocity, velocities) = self.velocity.split_at(index);
        let right = Run {
            position: positions,
            velocity: velocities,
        };
        (Run { position, velocity }, right)
    }
}

impl<'p> IntoPar for &'p Particles {
    type Item = (&'p f64, &'p f64);
    type Par = ParProducer<Run<'p>>;

    fn into_par(self) -> Self::Par {
        from_producer(Run {
            position: &self.position,
            velocity: &self.velocity,
        })
    }
}

/// A run of particles that can be changed.
#[derive(Debug)]
pub struct RunMut<'p> {
    position: &'p mut [f64],
    velocity: &'p mut [f64],
}

impl<'p> Producer for RunMut<'p> {
    type Item = (&'p mut f64, &'p mut f64);
    type IntoIter = iter::Zip<slice::IterMut<'p, f64>, slice::IterMut<'p, f64>>;

    fn len(&self) -> usize {
        self.position.len()
    }

    fn into_iter(self) -> Self::IntoIter {
        self.position.iter_mut().zip(self.velocity)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (position, positions) = self.position.split_at_mut(index);
        let (velocity, velocities) = self.velocity.split_at_mut(index);
        let right = RunMut {
            position: positions,
            velocity: velocities,
        };
        (RunMut { position, velocity }, right)
    }
}

impl<'p> IntoPar for &'p mut Particles {
    type Item = (&'p mut f64, &'p mut f64);
    type Par = ParProducer<RunMut<'p>>;

    fn into_par(self) -> Self::Par {
        from_producer(RunMut {
            position: &mut self.position,
            velocity: &mut self.velocity,
        })
    }
}

/// Runs the example: a step of a simulation.
pub fn main() {
    let mut particles = Particles::new(100_000);
    particles.par_mut().for_each(|(x, v)| {
        *x += *v;
        *v = -*v;
    });
    let furthest = particles.par().map(|(x, _)| *x).max_by(f64::total_cmp);
    let energy: f64 = particles.par().map(|(_, v)| v * v / 2.0).sum();
    let places = particles.par().enumerate();
    let beyond = places.find_first(|(_, (x, _))| **x > 1000.0);
    println!("furthest {furthest:?}, energy {energy}, beyond 1000: {beyond:?}");
    assert_eq!(furthest, Some(149_998.5));
    assert_eq!(beyond.map(|(at, _)| at), Some(667));
}
