//! A Fourier transform of complex numbers that are divided among all places:
//! `HEIST_PLACES=4 cargo run --release -p heist-places --example fft -- 20`
//!
//! The argument is the binary logarithm of the number of items. The algorithm has six steps (Bailey, FFTs in External or Hierarchical
//! Memory, 1990). The numbers form a matrix, which is stored row after row. The places transpose the matrix, transform its rows, multiply
//! each number by a root of unity, transpose again, transform the rows again, and transpose the result into the usual order. Only the
//! transpositions exchange data.
//!
//! The program checks the result: it compares some frequencies with the sums that define them, and checks the energy and the inverse
//! transform.

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};
use std::time::Instant;

use heist::par::{Indexed, Par, ToPar, ToParMut};
use heist_places::{PlaceArray, PlaceError, World};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Complex {
    /// Returns `e^(-2 pi i k / n)`, a power of the root of unity.
    pub(crate) fn root(k: usize, n: usize) -> Self {
        let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
        Complex { re: cos, im: -sin }
    }

    pub(crate) fn norm_squared(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    fn conjugate(self) -> Self {
        let Complex { re, im } = self;
        Complex { re, im: -im }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// A matrix whose rows are divided among the places.
pub(crate) type Matrix = PlaceArray<Vec<Complex>>;

/// Transforms a row in place, recursively by halves. The length `n` of the row must be a power of two, and `roots` must have the first `n
/// / 2` powers of the root of unity.
fn transform_row(row: &mut [Complex], roots: &[Complex]) {
    let n = row.len();
    if n < 2 {
        return;
    }
    let unused = usize::BITS - n.trailing_zeros();
    for at in 0..n {
        let reversed = at.reverse_bits() >> unused;
        if at < reversed {
            row.swap(at, reversed);
        }
    }
    let mut half = 1;
    while half < n {
        for pair in row.chunks_exact_mut(2 * half) {
            let (even, odd) = pair.split_at_mut(half);
            let roots = roots.iter().step_by(n / (2 * half));
            for ((even, odd), root) in even.iter_mut().zip(odd).zip(roots) {
                let turned = *odd * *root;
                (*even, *odd) = (*even + turned, *even - turned);
            }
        }
        half *= 2;
    }
}

/// Transforms all rows of this place, in parallel.
fn transform_rows(matrix: &mut Matrix, columns: usize) {
    let roots: Vec<Complex> = (0..columns / 2)
        .map(|k| Complex::root(k, columns))
        .collect();
    let rows = matrix.block_mut().par_mut();
    rows.for_each(|row| transform_row(row, &roots));
}

/// Transforms a matrix of numbers, row after row. The result has as many rows as the argument has columns, so its numbers are in the
/// usual order. The numbers of rows and columns must be powers of two.
///
/// With r rows and c columns, number `a * c + b` is at row a and column b, and frequency `f * r + e` of the result is at row f and
/// column e. Let w, v and u be the roots of unity of the whole matrix, of a row and of a column. Then the frequency is the sum over b of
/// `w^(b e) v^(b f)` times the sum over a of `u^(a e)` times the number.
pub(crate) fn transform(
    world: &World,
    matrix: Matrix,
    columns: usize,
) -> Result<Matrix, PlaceError> {
    let rows = matrix.len();
    assert!(rows.is_power_of_two() && columns.is_power_of_two());
    let mut matrix = matrix.transpose(world, columns)?;
    transform_rows(&mut matrix, rows);
    let first = matrix.range().start;
    let block = matrix.block_mut().par_mut().enumerate();
    block.for_each(|(index, row)| {
        for (e, number) in row.iter_mut().enumerate() {
            *number = *number * Complex::root((first + index) * e, rows * columns);
        }
    });
    let mut matrix = matrix.transpose(world, rows)?;
    transform_rows(&mut matrix, columns);
    matrix.transpose(world, columns)
}

/// Computes the inverse of [`transform`].
pub(crate) fn inverse(
    world: &World,
    mut matrix: Matrix,
    columns: usize,
) -> Result<Matrix, PlaceError> {
    let scale = 1.0 / (matrix.len() * columns) as f64;
    map(&mut matrix, |number| number.conjugate());
    let mut matrix = transform(world, matrix, columns)?;
    map(&mut matrix, |number| Complex {
        re: number.re * scale,
        im: -number.im * scale,
    });
    Ok(matrix)
}

fn map(matrix: &mut Matrix, change: impl Fn(Complex) -> Complex + Sync) {
    matrix.block_mut().par_mut().for_each(|row| {
        row.iter_mut().for_each(|number| *number = change(*number));
    });
}

/// Creates a matrix of noise, which does not depend on the number of places.
pub(crate) fn noise(world: &World, rows: usize, columns: usize) -> Matrix {
    let unit = |seed: usize| {
        // The mixer of SplitMix64.
        let mut bits = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    PlaceArray::new(world, rows, |row| {
        let numbers = row * columns..(row + 1) * columns;
        let number = |at| Complex {
            re: unit(2 * at),
            im: unit(2 * at + 1),
        };
        numbers.map(number).collect()
    })
}

/// Calls a function with each row and its index, at all places, and returns the sum of the function's results.
fn sum(
    world: &World,
    matrix: &Matrix,
    of_row: impl Fn(usize, &[Complex]) -> Complex + Sync,
) -> Result<Complex, PlaceError> {
    let first = matrix.range().start;
    let rows = matrix.block().par().enumerate();
    let own = rows
        .map(|(index, row)| of_row(first + index, row))
        .reduce(Complex::default, Complex::add);
    world.reduce(own, Complex::add).wait()
}

/// The largest errors, relative to the typical size of a number.
#[derive(Debug)]
pub(crate) struct Errors {
    /// The error of frequencies, compared with the sums that define them.
    pub(crate) direct: f64,
    /// The error of the energy, which the transform multiplies by the number of items.
    pub(crate) energy: f64,
    /// The error of the inverse transform.
    pub(crate) inverse: f64,
}

impl Errors {
    /// Returns the largest of the three errors.
    pub(crate) fn largest(&self) -> f64 {
        self.direct.max(self.energy).max(self.inverse)
    }
}

/// Compares `output` with the transform of `input`, a matrix with `columns` columns.
pub(crate) fn check(
    world: &World,
    input: &Matrix,
    columns: usize,
    output: &Matrix,
) -> Result<Errors, PlaceError> {
    let rows = input.len();
    let n = rows * columns;
    let energy = |_: usize, row: &[Complex]| Complex {
        re: row.iter().map(|number| number.norm_squared()).sum(),
        im: 0.0,
    };
    let (before, after) = (
        sum(world, input, energy)?.re,
        sum(world, output, energy)?.re,
    );
    // The typical size of a frequency is the square root of the energy of all numbers.
    let mut direct = 0.0_f64;
    for frequency in [0, 1, 2, n / 2, n / 3, n / 7 * 5, n - 1].map(|k| k % n) {
        let expected = sum(world, input, |row, numbers| {
            let terms = numbers.iter().enumerate().map(|(column, number)| {
                // The product wraps around 2^64, of which n is a divisor.
                let at = (row * columns + column).wrapping_mul(frequency) % n;
                *number * Complex::root(at, n)
            });
            terms.fold(Complex::default(), Complex::add)
        })?;
        let (at_row, at_column) = (frequency / rows, frequency % rows);
        let found = sum(world, output, |row, numbers| {
            if row == at_row {
                numbers[at_column]
            } else {
                Complex::default()
            }
        })?;
        direct = direct.max(((found - expected).norm_squared() / before).sqrt());
    }
    let back = inverse(world, output.clone(), rows)?;
    let difference = |(one, other): (&Vec<Complex>, &Vec<Complex>)| {
        let errors = one
            .iter()
            .zip(other)
            .map(|(one, other)| (*one - *other).norm_squared());
        errors.fold(0.0, f64::max)
    };
    let own = back.block().par().zip(input.block().par()).map(difference);
    let largest = world
        .reduce(own.reduce(|| 0.0, f64::max), f64::max)
        .wait()?;
    Ok(Errors {
        direct,
        energy: (after / (before * n as f64) - 1.0).abs(),
        inverse: (largest / (before / n as f64)).sqrt(),
    })
}

/// Transforms noise of `2^bits` numbers, and checks the result. At place 0, returns a line that describes the result.
pub(crate) fn run(world: &World, bits: u32) -> Result<Option<String>, PlaceError> {
    let (rows, columns) = (1 << (bits / 2), 1 << bits.div_ceil(2));
    let input = noise(world, rows, columns);
    world.barrier().wait()?;
    let begin = Instant::now();
    let output = transform(world, input.clone(), columns)?;
    world.barrier().wait()?;
    let elapsed = begin.elapsed();
    let errors = check(world, &input, columns, &output)?;
    assert!(errors.largest() < 1e-12, "{errors:?}");
    Ok((world.here() == 0).then(|| {
        format!(
            "2^{bits} numbers over {} places in {elapsed:.1?}: errors {:.1e} at some frequencies, {:.1e} in the energy, {:.1e} after the inverse",
            world.places(),
            errors.direct,
            errors.energy,
            errors.inverse
        )
    }))
}

pub(crate) fn main() -> Result<(), PlaceError> {
    let bits = std::env::args().nth(1);
    let bits = bits.map_or(20, |text| text.parse().expect("a number of bits"));
    heist_places::run(|world| {
        if let Some(line) = run(&world, bits)? {
            println!("{line}");
        }
        Ok(())
    })?
}
