//! Solves tic-tac-toe by a parallel game-tree search that stops early: as soon as a move wins, no
//! other move of the same position begins.
//!
//! ```text
//! cargo run --release -p heist --example tictactoe
//! ```

use heist::par::prelude::*;
use std::sync::atomic::{AtomicI8, AtomicUsize, Ordering::Relaxed};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// A position: the squares of the player to move and the squares of the other player, as sets with
/// a bit for each square.
#[derive(Clone, Copy, Default)]
pub struct Board {
    mine: u16,
    theirs: u16,
}

impl Board {
    /// Returns the free squares, each as a bit.
    fn moves(self) -> Vec<u16> {
        (0..9)
            .map(|square| 1 << square)
            .filter(|bit| (self.mine | self.theirs) & bit == 0)
            .collect()
    }

    /// Returns the position after a move, as seen by the other player.
    #[must_use]
    pub fn play(self, bit: u16) -> Board {
        Board {
            mine: self.theirs,
            theirs: self.mine | bit,
        }
    }

    /// Returns 1 if the player to move wins, 0 for a draw, and -1 for a loss. Increments `visited`
    /// for each position that is searched.
    pub fn value(self, visited: &AtomicUsize) -> i8 {
        visited.fetch_add(1, Relaxed);
        if LINES.iter().any(|line| self.theirs & line == *line) {
            return -1;
        }
        let moves = self.moves();
        if moves.is_empty() {
            return 0;
        }
        let best = AtomicI8::new(-1);
        // `any` ends the loop at the first move that wins.
        moves.par().any(|&bit| {
            let value = -self.play(bit).value(visited);
            best.fetch_max(value, Relaxed);
            value == 1
        });
        best.into_inner()
    }
}

/// Runs the example.
pub fn main() {
    let visited = AtomicUsize::new(0);
    let value = Board::default().value(&visited);
    println!(
        "the game is {}",
        ["lost", "a draw", "won"][(value + 1) as usize]
    );
    println!("{} positions of 549,946 looked at", visited.into_inner());
}
