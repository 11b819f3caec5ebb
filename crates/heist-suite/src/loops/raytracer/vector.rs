//! Vectors in space.

pub(super) type Vector = [f64; 3];

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Returns `a + factor * b`.
pub(super) fn along(a: Vector, factor: f64, b: Vector) -> Vector {
    [
        a[0] + factor * b[0],
        a[1] + factor * b[1],
        a[2] + factor * b[2],
    ]
}

pub(super) fn difference(a: Vector, b: Vector) -> Vector {
    along(a, -1.0, b)
}

/// Returns the vector of length 1 in the same direction.
pub(super) fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// Returns the reflection of `a` in a mirror that is perpendicular to the unit vector `normal`.
pub(super) fn mirrored(a: Vector, normal: Vector) -> Vector {
    along(a, -2.0 * dot(a, normal), normal)
}
