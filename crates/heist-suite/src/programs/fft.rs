//! The fast Fourier transform of Cooley and Tukey.

use std::f64::consts::PI;
use std::sync::OnceLock;

use crate::bounds::{near, power_of_two};
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::{Ctx, Serial};
use crate::data::Data;
use crate::noise::unit;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "fft",
    about: "the Fourier transform of n complex numbers by halves, serial below 32 points",
    source: "Kumar et al., Friendly Barriers (VEE 2014), section 3.1: FFT of 1024 x 1024 points, from Cilk",
    contenders: Contender::JOINS,
    prepare,
};

/// The maximum number of points of a transform that does not fork, as in Cilk.
const LEAF: usize = 32;
/// The number of butterflies in one leaf.
const BUTTERFLIES: usize = 128;

/// A complex number: its real and its imaginary part.
type Complex = [f64; 2];

#[inline(always)]
fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

/// Transforms every `stride`-th number of `input` into `out`. `roots[k]` is the k-th power of the root of unity that belongs to the whole
/// transform.
fn transform<C: Ctx>(
    ctx: C,
    input: &[Complex],
    stride: usize,
    out: &mut [Complex],
    roots: &[Complex],
) {
    match out {
        [] => {}
        [one] => *one = input[0],
        [a, b] => {
            let (x, y) = (input[0], input[stride]);
            *a = [x[0] + y[0], x[1] + y[1]];
            *b = [x[0] - y[0], x[1] - y[1]];
        }
        _ => {
            let (even, odd) = out.split_at_mut(out.len() / 2);
            if 2 * even.len() <= LEAF {
                transform(Serial, input, 2 * stride, even, roots);
                transform(Serial, &input[stride..], 2 * stride, odd, roots);
                return butterfly(stride, 0, even, odd, roots);
            }
            ctx.join(
                |c| transform(c, input, 2 * stride, even, roots),
                |c| transform(c, &input[stride..], 2 * stride, odd, roots),
            );
            butterflies(ctx, stride, 0, even, odd, roots);
        }
    }
}

/// Combines parts of two transforms in place. Both parts begin at index `first` of their transforms.
fn butterflies<C: Ctx>(
    ctx: C,
    stride: usize,
    first: usize,
    even: &mut [Complex],
    odd: &mut [Complex],
    roots: &[Complex],
) {
    if even.len() <= BUTTERFLIES {
        return butterfly(stride, first, even, odd, roots);
    }
    let middle = even.len() / 2;
    let (even0, even1) = even.split_at_mut(middle);
    let (odd0, odd1) = odd.split_at_mut(middle);
    ctx.join(
        |c| butterflies(c, stride, first, even0, odd0, roots),
        |c| butterflies(c, stride, first + middle, even1, odd1, roots),
    );
}

fn butterfly(
    stride: usize,
    first: usize,
    even: &mut [Complex],
    odd: &mut [Complex],
    roots: &[Complex],
) {
    let roots = roots[first * stride..].iter().step_by(stride);
    for ((x, y), root) in even.iter_mut().zip(odd).zip(roots) {
        let t = times(*root, *y);
        *y = [x[0] - t[0], x[1] - t[1]];
        *x = [x[0] + t[0], x[1] + t[1]];
    }
}

/// Computes the same transform for the check, by the iterative algorithm, in place and with roots of its own.
fn reference(mut data: Vec<Complex>) -> Vec<Complex> {
    let n = data.len();
    for i in 0..n {
        let j = if n == 1 {
            0
        } else {
            i.reverse_bits() >> (usize::BITS - n.trailing_zeros())
        };
        if i < j {
            data.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (sin, cos) = (-PI * k as f64 / half as f64).sin_cos();
            for block in (0..n).step_by(2 * half) {
                let ([a, b], y) = (data[block + k], data[block + k + half]);
                let [c, d] = [cos * y[0] - sin * y[1], cos * y[1] + sin * y[0]];
                data[block + k] = [a + c, b + d];
                data[block + k + half] = [a - c, b - d];
            }
        }
        half *= 2;
    }
    data
}

struct Run<'a> {
    input: &'a [Complex],
    out: &'a mut [Complex],
    roots: &'a [Complex],
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        transform(ctx, self.input, 1, self.out, self.roots);
    }
}

struct Fft {
    input: Vec<Complex>,
    roots: Vec<Complex>,
    out: Vec<Complex>,
    expected: Vec<Complex>,
    forks: OnceLock<u64>,
}

impl Fft {
    fn new(n: usize) -> Fft {
        let input: Vec<Complex> = (0..n as u64).map(|i| [unit(6, i), unit(7, i)]).collect();
        let root = |k| {
            let (sin, cos) = (-2.0 * PI * k as f64 / n as f64).sin_cos();
            [cos, sin]
        };
        let roots = (0..n / 2).map(root).collect();
        let expected = reference(input.clone());
        Fft {
            input,
            roots,
            out: vec![[0.0; 2]; n],
            expected,
            forks: OnceLock::new(),
        }
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Fft::new(power_of_two(
        "the number of points",
        size.pick(1 << 18, 1 << 20),
        2 * LEAF as u64..=1 << 24,
    )?)))
}

impl Instance for Fft {
    fn params(&self) -> String {
        format!("points={}", self.input.len())
    }

    fn reset(&mut self) {
        self.out.fill([0.0; 2]);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                input: &self.input,
                out: &mut self.out,
                roots: &self.roots,
            },
        );
    }

    fn check(&mut self) -> Result<(), String> {
        // The magnitude of the numbers is about the square root of their count.
        let tolerance = 1e-12 * (self.out.len() as f64).sqrt() * (self.out.len() as f64).log2();
        let wrong = |(is, must): (&Complex, &Complex)| {
            !(0..2).all(|part| near(is[part], must[part], tolerance))
        };
        match self.out.iter().zip(&self.expected).position(wrong) {
            None => Ok(()),
            Some(k) => Err(format!(
                "frequency {k} is {:?} instead of {:?}",
                self.out[k], self.expected[k]
            )),
        }
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            forks_of(Run {
                input: &self.input,
                out: &mut self.out.clone(),
                roots: &self.roots,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_finds_a_tone() {
        let n = 64;
        let tone = (0..n).map(|i| {
            let (sin, cos) = (2.0 * PI * 5.0 * i as f64 / n as f64).sin_cos();
            [cos, sin]
        });
        for (k, x) in reference(tone.collect()).into_iter().enumerate() {
            let must = if k == 5 { n as f64 } else { 0.0 };
            assert!(
                (x[0] - must).abs() < 1e-12 && x[1].abs() < 1e-12,
                "{k}: {x:?}"
            );
        }
    }

    #[test]
    fn a_wrong_number_fails() {
        let mut fft = Fft::new(256);
        assert!(fft.check().is_err());
        fft.run(Contender::Serial, &Runner::new(1).unwrap());
        fft.check().unwrap();
        fft.out[200][1] += 1e-8;
        assert!(fft.check().unwrap_err().starts_with("frequency 200 "));
        fft.out[200][1] = f64::NAN;
        assert!(fft.check().is_err());
    }
}
