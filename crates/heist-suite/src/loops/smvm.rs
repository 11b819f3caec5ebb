//! A sparse matrix times a dense vector.

use std::path::Path;
use std::sync::OnceLock;

use heist::par::{DEFAULT_LEAF, Rope, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::kernel::{Loop, Looped, Looping};
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::{Ctx, fold};
use crate::data::Data;
use crate::graphs::read::{self, Weights};
use crate::noise::word;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "smvm",
        about: "a sparse matrix, whose rows have from 6 to 106,000 elements, times a vector",
        source: "Rainey's thesis, SMVM: 1,091,362 elements, 16,614 columns",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// As many columns as the thesis' matrix has for each element.
const COLUMNS_PER_ELEMENT: f64 = 16_614.0 / 1_091_362.0;
/// How many rows one of chili's tasks has.
const GRAIN: usize = 64;

/// An element: its column and its value.
type Element = (u32, f64);

struct Smvm {
    rows: Vec<Vec<Element>>,
    vector: Vec<f64>,
    rope_rows: Rope<Rope<Element>>,
    rope_vector: Rope<f64>,
    elements: usize,
    leaf: usize,
    expected: OnceLock<Vec<f64>>,
}

fn prepare(size: Size, data: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    if let Some(path) = &data.matrix {
        if matches!(size, Size::N(_)) {
            let path = path.display();
            return Err(format!("{path}: the matrix of a file is as large as it is"));
        }
        return Ok(Box::new(Looped::new(Smvm::of_file(path, leaf)?)));
    }
    let elements = within(
        "elements",
        size.pick(1_091_362, 1_091_362),
        100..=100_000_000,
    )?;
    Ok(Box::new(Looped::new(Smvm::new(elements, leaf))))
}

/// A small integer, so that sums are exact in any order.
fn small(seed: u64, i: u64) -> f64 {
    (word(seed, i) % 17) as f64 - 8.0
}

impl Smvm {
    /// Rows whose lengths fall as the inverse of their rank, in no order of lengths.
    fn new(elements: usize, leaf: usize) -> Smvm {
        let columns = ((elements as f64 * COLUMNS_PER_ELEMENT) as usize).max(1);
        let ranks = (1..=columns).map(|rank| 1.0 / rank as f64);
        let scale = (elements - columns) as f64 / ranks.clone().sum::<f64>();
        let mut lengths: Vec<usize> = ranks.map(|part| 1 + (part * scale) as usize).collect();
        for i in (1..columns).rev() {
            lengths.swap(i, (word(1, i as u64) % (i as u64 + 1)) as usize);
        }
        let mut next = 0;
        let mut row = |len: usize| -> Vec<Element> {
            let ids = next..next + len as u64;
            next = ids.end;
            ids.map(|i| ((word(2, i) % columns as u64) as u32, small(3, i)))
                .collect()
        };
        Smvm::of(lengths.into_iter().map(&mut row).collect(), leaf)
    }

    /// The matrix of a file: its elements are where the file says, and their values are ours.
    fn of_file(path: &Path, leaf: usize) -> Result<Smvm, String> {
        let graph = read::file(path, Weights::Ignore)?;
        let mut rows = vec![Vec::new(); graph.edges.vertices()];
        for (i, &(row, column)) in (0..).zip(graph.edges.pairs()) {
            let value = small(3, i);
            rows[row as usize].push((column, value));
            if !graph.directed && row != column {
                rows[column as usize].push((row, value));
            }
        }
        Ok(Smvm::of(rows, leaf))
    }

    /// With a vector for a square matrix of these rows.
    fn of(rows: Vec<Vec<Element>>, leaf: usize) -> Smvm {
        let vector: Vec<f64> = (0..rows.len() as u64).map(|i| small(4, i)).collect();
        let rope_rows = rows.iter().map(|row| row.par().copied().collect_rope(leaf));
        Smvm {
            rope_rows: rope_rows.collect::<Vec<_>>().into_par().collect_rope(leaf),
            rope_vector: vector.par().copied().collect_rope(leaf),
            elements: rows.iter().map(Vec::len).sum(),
            rows,
            vector,
            leaf,
            expected: OnceLock::new(),
        }
    }

    /// The product element by element, into sums kept by row.
    fn expected(&self) -> &[f64] {
        self.expected.get_or_init(|| {
            let mut sums = vec![0.0; self.rows.len()];
            for (sum, row) in sums.iter_mut().zip(&self.rows) {
                for &(column, value) in row {
                    *sum += value * self.vector[column as usize];
                }
            }
            sums
        })
    }
}

impl Loop for Smvm {
    type Out = Vec<f64>;

    fn params(&self) -> String {
        format!("elements={} columns={}", self.elements, self.vector.len())
    }

    fn serial(&self) -> Vec<f64> {
        let at = |&(column, value): &Element| value * self.vector[column as usize];
        self.rows
            .iter()
            .map(|row| row.iter().map(at).sum())
            .collect()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Vec<f64> {
        let at = |&(column, value): &Element| value * self.vector[column as usize];
        let rows = self.rows.par().splitting(policy);
        rows.map(|row| row.par().splitting(policy).map(at).sum())
            .collect()
    }

    fn serial_ropes(&self) -> Option<Vec<f64>> {
        let at = |&(column, value): &Element| value * self.rope_vector[column as usize];
        let product: heist::par::Rope<f64> = self
            .rope_rows
            .iter()
            .map(|row| row.iter().map(at).sum())
            .collect();
        Some(product.into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Vec<f64>> {
        let at = |&(column, value): &Element| value * self.rope_vector[column as usize];
        let rows = self.rope_rows.par().splitting(policy);
        let product = rows
            .map(|row| row.par().splitting(policy).map(at).sum())
            .collect_rope(self.leaf);
        Some(product.into())
    }

    fn rayon(&self) -> Vec<f64> {
        let at = |&(column, value): &Element| value * self.vector[column as usize];
        let rows = self.rows.par_iter();
        rows.map(|row| row.par_iter().map(at).sum()).collect()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Vec<f64> {
        let at = |&(column, value): &Element| value * self.vector[column as usize];
        let pieces: Vec<&[Vec<Element>]> = self.rows.chunks(GRAIN).collect();
        let product = |_, i: usize| -> Vec<f64> {
            pieces[i]
                .iter()
                .map(|row| row.iter().map(at).sum())
                .collect()
        };
        fold(
            ctx,
            0..pieces.len(),
            &product,
            &|mut left: Vec<f64>, right| {
                left.extend(right);
                left
            },
        )
    }

    fn check(&self, out: &Vec<f64>) -> Result<(), String> {
        let expected = self.expected();
        if out.len() != expected.len() {
            return Err(format!("{} rows, not {}", out.len(), expected.len()));
        }
        match out.iter().zip(expected).position(|(is, must)| is != must) {
            Some(row) => Err(format!(
                "row {row} comes to {}, not {}",
                out[row], expected[row]
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_row_fails() {
        let program = Smvm::new(2000, 7);
        let mut product = program.serial();
        program.check(&product).unwrap();
        product[17] += 1.0;
        assert!(program.check(&product).unwrap_err().starts_with("row 17 "));
        product.pop();
        assert!(program.check(&product).is_err());
    }

    #[test]
    fn a_matrix_of_a_file_is_multiplied() {
        let path = std::env::temp_dir().join(format!("heist-suite-matrix-{}", std::process::id()));
        let data = Data {
            matrix: Some(path.clone()),
            ..Data::default()
        };
        let of = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Smvm::of_file(&path, 7)
        };
        let symmetric =
            of("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 0.5\n3 1 2.5\n");
        let general = of("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n3 1\n");
        let sized = prepare(Size::N(100), &data, 7).err().unwrap();
        let wrong = of("%%MatrixMarket matrix array real general\n")
            .err()
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        let columns = |program: Smvm| -> Vec<Vec<u32>> {
            program.check(&program.serial()).unwrap();
            let columns = |row: &Vec<Element>| row.iter().map(|element| element.0).collect();
            program.rows.iter().map(columns).collect()
        };
        assert_eq!(columns(symmetric.unwrap()), [vec![0, 2], vec![], vec![0]]);
        assert_eq!(columns(general.unwrap()), [vec![0], vec![], vec![0]]);
        assert!(sized.ends_with("as large as it is"), "{sized}");
        assert!(wrong.contains("line 1"), "{wrong}");
    }
}
