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
use crate::graphs::read;
use crate::noise::word;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "smvm",
        about: "a sparse matrix, whose rows have from 9 elements to one in each column, times a vector",
        source: "Rainey's thesis, SMVM: 1,091,362 elements, 16,614 columns",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// The ratio of columns to elements, as in the matrix of the thesis.
const COLUMNS_PER_ELEMENT: f64 = 16_614.0 / 1_091_362.0;
/// The number of rows that one of chili's tasks processes.
const GRAIN: usize = 64;

/// An element: its column and its value.
type Element = (u32, f64);

/// The expected result of a row.
#[derive(Clone, Copy, Default)]
struct Expected {
    sum: f64,
    /// The sum of the magnitudes of the row's products. The sum of the magnitudes bounds the rounding error.
    magnitude: f64,
}

impl Expected {
    fn is(self, sum: f64) -> bool {
        let exact = sum == self.sum || sum.is_nan() && self.sum.is_nan();
        exact || (sum - self.sum).abs() <= 1e-12 * self.magnitude
    }
}

struct Smvm {
    rows: Vec<Vec<Element>>,
    vector: Vec<f64>,
    rope_rows: Rope<Rope<Element>>,
    rope_vector: Rope<f64>,
    elements: usize,
    leaf: usize,
    expected: OnceLock<Vec<Expected>>,
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

/// Returns a small integer, so that sums are exact in any order.
fn small(seed: u64, i: u64) -> f64 {
    (word(seed, i) % 17) as f64 - 8.0
}

/// Returns the lengths of the rows. The length of a row is inversely proportional to its rank, and the lengths add up to `elements`. No row
/// is longer than the number of columns, which equals the number of rows.
fn lengths(rows: usize, elements: usize) -> Vec<usize> {
    let length = |scale: f64, rank: usize| ((scale / rank as f64) as usize).clamp(1, rows);
    let all = |scale: f64| -> usize { (1..=rows).map(|rank| length(scale, rank)).sum() };
    let (mut low, mut high) = (0.0, (rows * rows) as f64);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if all(middle) <= elements {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut lengths: Vec<usize> = (1..=rows).map(|rank| length(low, rank)).collect();
    let mut missing = elements - lengths.iter().sum::<usize>();
    for length in lengths.iter_mut().filter(|length| **length < rows) {
        if missing == 0 {
            break;
        }
        *length += 1;
        missing -= 1;
    }
    lengths
}

/// Returns `count` different numbers below `columns`, in ascending order. The result has one number from each of `count` equal parts of the
/// range.
fn distinct(count: usize, columns: usize, mut noise: impl FnMut() -> u64) -> Vec<u32> {
    let starts = |part: usize| (part as u64 * columns as u64).div_ceil(count as u64);
    let one_of = |part: usize| {
        let (from, to) = (starts(part), starts(part + 1));
        (from + noise() % (to - from)) as u32
    };
    (0..count).map(one_of).collect()
}

impl Smvm {
    /// Makes rows whose lengths are inversely proportional to their ranks, in random order.
    fn new(elements: usize, leaf: usize) -> Smvm {
        let sparse = (elements as f64 * COLUMNS_PER_ELEMENT).round() as usize;
        // If there are few elements, they fill about half of the matrix.
        let columns = sparse.max((2 * elements).isqrt() + 1);
        let mut lengths = lengths(columns, elements);
        for i in (1..columns).rev() {
            lengths.swap(i, (word(1, i as u64) % (i as u64 + 1)) as usize);
        }
        let mut next = 0;
        let mut noise = |seed| {
            next += 1;
            word(seed, next)
        };
        let mut row = |len: usize| -> Vec<Element> {
            let places = distinct(len, columns, || noise(2));
            places
                .into_iter()
                .map(|column| (column, (noise(3) % 17) as f64 - 8.0))
                .collect()
        };
        let rows = lengths.into_iter().map(&mut row).collect();
        Smvm::of(rows, columns, leaf)
    }

    /// Makes the program with the matrix of a file.
    fn of_file(path: &Path, leaf: usize) -> Result<Smvm, String> {
        let matrix = read::sparse(path)?;
        Ok(Smvm::of(matrix.rows, matrix.columns, leaf))
    }

    /// Makes the program with a matrix of the given rows, and with a new vector.
    fn of(rows: Vec<Vec<Element>>, columns: usize, leaf: usize) -> Smvm {
        let vector: Vec<f64> = (0..columns as u64).map(|i| small(4, i)).collect();
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

    /// Returns the expected product. Adds the elements one by one to the sums of their rows.
    fn expected(&self) -> &[Expected] {
        self.expected.get_or_init(|| {
            let mut rows = vec![Expected::default(); self.rows.len()];
            for (expected, row) in rows.iter_mut().zip(&self.rows) {
                for &(column, value) in row {
                    let term = value * self.vector[column as usize];
                    expected.sum += term;
                    expected.magnitude += term.abs();
                }
            }
            rows
        })
    }
}

impl Loop for Smvm {
    type Out = Vec<f64>;

    fn params(&self) -> String {
        let (rows, columns) = (self.rows.len(), self.vector.len());
        format!("elements={} rows={rows} columns={columns}", self.elements)
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
        let wrong = |(is, must): (&f64, &Expected)| !must.is(*is);
        match out.iter().zip(expected).position(wrong) {
            Some(row) => Err(format!(
                "row {row} comes to {}, not {}",
                out[row], expected[row].sum
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
    fn the_matrix_is_as_large_as_it_says_and_has_no_place_twice() {
        let program = Smvm::new(1_091_362, 512);
        assert_eq!(
            program.params(),
            "elements=1091362 rows=16614 columns=16614"
        );
        let longest = program.rows.iter().map(Vec::len).max();
        assert_eq!(longest, Some(16_614));
        for row in &program.rows {
            assert!(row.is_sorted_by(|a, b| a.0 < b.0) && !row.is_empty());
            assert!(row.last().is_some_and(|last| last.0 < 16_614));
        }
        // This is the smallest size that the program accepts.
        assert_eq!(
            Smvm::new(100, 7).params(),
            "elements=100 rows=15 columns=15"
        );
    }

    #[test]
    fn a_matrix_of_a_file_is_multiplied() {
        let path = std::env::temp_dir().join(format!("heist-suite-matrix-{}", std::process::id()));
        let data = Data {
            matrix: Some(path.clone()),
            ..Data::default()
        };
        let of = |text: &str| {
            std::fs::write(&path, format!("%%MatrixMarket matrix coordinate {text}")).unwrap();
            let program = Smvm::of_file(&path, 7)?;
            for product in [
                program.serial(),
                program.slices(heist::par::Lazy),
                program.ropes(heist::par::Lazy).unwrap(),
            ] {
                program.check(&product).unwrap();
            }
            Ok::<_, String>(program.rows)
        };
        let symmetric = of("real symmetric\n3 3 2\n1 1 0.5\n3 1 2.5\n");
        let skew = of("integer skew-symmetric\n2 2 1\n2 1 7\n");
        let wide = of("pattern general\n% of two rows\n2 5 2\n1 5\n2 1\n");
        let sized = prepare(Size::N(100), &data, 7).err().unwrap();
        let errors = [
            "real hermitian\n1 1 1\n1 1 1\n",
            "complex general\n1 1 1\n1 1 1 1\n",
            "real symmetric\n1 2 1\n1 1 1\n",
            "real general\n2 2 1\n1 3 1\n",
            "real general\n2 2 2\n1 2 1\n",
            "real general\n2 2 1\n1 2\n",
            "real general\n2 2 1\n1 2 one\n",
            "real skew-symmetric\n2 2 1\n1 1 3\n",
        ]
        .map(|text| of(text).unwrap_err());
        std::fs::remove_file(&path).unwrap();
        let symmetric = symmetric.unwrap();
        assert_eq!(
            symmetric,
            [vec![(0, 0.5), (2, 2.5)], vec![], vec![(0, 2.5)]]
        );
        assert_eq!(skew.unwrap(), [[(1, -7.0)], [(0, 7.0)]]);
        assert_eq!(wide.unwrap(), [[(4, 1.0)], [(0, 1.0)]]);
        assert!(sized.ends_with("as large as it is"), "{sized}");
        let expected = [
            "line 1: 'hermitian' is not supported; general or symmetric or skew-symmetric is",
            "line 1: 'complex' is not supported; real or integer or pattern is",
            "line 2: 1 rows and 2 columns are not symmetric",
            "line 3: '3' is no column from 1 to 2",
            "line 2: 2 entries are announced, but 1 are there",
            "line 3: 2 columns, not 3",
            "line 3: 'one' is no number",
            "line 3: a skew-symmetric matrix has nothing but zeros on its diagonal",
        ];
        for (error, expected) in errors.iter().zip(expected) {
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
