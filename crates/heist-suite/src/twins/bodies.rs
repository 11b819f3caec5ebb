//! Bodies that attract each other.

use super::{Kernel, Twin, Way, checksum, ready};
use crate::noise::unit;

pub(super) const TWIN: Twin = Twin {
    name: "bodies",
    about: "moves bodies by the forces between all pairs of them, twice",
    size: 2_000,
    prepare: |n| {
        let body = |i: u64| Body {
            place: [unit(1, i), unit(2, i), unit(3, i)],
            speed: [0.0; 3],
            mass: unit(4, i) + 1.5,
        };
        ready(Bodies((0..n as u64).map(body).collect()))
    },
};

struct Bodies(Vec<Body>);

#[derive(Clone, Copy)]
struct Body {
    place: [f64; 3],
    speed: [f64; 3],
    mass: f64,
}

/// Returns the body after a step in which all bodies attract it.
fn moved(body: &Body, all: &[Body]) -> Body {
    let [mut ax, mut ay, mut az] = [0.0; 3];
    for other in all {
        let dx = other.place[0] - body.place[0];
        let dy = other.place[1] - body.place[1];
        let dz = other.place[2] - body.place[2];
        let r2 = dx * dx + dy * dy + dz * dz + 0.01;
        let force = other.mass / (r2 * r2.sqrt());
        ax += dx * force;
        ay += dy * force;
        az += dz * force;
    }
    let a = [ax, ay, az];
    let speed = std::array::from_fn(|k| body.speed[k] + 0.001 * a[k]);
    Body {
        place: std::array::from_fn(|k| body.place[k] + 0.001 * speed[k]),
        speed,
        mass: body.mass,
    }
}

impl Kernel for Bodies {
    type Out = Vec<Body>;

    fn run<W: Way>(&self, way: W) -> Vec<Body> {
        let step = |all: &[Body]| way.tabulate(all.len(), |i| moved(&all[i], all));
        step(&step(&self.0))
    }

    fn checksum(&self, out: &Vec<Body>) -> u64 {
        checksum(out.iter().map(|body| {
            let bits = body.place.map(f64::to_bits);
            bits.iter()
                .fold(0, |sum: u64, bits| sum.wrapping_add(*bits))
        }))
    }
}
