//! The scene and its colours.

use super::mesh::Mesh;
use super::vector::{Vector, along, cross, difference, dot, mirrored, unit};

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

/// The surface of an object.
#[derive(Clone, Copy, Debug)]
struct Matter {
    colour: Vector,
    /// The share of light that the surface reflects, from 0 to 1.
    mirror: f64,
}

#[derive(Clone, Copy, Debug)]
struct Sphere {
    centre: Vector,
    radius: f64,
    matter: Matter,
}

/// A scene: spheres and a mesh on a floor of squares, one lamp, and a sky.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    spheres: Vec<Sphere>,
    mesh: Mesh,
    floor: f64,
}

/// The first hit of a ray.
struct Hit {
    far: f64,
    normal: Vector,
    matter: Matter,
}

const MESH: Matter = Matter {
    colour: [0.80, 0.36, 0.14],
    mirror: 0.15,
};
const DARK: Matter = Matter {
    colour: [0.12, 0.20, 0.30],
    mirror: 0.10,
};
const LIGHT: Matter = Matter {
    colour: [0.85, 0.85, 0.80],
    mirror: 0.10,
};
const LAMP: Vector = [-30.0, 60.0, 50.0];
/// The brightness of a surface that only the sky lights.
const SHADE: f64 = 0.25;
/// The side of a square on the floor.
const SQUARE: f64 = 6.0;
const EYE: Vector = [-13.0, 16.0, 44.0];
const LOOKS_AT: Vector = [0.5, -1.5, 0.0];
/// Half of the side of the picture, for a picture at a distance of 1.
const WIDTH: f64 = 0.42;
/// The maximum number of reflections of a ray.
const MIRRORS: u32 = 4;
/// The minimum distance of a hit. With a smaller minimum, a ray would hit the surface that it has just left.
const NEAREST: f64 = 1e-6;

impl Scene {
    /// Makes a scene of the mesh and spheres around it. The mesh should be at the origin, and about as large as a teapot of
    /// height 15 and width 32.
    pub(super) fn new(mesh: Mesh) -> Scene {
        let floor = mesh.least[1];
        let sphere = |x: f64, z: f64, radius: f64, colour, mirror| Sphere {
            centre: [x, floor + radius, z],
            radius,
            matter: Matter { colour, mirror },
        };
        Scene {
            spheres: vec![
                sphere(-16.0, -16.0, 9.0, [0.9, 0.9, 0.9], 0.8),
                sphere(17.0, -13.0, 6.0, [0.15, 0.45, 0.75], 0.3),
                sphere(-11.5, 12.5, 2.5, [0.20, 0.60, 0.25], 0.1),
                sphere(12.0, 12.0, 3.5, [0.9, 0.85, 0.6], 0.6),
            ],
            mesh,
            floor,
        }
    }

    /// Returns the number of triangles of the mesh.
    pub(super) fn triangles(&self) -> usize {
        self.mesh.triangles.len()
    }

    /// Returns the colour of a pixel of the picture, which has `side` rows and columns.
    pub(super) fn colour(&self, row: usize, column: usize, side: usize) -> Colour {
        let ahead = unit(difference(LOOKS_AT, EYE));
        let right = unit(cross(ahead, [0.0, 1.0, 0.0]));
        let up = cross(right, ahead);
        let place = |at: usize| WIDTH * ((2 * at + 1) as f64 / side as f64 - 1.0);
        let ray = along(ahead, place(column), right);
        let ray = along(ray, -place(row), up);
        let light = self.trace(EYE, unit(ray), MIRRORS);
        // Apply an approximation of the gamma curve of screens.
        light.map(|x| (255.0 * x.clamp(0.0, 1.0).sqrt()).round() as u8)
    }

