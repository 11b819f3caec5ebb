//! The runs of each figure.

use heist::par::DEFAULT_LEAF;
use heist_suite::loops::{Entrant, How, LoopProgram};

/// The thresholds of the sweep: every power of 2 up to 2^14, as in the thesis (section 4.2.2).
pub(super) const THRESHOLDS: [usize; 15] = [
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
];

/// The thresholds of the curves in figures 4.8 to 4.11.
pub(super) const SHOWN: [usize; 3] = [1, 128, 16384];

/// The leaf sizes. Section 4.2.2 names 512, 1024 and 2048; all other figures of the thesis use 256.
pub(super) const LEAVES: [usize; 10] = [1, 4, 16, 64, 256, 512, 1024, 2048, 4096, 16384];

/// The number of pieces of T-ary decomposition for each worker: the J of section 4.0.1. The section gives no value for J.
pub(super) const PIECES: usize = 8;

/// The subject of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The efficiency as a function of the threshold of eager splitting.
    Thresholds,
    /// The speed-up as a function of the number of workers.
    SpeedUp,
    /// The efficiency as a function of the size of leaves.
    Leaves,
    /// The times of lazy splitting and serial code, as a table.
    Times,
}

/// The data over which the loops run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Ropes,
    Slices,
}

impl On {
    pub(super) fn by(self, how: How) -> Entrant {
        match self {
            On::Ropes => Entrant::Ropes(how),
            On::Slices => Entrant::Slices(how),
        }
    }

    pub(super) fn serial(self) -> Entrant {
        match self {
            On::Ropes => Entrant::SerialRopes,
            On::Slices => Entrant::Serial,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            On::Ropes => "ropes",
            On::Slices => "slices",
        }
    }

    /// Returns the data over which the entrant runs. Rivals have only slices.
    pub(super) fn of(who: Entrant) -> On {
        match who {
            Entrant::Ropes(_) | Entrant::SerialRopes => On::Ropes,
            _ => On::Slices,
        }
    }
}

/// One measurement of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) who: Entrant,
    /// The number of workers, which is 1 for serial code.
    pub(super) workers: usize,
    /// The number of items in a leaf of the ropes.
    pub(super) leaf: usize,
}

impl Cell {
    pub(super) fn new(who: Entrant, workers: usize) -> Cell {
        Cell {
            who,
            workers,
            leaf: DEFAULT_LEAF,
        }
    }
}

/// Returns the entrants with which figures 4.8 to 4.11 compare eager splitting.
pub(super) fn rivals(on: On) -> [Entrant; 5] {
    [
        on.by(How::Lazy),
        on.by(How::Innermost),
        on.by(How::Tary(PIECES)),
        on.by(How::Structural),
        Entrant::Rayon,
    ]
}

/// Returns the runs of a figure for a program, on the given numbers of workers.
pub(super) fn cells(kind: Kind, program: &LoopProgram, on: On, workers: &[usize]) -> Vec<Cell> {
    let sweep = |workers| THRESHOLDS.map(|sst| Cell::new(on.by(How::Eager(sst)), workers));
    let most = workers.iter().copied().max().unwrap_or(1);
    let mut cells = Vec::new();
    match kind {
        Kind::Thresholds => {
            cells.push(Cell::new(on.serial(), 1));
            cells.extend(sweep(most));
            cells.push(Cell::new(on.by(How::Lazy), most));
        }
        Kind::SpeedUp => {
            cells.push(Cell::new(on.serial(), 1));
            for &workers in workers {
                cells.extend(sweep(workers));
                cells.extend(rivals(on).map(|who| Cell::new(who, workers)));
            }
        }
        Kind::Leaves => {
            // All leaf sizes have the same baseline. Otherwise, slow serial code on tiny leaves would make the parallel code look
            // efficient.
            cells.push(Cell::new(Entrant::SerialRopes, 1));
            cells.extend(LEAVES.map(|leaf| Cell {
                leaf,
                ..Cell::new(Entrant::Ropes(How::Lazy), most)
            }));
        }
        Kind::Times => {
            for on in [On::Slices, On::Ropes] {
                if on == On::Slices || program.has_ropes {
                    cells.push(Cell::new(on.serial(), 1));
                    cells.push(Cell::new(on.by(How::Lazy), 1));
                    if most > 1 {
                        cells.push(Cell::new(on.by(How::Lazy), most));
                    }
                }
            }
        }
    }
    cells
}

/// Returns the name of a way to run loops, and the threshold if this way has a threshold.
pub(super) fn name(who: Entrant) -> (&'static str, Option<usize>) {
    match who {
        Entrant::Serial | Entrant::SerialRopes => ("serial", None),
        Entrant::Rayon => ("rayon", None),
        Entrant::Chili => ("chili", None),
        Entrant::Slices(how) | Entrant::Ropes(how) => match how {
            How::Lazy => ("lazy", None),
            How::Innermost => ("innermost", None),
            How::Eager(threshold) => ("eager", Some(threshold)),
            How::Tary(_) => ("t-ary", None),
            How::Structural => ("structural", None),
        },
    }
}

#[cfg(test)]
mod tests {
    use heist_suite::loops::loop_programs;

    use super::*;

    #[test]
    fn every_figure_has_its_cells_each_once() {
        let program = loop_programs().iter().find(|program| program.has_ropes);
        let program = program.expect("a program with ropes");
        let count = |kind, workers: &[usize]| {
            let cells = cells(kind, program, On::Ropes, workers);
            for (at, cell) in cells.iter().enumerate() {
                assert!(!cells[..at].contains(cell), "{cell:?} twice");
                let serial = matches!(cell.who, Entrant::Serial | Entrant::SerialRopes);
                assert!(!serial || cell.workers == 1);
            }
            cells.len()
        };
        assert_eq!(count(Kind::Thresholds, &[1, 2]), 17);
        assert_eq!(count(Kind::SpeedUp, &[1, 2]), 1 + 2 * 20);
        assert_eq!(count(Kind::Leaves, &[1, 2]), 11);
        assert_eq!(count(Kind::Times, &[2]), 6);
        assert_eq!(count(Kind::Times, &[1]), 4);
    }

    #[test]
    fn sweeps_include_the_values_of_the_thesis() {
        assert!(THRESHOLDS.iter().enumerate().all(|(i, &sst)| sst == 1 << i));
        assert!(SHOWN.iter().all(|sst| THRESHOLDS.contains(sst)));
        assert!(LEAVES.is_sorted() && LEAVES.iter().all(|leaf| leaf.is_power_of_two()));
        for leaf in [256, 512, 1024, 2048, DEFAULT_LEAF] {
            assert!(LEAVES.contains(&leaf), "{leaf}");
        }
    }
}
