mod plot;

use heist::par::prelude::*;
use plot::{Chart, linear};

const COLUMNS: usize = 90; // of 5 mm
const ROWS: usize = 50;
const STEPS: usize = 667; // of 45 ms: a fifth of (5 mm)² by copper's 1.11 cm²/s

/// The next state of a row, computed from the row, the one above and the one below, as they were a step ago.
fn row(next: &mut [f64], above: &[f64], here: &[f64], below: &[f64]) {
    for x in 1..COLUMNS - 1 {
        next[x] = 0.2 * (above[x] + below[x] + here[x - 1] + here[x] + here[x + 1]);
    }
}

fn serial(next: &mut [f64], plate: &[f64]) {
    let inner = next[COLUMNS..].chunks_mut(COLUMNS);
    let above = plate.chunks(COLUMNS);
    let here = plate[COLUMNS..].chunks(COLUMNS);
    let below = plate[2 * COLUMNS..].chunks(COLUMNS);
    for (((next, above), here), below) in inner.zip(above).zip(here).zip(below) {
        row(next, above, here, below);
    }
}

fn parallel(next: &mut [f64], plate: &[f64]) {
    let inner = next[COLUMNS..].par_chunks_mut(COLUMNS);
    let above = plate.par_chunks(COLUMNS);
    let here = plate[COLUMNS..].par_chunks(COLUMNS);
    let below = plate[2 * COLUMNS..].par_chunks(COLUMNS);
    let rows = (inner, above, here, below).into_par();
    rows.for_each(|(next, above, here, below)| row(next, above, here, below));
}

fn heated(step: fn(&mut [f64], &[f64])) -> Vec<f64> {
    let mut plate = vec![0.0; COLUMNS * ROWS];
    plate[COLUMNS * (ROWS - 1)..][30..60].fill(100.0);
    let mut next = plate.clone();
    for _ in 0..STEPS {
        step(&mut next, &plate);
        std::mem::swap(&mut plate, &mut next);
    }
    plate
}

fn main() -> std::io::Result<()> {
    let plate = heated(parallel);
    assert_eq!(plate, heated(serial)); // to the bit: no sum goes across rows
    // Warmer towards the source, everywhere.
    let middle: Vec<f64> = plate.iter().skip(45).step_by(COLUMNS).copied().collect();
    assert!(middle.par_windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(middle[0] == 0.0 && middle[25] < 20.0 && middle[ROWS - 2] > 90.0);

    let shades = |row: &[f64]| row.iter().map(|warm| warm / 100.0).collect();
    let shades: Vec<Vec<f64>> = plate.par_chunks(COLUMNS).map(shades).collect();
    Chart::new(
        "A copper plate after 30 s: 0 °C is black, 100 °C bright yellow",
        linear("cm", 0.0..45.0),
        linear("cm", 0.0..25.0),
    )
    .image(&shades)
    .save("heat.svg")?;
    Ok(())
}
