//! Square matrices as quadtrees of tiles. Each quadrant is a slice, so the recursion needs no pointers.

use crate::ctx::Ctx;

/// The side of a tile. Cilk's programs stop forking at the same size.
pub(crate) const SIDE: usize = 16;

/// A leaf of a quadtree, as an array of rows.
pub(crate) type Tile = [[f64; SIDE]; SIDE];

/// A matrix of `n` by `n`, where `n` is `SIDE` times a power of two.
#[derive(Clone)]
pub(crate) struct Quad {
    pub(crate) n: usize,
    pub(crate) tiles: Vec<Tile>,
}

impl Quad {
    pub(crate) fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Quad {
        debug_assert!(n >= SIDE && n.is_power_of_two());
        let mut quad = Quad {
            n,
            tiles: vec![[[0.0; SIDE]; SIDE]; (n / SIDE) * (n / SIDE)],
        };
        for i in 0..n {
            for j in 0..n {
                *quad.entry(i, j) = entry(i, j);
            }
        }
        quad
    }

    pub(crate) fn entry(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.tiles[place(i / SIDE, j / SIDE)][i % SIDE][j % SIDE]
    }

    pub(crate) fn get(&self, i: usize, j: usize) -> f64 {
        self.tiles[place(i / SIDE, j / SIDE)][i % SIDE][j % SIDE]
    }

    /// Returns the product of the matrix and a vector. Entries for which `keep` returns false count as 0.
    pub(crate) fn times(&self, x: &[f64], keep: impl Fn(usize, usize) -> bool) -> Vec<f64> {
        let row = |i| {
            (0..self.n)
                .filter(|&j| keep(i, j))
                .map(|j| self.get(i, j) * x[j])
                .sum()
        };
        (0..self.n).map(row).collect()
    }
}

/// Returns the index of a tile. The index consists of the interleaved bits of the tile's row and column, beginning with a bit of the row.
fn place(row: usize, column: usize) -> usize {
    let spread =
        |x: usize| (0..usize::BITS / 2).fold(0, |sum, bit| sum | (x >> bit & 1) << (2 * bit));
    spread(row) << 1 | spread(column)
}

/// Returns the quadrants: upper left, upper right, lower left, lower right.
#[inline]
pub(crate) fn quarters(tiles: &[Tile]) -> [&[Tile]; 4] {
    let (upper, lower) = tiles.split_at(tiles.len() / 2);
    let (a, b) = upper.split_at(upper.len() / 2);
    let (c, d) = lower.split_at(lower.len() / 2);
    [a, b, c, d]
}

/// Returns the quadrants as mutable slices.
#[inline]
pub(crate) fn quarters_mut(tiles: &mut [Tile]) -> [&mut [Tile]; 4] {
    let (upper, lower) = tiles.split_at_mut(tiles.len() / 2);
    let (a, b) = upper.split_at_mut(upper.len() / 2);
    let (c, d) = lower.split_at_mut(lower.len() / 2);
    [a, b, c, d]
}

/// Computes `c += a * b` or `c -= a * b`, like Cilk's version without temporaries. The function has two steps, each of which multiplies
/// four pairs of quadrants in parallel.
pub(crate) fn multiply<const SUBTRACT: bool, C: Ctx>(
    ctx: C,
    c: &mut [Tile],
    a: &[Tile],
    b: &[Tile],
) {
    if let [c] = c {
        return tile_multiply::<SUBTRACT>(c, &a[0], &b[0]);
    }
    let [c0, c1, c2, c3] = quarters_mut(c);
    let [a0, a1, a2, a3] = quarters(a);
    let [b0, b1, b2, b3] = quarters(b);
    ctx.join(
        |x| {
            x.join(
                |x| multiply::<SUBTRACT, C>(x, c0, a0, b0),
                |x| multiply::<SUBTRACT, C>(x, c1, a0, b1),
            );
        },
        |x| {
            x.join(
                |x| multiply::<SUBTRACT, C>(x, c2, a2, b0),
                |x| multiply::<SUBTRACT, C>(x, c3, a2, b1),
            );
        },
    );
    ctx.join(
        |x| {
            x.join(
                |x| multiply::<SUBTRACT, C>(x, c0, a1, b2),
                |x| multiply::<SUBTRACT, C>(x, c1, a1, b3),
            );
        },
        |x| {
            x.join(
                |x| multiply::<SUBTRACT, C>(x, c2, a3, b2),
                |x| multiply::<SUBTRACT, C>(x, c3, a3, b3),
            );
        },
    );
}

/// Multiplies two tiles. The function is not inlined, so that all contenders run the same machine code.
#[inline(never)]
fn tile_multiply<const SUBTRACT: bool>(c: &mut Tile, a: &Tile, b: &Tile) {
    for (row, factors) in c.iter_mut().zip(a) {
        let mut sum = *row;
        for (factor, other) in factors.iter().zip(b) {
            let factor = if SUBTRACT { -factor } else { *factor };
            for j in 0..SIDE {
                sum[j] += factor * other[j];
            }
        }
        *row = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Serial;

    #[test]
    fn quadrants_are_slices() {
        let quad = Quad::new(64, |i, j| (100 * i + j) as f64);
        let [a, b, c, d] = quarters(&quad.tiles);
        assert_eq!(
            [a[0][0][0], b[0][0][0], c[0][0][0], d[3][15][15]],
            [
                quad.get(0, 0),
                quad.get(0, 32),
                quad.get(32, 0),
                quad.get(63, 63)
            ]
        );
    }

    #[test]
    fn multiplies() {
        let n = 32;
        let a = Quad::new(n, |i, j| (i * 3 + j) as f64);
        let b = Quad::new(n, |i, j| (i + 2 * j) as f64 - 7.0);
        let mut c = Quad::new(n, |_, _| 1.0);
        multiply::<false, _>(Serial, &mut c.tiles, &a.tiles, &b.tiles);
        let entry = |i, j| (0..n).map(|k| a.get(i, k) * b.get(k, j)).sum::<f64>();
        for (i, j) in [(0, 0), (5, 20), (31, 1), (31, 31)] {
            assert_eq!(c.get(i, j), 1.0 + entry(i, j));
        }
        multiply::<true, _>(Serial, &mut c.tiles, &a.tiles, &b.tiles);
        assert!(
            c.tiles
                .as_flattened()
                .as_flattened()
                .iter()
                .all(|&x| x == 1.0)
        );
    }
}
