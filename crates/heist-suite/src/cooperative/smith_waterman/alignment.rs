//! The results of the program: scores, and the alignment with the best score.

use std::fmt;

/// The score for a pair of equal letters.
const MATCH: i32 = 5;
/// The score for a pair of different letters.
const MISMATCH: i32 = -4;
/// The score for a letter without a partner.
const GAP: i32 = -8;

#[inline]
fn pair(a: u8, b: u8) -> i32 {
    if a == b { MATCH } else { MISMATCH }
}

/// Returns the score of a cell from the scores of the three cells before it. The score of a cell is the score of the best alignment that
/// ends with the letters `a` and `b`. All versions of the program use this function.
#[inline]
pub fn cell(diagonal: i32, up: i32, left: i32, a: u8, b: u8) -> i32 {
    // Use the score from the left last, because this score is the last score that becomes known when the cells of a row are computed from
    // left to right.
    let others = (diagonal + pair(a, b)).max(up + GAP).max(0);
    others.max(left + GAP)
}

/// A step of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The next letter of each sequence, as a pair.
    Both,
    /// The next letter of the first sequence, without a partner.
    First,
    /// The next letter of the second sequence, without a partner.
    Second,
}

/// A local alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The alignment's score.
    pub score: i32,
    /// The number of letters of each sequence before the start of the alignment.
    pub start: (usize, usize),
    /// The steps of the alignment.
    pub moves: Vec<Move>,
}

impl Alignment {
    /// Returns the best alignment with the given end. `at(i, j)` is the score of the cell for the first `i` and the first `j` letters. If
    /// several alignments are best, the function chooses each step from the end to the start: it prefers pairs, then letters of the first
    /// sequence alone, then letters of the second sequence alone. Takes time linear in the alignment's length.
    pub fn ending(
        end: (usize, usize),
        a: &[u8],
        b: &[u8],
        at: impl Fn(usize, usize) -> i32,
    ) -> Alignment {
        let score = at(end.0, end.1);
        let (mut i, mut j) = end;
        let mut moves = Vec::new();
        // At the edges all scores are 0.
        while at(i, j) > 0 {
            let here = at(i, j);
            let step = if here == at(i - 1, j - 1) + pair(a[i - 1], b[j - 1]) {
                Move::Both
            } else if here == at(i - 1, j) + GAP {
                Move::First
            } else {
                Move::Second
            };
            i -= usize::from(step != Move::Second);
            j -= usize::from(step != Move::First);
            moves.push(step);
        }
        moves.reverse();
        Alignment {
            score,
            start: (i, j),
            moves,
        }
    }

    /// Returns the number of letters of each sequence before the alignment's end.
    pub fn end(&self) -> (usize, usize) {
        let count = |not| self.moves.iter().filter(|&&step| step != not).count();
        (
            self.start.0 + count(Move::Second),
            self.start.1 + count(Move::First),
        )
    }

    /// Returns the letters of each sequence, with `-` for missing letters.
    ///
    /// # Panics
    /// Panics if the alignment goes beyond one of the sequences.
    pub fn rows(&self, a: &[u8], b: &[u8]) -> (String, String) {
        let row = |letters: &[u8], start: usize, missing: Move| {
            let mut letters = letters[start..].iter();
            let mut next = || letters.next().copied().expect("a letter for each move");
            let steps = self.moves.iter();
            steps
                .map(|&step| if step == missing { '-' } else { next().into() })
                .collect()
        };
        (
            row(a, self.start.0, Move::Second),
            row(b, self.start.1, Move::First),
        )
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (self.start, self.end());
        write!(
            f,
            "score {} at {}..{} and {}..{}",
            self.score, start.0, end.0, start.1, end.1
        )
    }
}

/// Computes the scores of all cells with two plain loops, and returns them row by row. Checks compare the parallel versions with this
/// function.
pub fn matrix(a: &[u8], b: &[u8]) -> Vec<i32> {
    let width = b.len() + 1;
    let mut scores = vec![0; (a.len() + 1) * width];
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let at = i * width + j;
            let both = scores[at - width - 1] + pair(a[i - 1], b[j - 1]);
            let one = (scores[at - width] + GAP).max(scores[at - 1] + GAP);
            scores[at] = both.max(one).max(0);
        }
    }
    scores
}

/// Checks that the alignment's score is the best possible, and that it is the sum of the scores of the alignment's steps.
///
/// # Errors
/// Returns a one-line error that describes the fault.
pub fn check(a: &[u8], b: &[u8], alignment: &Alignment) -> Result<(), String> {
    let must = matrix(a, b).into_iter().max().unwrap_or(0);
    if alignment.score != must {
        return Err(format!("the best score is {must}, not {}", alignment.score));
    }
    let end = alignment.end();
    if end.0 > a.len() || end.1 > b.len() {
        return Err(format!(
            "the alignment ends at {end:?}, behind the sequences"
        ));
    }
    let (mut i, mut j) = alignment.start;
    let mut sum = 0;
    for step in &alignment.moves {
        sum += match step {
            Move::Both => pair(a[i], b[j]),
            Move::First | Move::Second => GAP,
        };
        i += usize::from(*step != Move::Second);
        j += usize::from(*step != Move::First);
    }
    if sum != must {
        return Err(format!("the alignment has the score {sum}, not {must}"));
    }
    Ok(())
}
