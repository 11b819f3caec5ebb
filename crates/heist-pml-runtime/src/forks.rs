//! The table of forks. For each fork it has the function that a thief calls, and the places of that function's arguments in a frame. For
//! each call it has the forks that are under way.

use std::collections::HashMap;

use super::object::WORD;

/// Flag added to the number of forks of a program whose forks make tasks (`tasks.rs`).
pub const CLONES: u32 = 1 << 31;

/// A fork of a program.
#[derive(Clone, Debug, Default)]
pub struct Fork {
    /// The function that a thief calls. It takes the arguments from the worker's environment, and leaves the results in the worker.
    pub stub: usize,
    /// Distance of each argument below the frame's pointer, and whether the argument is a pointer. In a program of clones, the distances
    /// are measured from the task's header.
    pub args: Vec<(usize, bool)>,
    /// For each result, whether it is a pointer.
    pub results: Vec<bool>,
    /// Whether the fork begins to compute a lazy value. The lazy value is then the fork's only argument, or a global.
    pub lazy: bool,
}

/// The forks that are under way at a call.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The forks whose left side is under way, the outermost first.
    pub forks: Vec<u32>,
    /// Number of these forks whose left side is still under way at the handler of the call.
    pub kept: usize,
}

/// The forks of all programs in memory.
#[derive(Debug, Default)]
pub struct Forks {
    forks: Vec<Fork>,
    chains: Vec<Chain>,
    /// In programs of clones, maps each function that a thief calls to the number of its fork. Forks with the same function are equal in
    /// all other respects.
    stubs: HashMap<usize, u32>,
    threads: bool,
}

impl Forks {
    /// Adds the table that code generation writes. The table begins with 1 if the program may make threads, otherwise 0. The number of
    /// forks follows, with [`CLONES`] added if they make tasks. For each fork, the next words are: the number of the function that a thief
    /// calls; 1 if the fork begins to compute a lazy value, otherwise 0; the number of arguments; their distances, with 1 added for each
    /// pointer; the number of results; and for each result 1 if it is a pointer, otherwise 0. The number of chains follows. For each chain,
    /// the next words are the number of forks that the handler keeps, the number of forks, and the forks. Returns how many forks and chains
    /// there were before this table, because code uses numbers that are relative to its own program.
    pub fn extend(&mut self, functions: &[usize], table: &[u32]) -> (u32, u32) {
        let before = (self.forks.len() as u32, self.chains.len() as u32);
        let mut words = table.iter().copied();
        let mut next = move || words.next().expect("the table is whole") as usize;
        self.threads |= next() == 1;
        let count = next();
        let clones = count & CLONES as usize != 0;
        for _ in 0..count & !(CLONES as usize) {
            let stub = functions[next()];
            if clones {
                self.stubs.insert(stub, self.forks.len() as u32);
            }
            let lazy = next() == 1;
            let args = (0..next())
                .map(|_| next())
                .map(|word| (word & !(WORD - 1), word & 1 == 1))
                .collect();
            let results = (0..next()).map(|_| next()).map(|word| word == 1).collect();
            self.forks.push(Fork {
                stub,
                args,
                results,
                lazy,
            });
        }
        for _ in 0..next() {
            let kept = next();
            let forks = (0..next())
                .map(|_| next())
                .map(|fork| fork as u32 + before.0)
                .collect();
            self.chains.push(Chain { forks, kept });
        }
        before
    }

    /// Returns the fork with this number.
    #[must_use]
    pub fn fork(&self, number: u32) -> &Fork {
        &self.forks[number as usize]
    }

    /// In programs of clones, returns the number of the fork whose thief calls this function.
    ///
    /// # Panics
    ///
    /// Panics if there is no such fork.
    #[must_use]
    pub fn of_stub(&self, stub: usize) -> u32 {
        self.stubs[&stub]
    }

    /// Returns true if forks make tasks. All programs in memory are compiled in the same way.
    #[must_use]
    pub fn are_clones(&self) -> bool {
        !self.stubs.is_empty()
    }

    /// Returns the chain of a call. `number` is the number in the call's site, and must not be 0.
    #[must_use]
    pub fn chain(&self, number: u32) -> &Chain {
        &self.chains[number as usize - 1]
    }

    /// Returns true if some program may make threads.
    #[must_use]
    pub fn has_threads(&self) -> bool {
        self.threads
    }

    /// Returns true if the table has no forks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.forks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_and_chains_are_read_one_program_after_another() {
        let table = [0, 1, 1, 0, 2, 16 | 1, 24, 1, 1, 2, 0, 1, 0, 1, 2, 0, 0];
        let mut forks = Forks::default();
        assert_eq!(forks.extend(&[0x1000, 0x2000], &table), (0, 0));
        assert_eq!(forks.extend(&[0x1000, 0x3000], &table), (1, 2));
        let fork = forks.fork(1);
        assert_eq!(
            (fork.stub, &fork.args[..], &fork.results[..]),
            (0x3000, &[(16, true), (24, false)][..], &[true][..])
        );
        assert_eq!(forks.chain(4).forks, [1, 1]);
        assert_eq!((forks.chain(4).kept, forks.chain(3).kept), (1, 0));
    }
}
