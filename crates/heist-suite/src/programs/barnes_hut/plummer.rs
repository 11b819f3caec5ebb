//! Plummer's model of a cluster of stars. The centre of the cluster is at rest.

use super::octree::Body;
use crate::noise::word;
use std::f64::consts::PI;

/// The part of the model's mass that the cluster contains. The model extends to infinity, but a simulation needs a finite cluster.
const MASS_WITHIN: f64 = 0.999;

/// Returns `n` bodies of equal mass, with a total mass of 1. The function draws the bodies at random like Aarseth, Hénon and Wielen (*A
/// comparison of numerical methods for the study of star cluster dynamics*, 1974, appendix). The function draws the radius from the mass
/// within this radius, the speed by rejection, and the directions of position and velocity uniformly. The units are Hénon's, in which the
/// energy of the cluster is -1/4.
pub(crate) fn cluster(n: usize) -> Vec<Body> {
    let mut draws = 0;
    // Returns a number between 0 and 1, excluding both.
    let mut random = || {
        draws += 1;
        ((word(7, draws) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let scale = 3.0 * PI / 16.0;
    (0..n)
        .map(|index| {
            let within = MASS_WITHIN * random();
            let radius = (within.powf(-2.0 / 3.0) - 1.0).recip().sqrt();
            let at = direction(&mut random).map(|x| x * radius * scale);
            let share = loop {
                let (share, height) = (random(), 0.1 * random());
                if height < share * share * (1.0 - share * share).powf(3.5) {
                    break share;
                }
            };
            let speed = share * 2.0_f64.sqrt() * (1.0 + radius * radius).powf(-0.25);
            let velocity = direction(&mut random).map(|x| x * speed / scale.sqrt());
            Body {
                at,
                velocity,
                mass: 1.0 / n as f64,
                index: index as u32,
            }
        })
        .collect()
}

/// Returns a random vector of length 1.
fn direction(random: &mut impl FnMut() -> f64) -> [f64; 3] {
    let z = 2.0 * random() - 1.0;
    let around = 2.0 * PI * random();
    let across = (1.0 - z * z).sqrt();
    [across * around.cos(), across * around.sin(), z]
}

#[cfg(test)]
mod tests {
    use super::cluster;

    #[test]
    fn half_of_the_mass_is_where_the_model_has_it() {
        let bodies = cluster(20_000);
        let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        // The half-mass radius of Plummer's model is 1.305 times its scale, which is 3 pi / 16 in these units.
        let near = bodies.iter().filter(|body| length(body.at) < 1.305 * 0.589);
        let share = near.count() as f64 / bodies.len() as f64;
        assert!((share - 0.5).abs() < 0.02, "{share}");
        // In equilibrium, twice the kinetic energy equals the magnitude of the potential energy, so the kinetic energy is 1/4.
        let kinetic: f64 = bodies
            .iter()
            .map(|body| 0.5 * body.mass * length(body.velocity).powi(2))
            .sum();
        assert!((kinetic - 0.25).abs() < 0.01, "{kinetic}");
        let mean: f64 = bodies.iter().map(|body| body.at[0] * body.mass).sum();
        assert!(mean.abs() < 0.02, "{mean}");
    }
}
