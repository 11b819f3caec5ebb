//! Searches a maze by a worklist: each square that is reached pushes its neighbours, and the search stops at the exit.
//!
//! ```text
//! cargo run --release -p heist --example maze
//! ```

use heist::worklist::{AtLeastOnce, Fifo, Report, Worklist};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A square maze, in which true is a wall.
pub struct Maze {
    width: usize,
    walls: Vec<bool>,
}

impl Maze {
    /// Builds a binary-tree maze of odd width: from each room a passage leads up or left.
    pub fn new(width: usize) -> Maze {
        let mut walls = vec![true; width * width];
        for y in (1..width).step_by(2) {
            for x in (1..width).step_by(2) {
                walls[y * width + x] = false;
                let coin = ((y * width + x) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0;
                match (x > 1, y > 1) {
                    (true, true) if coin => walls[y * width + x - 1] = false,
                    (true, false) => walls[y * width + x - 1] = false,
                    (_, true) => walls[(y - 1) * width + x] = false,
                    (false, false) => {}
                }
            }
        }
        Maze { width, walls }
    }

    /// Returns the room in the lower right corner.
    pub fn exit(&self) -> usize {
        (self.width - 1) * self.width - 2
    }

    /// Walls up the exit.
    pub fn close(&mut self) {
        let exit = self.exit();
        self.walls[exit] = true;
    }

    /// Searches from the upper left room. The report says whether the search was stopped, which
    /// happens when it reaches the exit.
    pub fn search(&self) -> Report {
        let seen: Vec<AtomicBool> = self.walls.iter().copied().map(AtomicBool::new).collect();
        let start = self.width + 1;
        seen[start].store(true, Relaxed);
        // At-least-once delivery is enough: when a square is processed again, its neighbours are
        // marked already.
        Worklist::new()
            .delivery(AtLeastOnce)
            .order(Fifo)
            .for_each([start], |at, context| {
                if at == self.exit() {
                    return context.stop();
                }
                for next in [at - 1, at + 1, at - self.width, at + self.width] {
                    if !seen[next].swap(true, Relaxed) {
                        context.push(next);
                    }
                }
            })
    }
}

/// Runs the example.
pub fn main() {
    let report = Maze::new(2001).search();
    let found = if report.stopped { "out" } else { "no way out" };
    println!("{found} after {} squares", report.processed);
}
