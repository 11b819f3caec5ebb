//! Moves bodies that attract each other. Each step is a parallel loop over the bodies that
//! considers all pairs.
//!
//! ```text
//! cargo run --release -p heist --example nbody
//! ```

use heist::par::prelude::*;

/// A body whose mass is 1 divided by the number of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    at: [f64; 3],
    speed: [f64; 3],
}

/// A distance that keeps forces finite when two bodies meet.
const SOFTENING: f64 = 0.05;

/// Returns bodies at rest in a cube, the same on every run.
pub fn cloud(count: u64) -> Vec<Body> {
    let random =
        |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1_u64 << 24) as f64;
    let body = |i| Body {
        at: [random(3 * i), random(3 * i + 1), random(3 * i + 2)],
        speed: [0.0; 3],
    };
    (1..=count).par().map(body).collect()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn square(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum()
}

/// Returns the acceleration of a body at the place `at`.
fn pull(bodies: &[Body], at: [f64; 3]) -> [f64; 3] {
    bodies.iter().fold([0.0; 3], |sum, body| {
        let way = minus(body.at, at);
        let weight = (square(way) + SOFTENING * SOFTENING).powf(-1.5) / bodies.len() as f64;
        std::array::from_fn(|i| sum[i] + way[i] * weight)
    })
}

/// Returns all bodies after a time `dt`. A step changes the speeds first, and then the positions
/// (kick and drift).
pub fn step(bodies: &[Body], dt: f64) -> Vec<Body> {
    let moved = |body: &Body| {
        let pull = pull(bodies, body.at);
        let speed: [f64; 3] = std::array::from_fn(|i| body.speed[i] + pull[i] * dt);
        Body {
            at: std::array::from_fn(|i| body.at[i] + speed[i] * dt),
            speed,
        }
    };
    bodies.par().map(moved).collect()
}

/// Returns the sum of kinetic and potential energy.
pub fn energy(bodies: &[Body]) -> f64 {
    let mass = 1.0 / bodies.len() as f64;
    let of = |(i, body): (usize, &Body)| {
        let to = |other: &Body| (square(minus(other.at, body.at)) + SOFTENING * SOFTENING).sqrt();
        let potential: f64 = bodies[i + 1..].iter().map(|other| mass / to(other)).sum();
        mass * (square(body.speed) / 2.0 - potential)
    };
    bodies.par().enumerate().map(of).sum()
}

/// Runs the example.
pub fn main() {
    let mut bodies = cloud(2000);
    println!("energy {:.5} at the start", energy(&bodies));
    for _ in 0..100 {
        bodies = step(&bodies, 0.001);
    }
    println!("energy {:.5} at the end", energy(&bodies));
}
