//! Meshes of triangles.

use super::vector::{Vector, along, cross, difference, dot, unit};
use crate::data::Source;

/// The maximum number of corners, and the maximum number of triangles.
const MOST: usize = 1 << 24;

/// A triangle: a corner, the vectors from this corner to the two other corners, and the normals at all three corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    corner: Vector,
    edges: [Vector; 2],
    normals: [Vector; 3],
}

/// Triangles, and the box around all of them.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    pub(super) triangles: Vec<Triangle>,
    pub(super) least: Vector,
    pub(super) most: Vector,
}

impl Triangle {
    /// Returns the distance along the ray at which the ray hits the triangle, and the two coordinates of the hit on the triangle. Uses
    /// the algorithm of Möller and Trumbore, *Fast, minimum storage ray-triangle intersection*, Journal of Graphics Tools 2(1), 1997.
    fn hit(&self, from: Vector, to: Vector) -> Option<(f64, f64, f64)> {
        let p = cross(to, self.edges[1]);
        let scale = dot(self.edges[0], p);
        if scale.abs() < 1e-12 {
            return None;
        }
        let away = difference(from, self.corner);
        let u = dot(away, p) / scale;
        if !(0.0..=1.0).contains(&u) {
            return None;
        }
        let q = cross(away, self.edges[0]);
        let v = dot(to, q) / scale;
        if v < 0.0 || u + v > 1.0 {
            return None;
        }
        Some((dot(self.edges[1], q) / scale, u, v))
    }

    /// Returns the normal at a point of the triangle. The result is the normal of the smooth surface that the triangles approximate.
    fn normal(&self, u: f64, v: f64) -> Vector {
        let normal = self.normals[0].map(|x| x * (1.0 - u - v));
        let normal = along(normal, u, self.normals[1]);
        unit(along(normal, v, self.normals[2]))
    }
}

impl Mesh {
    /// Returns true if the ray meets the box at a distance below `within`.
    fn is_near(&self, from: Vector, to: Vector, within: f64) -> bool {
        let (mut enters, mut leaves) = (0.0_f64, within);
        for axis in 0..3 {
            let at = |plane: f64| (plane - from[axis]) / to[axis];
            let (a, b) = (at(self.least[axis]), at(self.most[axis]));
            enters = enters.max(a.min(b));
            leaves = leaves.min(a.max(b));
        }
        enters <= leaves
    }

    /// Returns the distance of the nearest hit, and the normal at this point. The function ignores hits at distances below `least`, and
    /// hits at a distance of `most` or more.
    pub(super) fn hit(
        &self,
        from: Vector,
        to: Vector,
        least: f64,
        most: f64,
    ) -> Option<(f64, Vector)> {
        if !self.is_near(from, to, most) {
            return None;
        }
        let mut best = None;
        let mut nearest = most;
        for triangle in &self.triangles {
            if let Some((far, u, v)) = triangle.hit(from, to)
                && far >= least
                && far < nearest
            {
                nearest = far;
                best = Some((triangle, u, v));
            }
        }
        best.map(|(triangle, u, v)| (nearest, triangle.normal(u, v)))
    }

    /// Returns true if the ray hits a triangle at a distance of at least `least` and less than `most`.
    pub(super) fn hides(&self, from: Vector, to: Vector, least: f64, most: f64) -> bool {
        let hit = |triangle: &Triangle| {
            let hit = triangle.hit(from, to);
            hit.is_some_and(|(far, _, _)| far >= least && far < most)
        };
        self.is_near(from, to, most) && self.triangles.iter().any(hit)
    }

    /// Reads the lines `v x y z` and `f a b c` of Wavefront's format `.obj`, and ignores all other lines. A face with more corners
    /// becomes a fan of triangles. The function ignores text after a `/`.
    pub(super) fn read(source: &Source) -> Result<Mesh, String> {
        let mut corners: Vec<Vector> = Vec::new();
        let mut faces: Vec<[usize; 3]> = Vec::new();
        for (line, text) in source.lines() {
            let mut fields = text.split_whitespace();
            match fields.next() {
                Some("v") => corners.push(corner(fields).map_err(|is| source.wrong(line, is))?),
                Some("f") => {
                    let face: Result<Vec<usize>, String> =
                        fields.map(|field| number(field, corners.len())).collect();
                    let face = face.map_err(|is| source.wrong(line, is))?;
                    let [first, rest @ ..] = &face[..] else {
                        return Err(source.wrong(line, "a face without corners"));
                    };
                    faces.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
                }
                _ => {}
            }
            if corners.len().max(faces.len()) > MOST {
                return Err(source.wrong(line, format_args!("more than {MOST}")));
            }
        }
        Ok(Mesh::new(&corners, &faces))
    }