    /// Returns the light that reaches `from` from the direction `to`.
    fn trace(&self, from: Vector, to: Vector, mirrors: u32) -> Vector {
        let Some(hit) = self.hit(from, to) else {
            let height = 0.5 + 0.5 * to[1];
            return [
                0.75 - 0.50 * height,
                0.82 - 0.37 * height,
                0.92 - 0.12 * height,
            ];
        };
        let at = along(from, hit.far, to);
        // The ray sees things from outside, so turn the normal towards the ray. The corners of a triangle may be in either order, so its
        // normal may have either direction.
        let normal = match dot(hit.normal, to) > 0.0 {
            true => hit.normal.map(|x| -x),
            false => hit.normal,
        };
        let away = difference(LAMP, at);
        let distance = dot(away, away).sqrt();
        let lamp = away.map(|x| x / distance);
        let mut lit = SHADE;
        let mut shine = 0.0;
        let slope = dot(normal, lamp);
        if slope > 0.0 && !self.hides(at, lamp, distance) {
            lit += (1.0 - SHADE) * slope;
            let glance = dot(mirrored(to, normal), lamp).max(0.0);
            shine = 0.5 * glance.powi(40);
        }
        let mut light = hit.matter.colour.map(|x| x * x * lit + shine);
        let mirror = hit.matter.mirror;
        if mirrors > 0 && mirror > 0.0 {
            let seen = self.trace(at, mirrored(to, normal), mirrors - 1);
            light = along(light.map(|x| x * (1.0 - mirror)), mirror, seen);
        }
        light
    }

    /// Returns the first hit of the ray.
    fn hit(&self, from: Vector, to: Vector) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        let nearer = |far: f64, best: &Option<Hit>| {
            far >= NEAREST && best.as_ref().is_none_or(|best| far < best.far)
        };
        let floor = (self.floor - from[1]) / to[1];
        if nearer(floor, &best) {
            let at = along(from, floor, to);
            let square = |x: f64| (x / SQUARE).floor() as i64;
            let even = (square(at[0]) + square(at[2])) % 2 == 0;
            best = Some(Hit {
                far: floor,
                normal: [0.0, 1.0, 0.0],
                matter: if even { LIGHT } else { DARK },
            });
        }
        for sphere in &self.spheres {
            if let Some(far) = sphere.hit(from, to)
                && nearer(far, &best)
            {
                let normal = difference(along(from, far, to), sphere.centre);
                best = Some(Hit {
                    far,
                    normal: unit(normal),
                    matter: sphere.matter,
                });
            }
        }
        let most = best.as_ref().map_or(f64::INFINITY, |best| best.far);
        if let Some((far, normal)) = self.mesh.hit(from, to, NEAREST, most) {
            best = Some(Hit {
                far,
                normal,
                matter: MESH,
            });
        }
        best
    }

    /// Returns true if the ray hits a surface at a distance below `distance`.
    fn hides(&self, from: Vector, to: Vector, distance: f64) -> bool {
        let hides = |sphere: &Sphere| sphere.hit(from, to).is_some_and(|far| far < distance);
        self.spheres.iter().any(hides) || self.mesh.hides(from, to, NEAREST, distance)
    }
}

impl Sphere {
    /// Returns the distance of the first hit along the ray.
    fn hit(&self, from: Vector, to: Vector) -> Option<f64> {
        let away = difference(from, self.centre);
        let half = dot(away, to);
        let square = half * half - (dot(away, away) - self.radius * self.radius);
        if square < 0.0 {
            return None;
        }
        let root = square.sqrt();
        [-half - root, -half + root]
            .into_iter()
            .find(|&far| far >= NEAREST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_are_hit_from_outside_and_inside() {
        let sphere = Sphere {
            centre: [0.0, 0.0, 5.0],
            radius: 2.0,
            matter: MESH,
        };
        let ahead = [0.0, 0.0, 1.0];
        assert_eq!(sphere.hit([0.0; 3], ahead), Some(3.0));
        assert_eq!(sphere.hit([0.0, 0.0, 5.0], ahead), Some(2.0));
        assert_eq!(sphere.hit([0.0, 0.0, 8.0], ahead), None);
        assert_eq!(sphere.hit([3.0, 0.0, 0.0], ahead), None);
    }
}
