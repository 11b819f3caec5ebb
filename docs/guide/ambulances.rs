mod plot;

use heist::par::prelude::*;
use plot::{COLOURS, Chart, linear};

type Point = (f64, f64);
type Places = [Point; 5];
/// For each place, the sum and the number of the calls nearest to it.
type Sums = [(f64, f64, u32); 5];
const NONE: Sums = [(0.0, 0.0, 0); 5];

/// The `i`th random number, as in `pi.rs`.
fn random(i: u64) -> f64 {
    let mut z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn nearest(places: &Places, call: Point) -> usize {
    let distance = |place: &Point| (place.0 - call.0).powi(2) + (place.1 - call.1).powi(2);
    let distances = places.map(|place| distance(&place));
    (0..5).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap()
}

fn add(mut sums: Sums, call: Point, places: &Places) -> Sums {
    let (x, y, count) = &mut sums[nearest(places, call)];
    (*x, *y, *count) = (*x + call.0, *y + call.1, *count + 1);
    sums
}

fn serial(calls: &[Point], places: &Places) -> Sums {
    calls.iter().fold(NONE, |sums, &call| add(sums, call, places))
}

fn parallel(calls: &[Point], places: &Places) -> Sums {
    let plus = |a: (f64, f64, u32), b: (f64, f64, u32)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
    let both = |a: Sums, b: Sums| std::array::from_fn(|i| plus(a[i], b[i]));
    calls.par().fold_reduce(|| NONE, |sums, &call| add(sums, call, places), both)
}

/// All steps, from the first places until no place moves any more.
fn settle(sums: fn(&[Point], &Places) -> Sums, calls: &[Point], first: Places) -> Vec<Places> {
    let mut steps = vec![first];
    loop {
        let last = steps.last().unwrap();
        let next = sums(calls, last).map(|(x, y, count)| (x / f64::from(count), y / f64::from(count)));
        if next == *last {
            return steps;
        }
        steps.push(next);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Calls come from five quarters of a town. Sums of random numbers are nearly normal.
    let quarters = [(3.0, 2.5), (9.0, 2.0), (6.0, 5.0), (2.5, 7.5), (10.0, 8.0)];
    let call = |i: u64| {
        let off_by = |from: u64| (from..from + 6).map(|j| random(12 * i + j) - 0.5).sum::<f64>();
        let quarter = quarters[i as usize % 5];
        (quarter.0 + off_by(0), quarter.1 + off_by(6))
    };
    let calls: Vec<Point> = (0..20_000).par().map(call).collect();

    let first = [(5.5, 5.5), (6.0, 5.5), (6.5, 5.5), (6.0, 6.0), (6.0, 5.0)];
    let steps = settle(parallel, &calls, first);
    let places = *steps.last().unwrap();
    for (ours, theirs) in places.iter().zip(settle(serial, &calls, first).last().unwrap()) {
        assert!((ours.0 - theirs.0).abs() + (ours.1 - theirs.1).abs() < 1e-9);
    }
    for place in places {
        let near = |quarter: &Point| (quarter.0 - place.0).hypot(quarter.1 - place.1) < 0.2;
        assert_eq!(quarters.iter().filter(|quarter| near(quarter)).count(), 1);
    }
    // As many steps, and the same ones, on any number of workers.
    for workers in [1, 2, 8] {
        let pool = heist::Pool::new(workers)?;
        assert_eq!(pool.install(|| settle(parallel, &calls, first)), steps);
    }

    let title = format!("20 000 calls (one in 49 shown), and five places after {} steps", steps.len() - 1);
    let mut chart = Chart::new(
        &title,
        linear("km to the east", 0.0..13.0),
        linear("km to the north", 0.0..11.0),
    );
    for (i, colour) in COLOURS.iter().enumerate() {
        let shown = calls.iter().step_by(49).copied();
        let path = steps.iter().map(|places| places[i]);
        chart = chart
            .dots(colour, 2.0, shown.filter(|&call| nearest(&places, call) == i))
            .line("#000", path)
            .dots("#000", 5.0, [places[i]]);
    }
    chart.save("ambulances.svg")?;
    Ok(())
}
