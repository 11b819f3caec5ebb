//! The table of forks. For each fork, the table has the function that a thief calls, and the places of that function's arguments in a
//! frame. For each call, the table has the forks that have begun but not ended when this call happens.

use std::collections::HashMap;

use crate::code::sites::ForkTable;

/// A fork of a program.
#[derive(Clone, Debug, Default)]
pub struct Fork {
    /// The function that a thief calls. This function takes the arguments from the worker's environment, and leaves the results in the
    /// worker.
    pub stub: usize,
    /// Distance of each argument below the frame's pointer, and whether the argument is a pointer. In a program of clones, the distances
    /// are measured from the task's header.
    pub args: Vec<(usize, bool)>,
    /// One entry for each result: true if the result is a pointer.
    pub results: Vec<bool>,
    /// Whether the fork begins to compute a lazy value. The lazy value is then the fork's only argument, or a global.
    pub lazy: bool,
}

/// The forks that have begun but not ended when a call happens.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The forks with a running left side, the outermost first.
    pub forks: Vec<u32>,
    /// The number of these forks whose left side also contains the handler of the call.
    pub kept: usize,
}

/// The forks of all programs in memory.
#[derive(Debug, Default)]
pub struct Forks {
    forks: Vec<Fork>,
    chains: Vec<Chain>,
    /// In programs of clones, maps each function that a thief calls to the number of its fork. Forks with the same function have equal
    /// entries.
    stubs: HashMap<usize, u32>,
    threads: bool,
}

impl Forks {
    /// Adds the [`ForkTable`] that code generation writes. Returns how many forks and chains earlier tables have. The caller adds these
    /// counts to the numbers in the code, because the numbers in the code are relative to the code's own program.
    pub fn extend(&mut self, functions: &[usize], table: &[u32]) -> (u32, u32) {
        let before = (self.forks.len() as u32, self.chains.len() as u32);
        let table = ForkTable::read(table);
        self.threads |= table.threads;
        for fork in table.forks {
            let stub = functions[fork.stub as usize];
            if table.clones {
                self.stubs.insert(stub, self.forks.len() as u32);
            }
            let args = fork.args.iter();
            self.forks.push(Fork {
                stub,
                args: args.map(|it| (it.distance as usize, it.pointer)).collect(),
                results: fork.results,
                lazy: fork.lazy,
            });
        }
        for chain in table.chains {
            self.chains.push(Chain {
                forks: chain.forks.iter().map(|fork| fork + before.0).collect(),
                kept: chain.kept as usize,
            });
        }
        before
    }

    /// Returns the fork with this number.
    #[must_use]
    pub fn fork(&self, number: u32) -> &Fork {
        &self.forks[number as usize]
    }

    /// In programs of clones, returns the number of the fork for which a thief calls this function.
    ///
    /// # Panics
    ///
    /// Panics if there is no such fork.
    #[must_use]
    pub fn of_stub(&self, stub: usize) -> u32 {
        self.stubs[&stub]
    }

    /// Returns true if forks make tasks. The result is the same for all programs in memory.
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
