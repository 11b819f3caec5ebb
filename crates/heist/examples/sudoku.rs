//! Solves a sudoku: a search by `join` over the candidates of one square, which a flag stops at the first solution.
//!
//! ```text
//! cargo run --release -p heist --example sudoku
//! ```

use std::sync::OnceLock;

/// The digits of the 81 squares, row by row; 0 is empty.
pub type Grid = [u8; 81];

/// A puzzle with 17 digits.
pub const PUZZLE: &str =
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000";

/// Reads a grid from its digits; any other character is an empty square.
pub fn parse(text: &str) -> Grid {
    let mut digits = text.chars().map(|c| c.to_digit(10).unwrap_or(0) as u8);
    std::array::from_fn(|_| digits.next().unwrap_or(0))
}

/// Returns the digits that fit into a square, as a set with a bit for each digit.
fn candidates(grid: &Grid, at: usize) -> u16 {
    let (row, column) = (at / 9, at % 9);
    let used = (0..9).fold(0_u16, |used, i| {
        let in_box = (row / 3 * 3 + i / 3) * 9 + column / 3 * 3 + i % 3;
        used | 1 << grid[row * 9 + i] | 1 << grid[i * 9 + column] | 1 << grid[in_box]
    });
    !used & 0b11_1111_1110
}

/// Searches the solutions of a grid until this search or another search has set `solution`.
fn search(mut grid: Grid, solution: &OnceLock<Grid>) {
    if solution.get().is_some() {
        return; // another branch was faster
    }
    let empty = (0..81)
        .filter(|&at| grid[at] == 0)
        .map(|at| (candidates(&grid, at), at));
    match empty.min_by_key(|(digits, _)| digits.count_ones()) {
        None => drop(solution.set(grid)),
        Some((0, _)) => {}
        Some((digits, at)) if digits.count_ones() == 1 => {
            grid[at] = digits.trailing_zeros() as u8;
            search(grid, solution);
        }
        Some((digits, at)) => branch(grid, at, digits, solution),
    }
}

/// Tries the candidates of a square: the left side of a `join` tries the first candidate, the right
/// side all others.
fn branch(mut grid: Grid, at: usize, digits: u16, solution: &OnceLock<Grid>) {
    let rest = digits & (digits - 1);
    let mut first = move || {
        grid[at] = digits.trailing_zeros() as u8;
        search(grid, solution);
    };
    match rest {
        0 => first(),
        rest => drop(heist::join(first, || branch(grid, at, rest, solution))),
    }
}

/// Returns a solution, if there is one.
pub fn solve(grid: Grid) -> Option<Grid> {
    let solution = OnceLock::new();
    search(grid, &solution);
    solution.into_inner()
}

/// Runs the example.
pub fn main() {
    let puzzle = std::env::args().nth(1).unwrap_or_else(|| PUZZLE.to_owned());
    match solve(parse(&puzzle)) {
        None => println!("it has no solution"),
        Some(grid) => grid.chunks(9).for_each(|row| println!("{row:?}")),
    }
}
