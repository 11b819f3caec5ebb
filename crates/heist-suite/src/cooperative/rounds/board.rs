//! Boards and votes, through which nodes share values.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

// All orders are relaxed: nodes write a word in one round and read it in another round, and the runner of the rounds makes the steps of a
// round happen before the steps of the next round.

/// A word for each node. All nodes may read every word. In a round, every node sees the words as they were at the end of the previous
/// round.
///
/// The board has two halves, one for even and one for odd rounds. So a node must write its word in every round in which the node takes
/// part. If another node will read the last word of a leaving node, the leaving node must write this word in two rounds.
#[derive(Debug)]
pub struct Board {
    halves: [Box<[AtomicU64]>; 2],
}

impl Board {
    /// Makes a board for `nodes` nodes. All words of the board are `word`.
    pub fn new(nodes: usize, word: u64) -> Board {
        let half = || (0..nodes).map(|_| AtomicU64::new(word)).collect();
        Board {
            halves: [half(), half()],
        }
    }

    /// Returns the word of `node` at the end of the round before `round`.
    #[inline]
    pub fn read(&self, round: usize, node: u32) -> u64 {
        self.halves[(round + 1) % 2][node as usize].load(Relaxed)
    }

    /// Sets the word of `node` for the round after `round`.
    #[inline]
    pub fn write(&self, round: usize, node: u32, word: u64) {
        self.halves[round % 2][node as usize].store(word, Relaxed);
    }

    /// Sets the word of one node, before the first round.
    pub fn set(&self, node: u32, word: u64) {
        for round in 0..2 {
            self.write(round, node, word);
        }
    }

    /// Sets all words before the first round.
    pub fn fill(&self, word: u64) {
        for node in 0..self.halves[0].len() as u32 {
            self.set(node, word);
        }
    }

    /// Returns all words. The last round must have ended, and every node must have written its last word twice.
    pub fn last(&self) -> Vec<u64> {
        self.halves[0]
            .iter()
            .map(|word| word.load(Relaxed))
            .collect()
    }
}

/// A vote. In each round, all nodes can see whether any node voted yes in the previous round.
#[derive(Debug, Default)]
pub struct Vote {
    /// The votes of three rounds. Nodes vote in the current round, read the vote of the previous round, and clear the vote of the
    /// next round.
    raised: [AtomicBool; 3],
}

impl Vote {
    /// Votes yes in `round`.
    #[inline]
    pub fn raise(&self, round: usize) {
        // Read the vote first: if it is set already, this node need not write to the cache line, which all nodes share.
        if !self.raised[round % 3].load(Relaxed) {
            self.raised[round % 3].store(true, Relaxed);
        }
    }

    /// Returns true if any node voted yes in the round before `round`.
    #[inline]
    pub fn any(&self, round: usize) -> bool {
        self.raised[(round + 2) % 3].load(Relaxed)
    }

    /// Prepares the next round. One node must call this function in every round.
    #[inline]
    pub fn clear_next(&self, round: usize) {
        self.raised[(round + 1) % 3].store(false, Relaxed);
    }

    /// Prepares the first round, in which [`any`](Vote::any) is true.
    pub fn reset(&self) {
        for (place, raised) in self.raised.iter().enumerate() {
            raised.store(place == 2, Relaxed);
        }
    }
}
