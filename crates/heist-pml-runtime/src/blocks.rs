//! Memory for the frames of strands that wait without a stack.
//!
//! The system's allocator asks the kernel for every page of a thread's heap, and holds up other workers meanwhile. A million strands that
//! wait at the same time need some hundred thousand pages. So each worker takes blocks out of large chunks, and keeps free ones in lists by
//! size. Chunks are never freed: a program that had many waiting strands may have as many again.

/// Words of the smallest block; the size of each is a multiple.
const UNIT: usize = 4;
/// Words of a chunk.
const CHUNK: usize = 1 << 15;

/// A block that belongs to its holder, or none. To drop it is to lose its memory.
#[derive(Debug)]
pub struct Block {
    start: *mut usize,
    capacity: u32,
    /// Number of words in use.
    used: u32,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            start: std::ptr::NonNull::dangling().as_ptr(),
            capacity: 0,
            used: 0,
        }
    }
}

impl Block {
    fn of(words: &'static mut [usize]) -> Block {
        Block {
            start: words.as_mut_ptr(),
            capacity: words.len() as u32,
            used: 0,
        }
    }

    /// The words in use.
    #[must_use]
    pub fn words(&self) -> &[usize] {
        // SAFETY: the block belongs to its holder, and `fill` has written so many words.
        unsafe { std::slice::from_raw_parts(self.start, self.used as usize) }
    }

    /// The address of the first word.
    #[must_use]
    pub fn address(&self) -> usize {
        self.start as usize
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.capacity as usize * size_of::<usize>()
    }

    /// Notes that no word is in use any more.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

/// The free blocks of a worker.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Those of each size.
    free: Vec<Vec<Block>>,
    /// What is left of the newest chunk.
    rest: &'static mut [usize],
}

impl Blocks {
    /// Copies words to a block: to that one if it has the right size, else to another one in its place.
    pub fn fill(&mut self, block: &mut Block, words: &[usize]) {
        let units = words.len().div_ceil(UNIT);
        if block.capacity as usize != units * UNIT {
            self.put(std::mem::take(block));
            *block = self.take(units);
        }
        // SAFETY: the block is the caller's and has room for the words, which are not in it: a block in use is not filled again.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), block.start, words.len()) };
        block.used = words.len() as u32;
    }

    /// Takes a block of so many units.
    fn take(&mut self, units: usize) -> Block {
        if let Some(block) = self.free.get_mut(units).and_then(Vec::pop) {
            return block;
        }
        let capacity = units * UNIT;
        if self.rest.len() < capacity {
            let chunk = vec![0; CHUNK.max(capacity)].leak();
            let rest = std::mem::replace(&mut self.rest, chunk);
            self.put(Block::of(rest));
        }
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(capacity);
        self.rest = rest;
        Block::of(taken)
    }

    /// Takes a block back.
    pub fn put(&mut self, block: Block) {
        let units = block.capacity as usize / UNIT;
        if units > 0 {
            if self.free.len() <= units {
                self.free.resize_with(units + 1, Vec::new);
            }
            self.free[units].push(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_used_again_and_do_not_overlap() {
        let mut blocks = Blocks::default();
        let mut held: Vec<(Block, Vec<usize>)> = Vec::new();
        for round in 0..1000 {
            let words: Vec<usize> = (0..round * 7 % 300).map(|at| round * 1000 + at).collect();
            let mut block = Block::default();
            blocks.fill(&mut block, &words);
            held.push((block, words));
            if round % 3 == 0 {
                let (block, words) = held.swap_remove(round / 2 % held.len());
                assert_eq!(block.words(), words);
                blocks.put(block);
            }
        }
        for (block, words) in &held {
            assert_eq!(block.words(), &words[..]);
        }
        // Those that come back are enough for the same again.
        let before = blocks.rest.len();
        let sizes: Vec<usize> = held.iter().map(|(_, words)| words.len()).collect();
        for (block, _) in held {
            blocks.put(block);
        }
        for size in sizes {
            blocks.fill(&mut Block::default(), &vec![1; size]);
        }
        assert_eq!(
            blocks.rest.len(),
            before,
            "nothing was taken from the chunk"
        );
    }

    #[test]
    fn a_block_of_the_right_size_stays() {
        let mut blocks = Blocks::default();
        let mut block = Block::default();
        blocks.fill(&mut block, &[1; 4 * UNIT + 1]);
        let address = block.address();
        block.clear();
        blocks.fill(&mut block, &[2; 5 * UNIT]);
        assert_eq!(
            (block.address(), block.words()),
            (address, &[2; 5 * UNIT][..])
        );
        block.clear();
        blocks.fill(&mut block, &[3; 6 * UNIT]);
        assert_ne!(block.address(), address);
    }
}
