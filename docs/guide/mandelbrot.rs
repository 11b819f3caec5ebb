mod plot;

use heist::par::prelude::*;
use plot::{Chart, linear};

const COLUMNS: u32 = 180;
const ROWS: u32 = 96;
const MOST: u32 = 200;

fn steps(column: u32, row: u32) -> u32 {
    let c_re = -2.25 + 3.25 * (f64::from(column) + 0.5) / f64::from(COLUMNS);
    let c_im = 0.9 - 1.8 * (f64::from(row) + 0.5) / f64::from(ROWS);
    let (mut re, mut im) = (0.0, 0.0);
    for step in 0..MOST {
        if re * re + im * im > 4.0 {
            return step;
        }
        (re, im) = (re * re - im * im + c_re, 2.0 * re * im + c_im);
    }
    MOST
}

fn serial() -> Vec<Vec<u32>> {
    let row = |row| (0..COLUMNS).map(|column| steps(column, row)).collect();
    (0..ROWS).map(row).collect()
}

fn parallel() -> Vec<Vec<u32>> {
    let row = |row| (0..COLUMNS).par().map(|column| steps(column, row)).collect();
    (0..ROWS).par().map(row).collect()
}

fn main() -> std::io::Result<()> {
    let picture = parallel();
    assert_eq!(picture, serial());
    let work: Vec<u32> = picture.par().map(|row| row.iter().sum()).collect();
    let (least, most) = (work.iter().min().unwrap(), work.iter().max().unwrap());
    assert!(most / least >= 20, "{least} and {most}");

    // Bright is slow; but the set itself is black.
    let shade = |&steps: &u32| match steps {
        MOST => 0.0,
        steps => (f64::from(steps) / 40.0).sqrt().min(1.0),
    };
    let shades: Vec<Vec<f64>> = picture.par().map(|row| row.iter().map(shade).collect()).collect();
    Chart::new(
        "Steps until |z| exceeds 2: violet is few, yellow many",
        linear("real part of c", -2.25..1.0),
        linear("imaginary part of c", -0.9..0.9),
    )
    .image(&shades)
    .save("mandelbrot.svg")?;
    Ok(())
}