    fn new(corners: &[Vector], faces: &[[usize; 3]]) -> Mesh {
        let edges = |face: &[usize; 3]| {
            let [a, b, c] = face.map(|corner| corners[corner]);
            [difference(b, a), difference(c, a)]
        };
        // The normal at a corner is the mean of the normals of its triangles, weighted by their areas.
        let mut normals = vec![[0.0; 3]; corners.len()];
        for face in faces {
            let [one, other] = edges(face);
            let normal = cross(one, other);
            for &corner in face {
                normals[corner] = along(normals[corner], 1.0, normal);
            }
        }
        let triangle = |face: &[usize; 3]| Triangle {
            corner: corners[face[0]],
            edges: edges(face),
            normals: face.map(|corner| unit(normals[corner])),
        };
        let all = |pick: fn(f64, f64) -> f64| {
            let pick = |a: Vector, b: &Vector| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
            corners
                .iter()
                .fold(corners.first().copied().unwrap_or_default(), pick)
        };
        Mesh {
            triangles: faces.iter().map(triangle).collect(),
            least: all(f64::min),
            most: all(f64::max),
        }
    }
}

fn corner<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Vector, String> {
    let numbers: Vec<f64> = fields
        .map(|field| match field.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(format!("'{field}' is no number")),
        })
        .collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z, ..] => Ok([x, y, z]),
        _ => Err(format!("{} numbers instead of 3", numbers.len())),
    }
}

/// Parses the number of a corner, and returns it counted from 0. `corners` is the number of corners that have been read.
fn number(field: &str, corners: usize) -> Result<usize, String> {
    let number = field.split('/').next().unwrap_or_default();
    match number.parse::<usize>() {
        Ok(number) if (1..=corners).contains(&number) => Ok(number - 1),
        _ => Err(format!("'{field}' is none of the {corners} corners above")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Mesh, String> {
        Mesh::read(&Source {
            name: "mesh".to_owned(),
            text: text.into(),
        })
    }

    #[test]
    fn a_square_is_hit_where_it_is() {
        let text = "# a square\nv 0 0 0\nv 2 0 0\nv 2 2 0 1.0\nv 0 2 0\nf 1/1 2/7 3 4\nvn 1 2 3\n";
        let mesh = read(text).unwrap();
        assert_eq!(mesh.triangles.len(), 2);
        assert_eq!((mesh.least, mesh.most), ([0.0; 3], [2.0, 2.0, 0.0]));
        let back = [0.0, 0.0, -1.0];
        for (x, y, hit) in [(0.5, 1.5, true), (1.5, 0.5, true), (2.5, 1.0, false)] {
            let from = [x, y, 3.0];
            let found = mesh.hit(from, back, 0.0, 10.0);
            assert_eq!(found, hit.then_some((3.0, [0.0, 0.0, 1.0])));
            assert_eq!(mesh.hides(from, back, 0.0, 10.0), hit);
            assert_eq!(mesh.hit(from, back, 0.0, 2.0), None);
            assert!(!mesh.hides(from, back, 3.5, 10.0));
        }
    }

    #[test]
    fn faults_of_a_file_are_named() {
        let fault = |text| read(text).unwrap_err();
        assert_eq!(fault("v 1 2\n"), "mesh, line 1: 2 numbers instead of 3");
        assert_eq!(fault("v 1 2 x\n"), "mesh, line 1: 'x' is no number");
        let far = "mesh, line 2: '2' is none of the 1 corners above";
        assert_eq!(fault("v 1 2 3\nf 1 1 2\n"), far);
        assert_eq!(
            fault("v 1 2 3\nf\n"),
            "mesh, line 2: a face without corners"
        );
        assert!(read("").unwrap().triangles.is_empty());
    }
}
