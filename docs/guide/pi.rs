mod plot;

use heist::par::prelude::*;
use plot::{COLOURS, Chart, linear, log};
use std::f64::consts::PI;

const SAMPLES: u64 = 100_000;

/// The `i`th random number (splitmix64), a function of `i` alone.
fn random(i: u64) -> f64 {
    let mut z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn sample(i: u64) -> f64 {
    let x = random(i);
    4.0 * (1.0 - x * x).sqrt()
}

fn serial() -> Vec<f64> {
    let sums = (0..SAMPLES).map(sample).scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    sums.zip(1..).map(|(sum, n)| sum / f64::from(n)).collect()
}

fn parallel() -> Vec<f64> {
    let sums = (0..SAMPLES).par().map(sample).inclusive_scan(|left, right| left + right);
    sums.into_par().zip(1..=SAMPLES).map(|(sum, n)| sum / n as f64).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let estimates = parallel();
    for (ours, theirs) in estimates.iter().zip(serial()) {
        assert!((ours - theirs).abs() < 1e-12);
    }
    // The same to the bit on any number of workers.
    for workers in [1, 2, 8] {
        let pool = heist::Pool::new(workers)?;
        assert_eq!(pool.install(parallel), estimates);
    }

    let sigma = (32.0 / 3.0 - PI * PI).sqrt(); // of one sample
    assert!((estimates[99_999] - PI).abs() < 3.0 * sigma / 1e5_f64.sqrt());

    let number = |i| 10_f64.powf(1.0 + f64::from(i) / 100.0).round() as usize;
    let shown: Vec<usize> = (0..=400).map(number).collect();
    let line = |value: &dyn Fn(f64, usize) -> f64| {
        let points = shown.iter().map(|&n| (n as f64, value(2.0 * sigma / (n as f64).sqrt(), n)));
        points.collect::<Vec<_>>()
    };
    Chart::new(
        "An estimate of π from random numbers",
        log("random numbers", 10.0..100_000.0),
        linear("estimate", 2.5..3.8),
    )
    .line("#999", line(&|two_sigma, _| PI + two_sigma))
    .line("#999", line(&|two_sigma, _| PI - two_sigma))
    .line("#000", line(&|_, _| PI))
    .line(COLOURS[0], line(&|_, n| estimates[n - 1]))
    .name("#777", "π ± two standard errors")
    .name("#000", "π")
    .name(COLOURS[0], "estimate")
    .save("pi.svg")?;
    Ok(())
}
