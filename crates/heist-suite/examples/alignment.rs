//! Measures the cost of Smith and Waterman's table with a future for each cell, for cooperative and for blocking futures. Compares the cost
//! with the cost of a task for each cell, and of a task for each tile of 32 x 32 cells.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example alignment [-- LETTERS ...] [--check]
//! ```
//!
//! LETTERS is the length of the first sequence; by default it is the paper's 119. With `--check` the program fails if a figure is far from
//! its bar, which is its expected value. The tolerance is wide, because other programs may use the CPUs.

use heist_suite::cooperative::{Entrant, Input, Instance, Pools, programs};
use heist_suite::{Data, Size};
use std::time::Instant;

/// The number of rounds. The result of a measurement is the median of its rounds.
const ROUNDS: usize = 21;
/// The maximum number of measurements. The check passes if the figures of one measurement are near their bars.
const ATTEMPTS: usize = 3;

const CONTENDERS: [(&str, &str, Entrant); 7] = [
    (
        "a future a cell, async tasks",
        "smith-waterman-cells",
        Entrant::HeistAsync,
    ),
    (
        "a future a cell, fibers",
        "smith-waterman-cells",
        Entrant::HeistFiber,
    ),
    (
        "a future a cell, blocking",
        "smith-waterman-cells",
        Entrant::HeistBlocking,
    ),
    (
        "a future a cell, tokio",
        "smith-waterman-cells",
        Entrant::Tokio,
    ),
    (
        "a task a cell, async tasks",
        "smith-waterman-tasks",
        Entrant::HeistAsync,
    ),
    (
        "tiles of 32, async tasks",
        "smith-waterman",
        Entrant::HeistAsync,
    ),
    ("serial", "smith-waterman-cells", Entrant::Serial),
];
const ASYNC: usize = 0;
const BLOCKING: usize = 2;
const TILES: usize = 5;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let check = words.iter().any(|word| word == "--check");
    words.retain(|word| word != "--check");
    if words.is_empty() {
        words.push("119".to_owned());
    }
    for word in words {
        let letters = word
            .parse()
            .unwrap_or_else(|_| fail(&format!("'{word}' is no number of letters")));
        let is_near = || measure(letters).unwrap_or_else(|line| fail(&line));
        // Repeat a measurement that is far from the bars, because other programs may have disturbed it.
        if !is_near() && check && !(1..ATTEMPTS).any(|_| is_near()) {
            fail("far from the bar");
        }
    }
}

fn fail(line: &str) -> ! {
    eprintln!("{line}");
    std::process::exit(1);
}

/// Prints the figures. Returns true if the figures are near their bars.
fn measure(letters: u64) -> Result<bool, String> {
    let pools = Pools::new(2)?;
    let mut instances: Vec<Box<dyn Instance>> = Vec::new();
    for (_, name, _) in CONTENDERS {
        let Some(program) = programs().iter().find(|program| program.name == name) else {
            return Err(format!("there is no program {name}"));
        };
        instances.push((program.prepare)(
            Input::Real,
            Size::N(letters),
            &Data::default(),
        )?);
    }
    println!("{}", instances[0].params());
    let mut times = vec![Vec::new(); CONTENDERS.len()];
    for round in 0..ROUNDS {
        // Each round has another order.
        for which in 0..CONTENDERS.len() {
            let which = (which * 3 + round) % CONTENDERS.len();
            let instance = &mut instances[which];
            instance.reset();
            let began = Instant::now();
            instance.run(CONTENDERS[which].2, &pools)?;
            times[which].push(began.elapsed().as_secs_f64() * 1e3);
            if round == 0 {
                instance.check()?;
            }
        }
    }
    let ratio =
        |of: usize, to: usize| median((0..ROUNDS).map(|i| times[of][i] / times[to][i]).collect());
    for (which, (name, ..)) in CONTENDERS.iter().enumerate() {
        println!("{name:<64} {:>9.3} ms", median(times[which].clone()));
    }
    let gain = ratio(BLOCKING, ASYNC);
    let cost = ratio(ASYNC, TILES);
    println!(
        "{:<64} {gain:>9.1} times [3]",
        "cooperative faster than blocking"
    );
    println!("{:<64} {cost:>9.2} times [1.3]", "the time of tiles");
    // Tiles spend their time on arithmetic, and futures mostly on memory accesses, so between kinds of machines their ratio differs by
    // half. The effect of a mistake is larger: with a task for each cell the table takes 60 times as long as with tiles.
    Ok(gain >= 1.5 && cost <= 5.2)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
