//! Numbers in the thesis: table 4.1 (section 4.2.2), and the programs of its figures. Values of the thesis' curves are not included,
//! because the curves are only drawings.

/// A program of the thesis.
pub(super) struct Published {
    /// The program's name in the suite.
    pub(super) program: &'static str,
    /// The program's name in the thesis (section 2.2).
    pub(super) label: &'static str,
    /// The figure of the thesis that shows the program's speed-up.
    pub(super) figure: &'static str,
    pub(super) times: Times,
}

/// A line of table 4.1, without its column of MLton. Times are in seconds, rounded to hundredths.
#[derive(Clone, Copy)]
pub(super) struct Times {
    /// *Seq.*: natural serial code on ropes.
    pub(super) serial: f64,
    /// *LTS*: lazy tree splitting, on one processor.
    pub(super) lazy: f64,
    /// *Par. 16*: lazy tree splitting on 16 processors.
    pub(super) parallel: f64,
    /// *Speedup*: the speed-up of *Par. 16* over *Seq.*
    pub(super) speed_up: f64,
}

impl Times {
    /// Returns the overhead of lazy splitting on one processor, in percent of the serial time.
    pub(super) fn overhead(self) -> f64 {
        100.0 * (self.lazy / self.serial - 1.0)
    }
}

/// The number of processors in table 4.1.
pub(super) const WORKERS: usize = 16;

/// "On average, the LTS version is about 24% slower" (section 4.2.2).
pub(super) const OVERHEAD: f64 = 24.0;

/// The published programs, in the order of the table.
pub(super) const PROGRAMS: [Published; 7] = [
    published("quicksort", "Quicksort", "4.8", [3.93, 5.61, 0.51, 7.77]),
    published(
        "barnes-hut-loops",
        "Barnes-Hut",
        "4.8",
        [14.63, 20.62, 2.20, 6.64],
    ),
    published("raytracer", "Raytracer", "4.9", [3.58, 3.54, 0.22, 16.15]),
    published("smvm", "SMVM", "4.9", [0.15, 0.19, 0.02, 8.94]),
    published("dmm-loops", "DMM", "4.10", [3.49, 4.12, 0.30, 11.65]),
    published("rootfix", "Tree Rootfix", "4.10", [8.43, 10.44, 1.32, 6.38]),
    published(
        "nested-sums",
        "Nested Sums",
        "4.11",
        [1.46, 1.80, 0.14, 10.17],
    ),
];

const fn published(
    program: &'static str,
    label: &'static str,
    figure: &'static str,
    [serial, lazy, parallel, speed_up]: [f64; 4],
) -> Published {
    Published {
        program,
        label,
        figure,
        times: Times {
            serial,
            lazy,
            parallel,
            speed_up,
        },
    }
}

/// Returns the thesis' numbers for the program with this name in the suite.
pub(super) fn of(program: &str) -> Option<&'static Published> {
    PROGRAMS.iter().find(|entry| entry.program == program)
}

/// Returns the program's name in the thesis, if the thesis has the program, and otherwise its name in the suite.
pub(super) fn label(program: &'static str) -> &'static str {
    of(program).map_or(program, |entry| entry.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_agree() {
        for Published { label, times, .. } in &PROGRAMS {
            // The times are rounded to hundredths.
            let least = (times.serial - 0.005) / (times.parallel + 0.005);
            let most = (times.serial + 0.005) / (times.parallel - 0.005);
            let is = times.speed_up;
            assert!(
                (least..=most).contains(&is),
                "{label}: {is} of {least} to {most}"
            );
        }
        let overheads = PROGRAMS.map(|entry| entry.times.overhead());
        let mean = overheads.iter().sum::<f64>() / overheads.len() as f64;
        assert!((mean - OVERHEAD).abs() < 1.5, "{mean}");
    }

    #[test]
    fn each_figure_shows_its_programs() {
        let count = |figure| {
            PROGRAMS
                .iter()
                .filter(|entry| entry.figure == figure)
                .count()
        };
        assert_eq!(["4.8", "4.9", "4.10", "4.11"].map(count), [2, 2, 2, 1]);
        assert_eq!(label("dmm-loops"), "DMM");
        assert_eq!(label("primes"), "primes");
    }
}
