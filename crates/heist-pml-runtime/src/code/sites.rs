//! The tables of calls and of forks in a compiled program. Code generation writes these tables, and the runtime reads them. Code generation
//! and the runtime both use the types of this module, so the order of the words is defined only here.
//!
//! A table consists of words of 32 bits without padding. In a table, the length of a list comes before the list.

use std::num::NonZeroU32;

use crate::value::object::WORD;

/// The bit that is set in the table's number of forks if the program's forks make tasks (`fork/tasks.rs`).
const CLONES: u32 = 1 << 31;

/// The words of a table that the reader has not read yet.
#[derive(Clone, Debug)]
pub struct Words<'a>(&'a [u32]);

impl<'a> Words<'a> {
    /// Begins to read a table.
    #[must_use]
    pub fn new(table: &'a [u32]) -> Words<'a> {
        Words(table)
    }

    /// Returns true if the whole table has been read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    fn word(&mut self) -> u32 {
        self.list(1)[0]
    }

    #[inline]
    fn list(&mut self, length: u32) -> &'a [u32] {
        let (list, rest) = self
            .0
            .split_at_checked(length as usize)
            .expect("the table is whole");
        self.0 = rest;
        list
    }
}

/// A call that may collect or raise. Offsets are from the beginning of the function's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The offset of the return address.
    pub address: u32,
    /// The offset of the handler that covers the call, if there is one.
    pub handler: Option<NonZeroU32>,
    /// The offset of the call's landing, if the call ends the left side of a fork whose join needs no check. If the fork was published, the
    /// call must return to this address.
    pub landing: Option<NonZeroU32>,
    /// The frame pointer minus the stack pointer, at the call.
    pub frame: u32,
    /// The number of the chain of forks that have begun but not ended when the call happens. [`ForkTable::chains`] are numbered from 1.
    pub chain: Option<NonZeroU32>,
    /// The number of the call's spot (see `places.rs`).
    pub spot: Option<NonZeroU32>,
    /// The slots that hold pointers, as distances below the frame pointer.
    pub slots: &'a [u32],
}

impl<'a> Call<'a> {
    fn write(&self, table: &mut Vec<u32>) {
        let or_zero = |number: Option<NonZeroU32>| number.map_or(0, NonZeroU32::get);
        table.extend([
            self.address,
            or_zero(self.handler),
            or_zero(self.landing),
            self.frame,
            or_zero(self.chain),
            or_zero(self.spot),
            self.slots.len() as u32,
        ]);
        table.extend(self.slots);
    }

    #[inline]
    fn read(words: &mut Words<'a>) -> Call<'a> {
        Call {
            address: words.word(),
            handler: NonZeroU32::new(words.word()),
            landing: NonZeroU32::new(words.word()),
            frame: words.word(),
            chain: NonZeroU32::new(words.word()),
            spot: NonZeroU32::new(words.word()),
            slots: {
                let length = words.word();
                words.list(length)
            },
        }
    }
}

/// Adds the calls of a function to the table of calls. The table has the functions of the program in their order.
#[derive(Debug)]
pub struct Calls<'t> {
    table: &'t mut Vec<u32>,
    /// The position of the word with the function's number of calls.
    count: usize,
}

impl<'t> Calls<'t> {
    /// Begins the next function of a table.
    pub fn begin(table: &'t mut Vec<u32>) -> Calls<'t> {
        let count = table.len();
        table.push(0);
        Calls { table, count }
    }

    /// Adds a call.
    pub fn add(&mut self, call: &Call) {
        self.table[self.count] += 1;
        call.write(self.table);
    }

    /// Reads the calls of the next function. The caller must take all of these calls before it reads the next function.
    ///
    /// # Panics
    ///
    /// The iterator panics if the table is not whole.
    pub fn read<'a>(words: &mut Words<'a>) -> impl Iterator<Item = Call<'a>> {
        let count = words.word();
        (0..count).map(|_| Call::read(words))
    }
}

/// An argument of the function that a fork's thief calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The place of the argument, in bytes below the frame pointer. In a program of clones, the place is the distance from the task's
    /// header instead. The distance is a multiple of the size of a word.
    pub distance: u32,
    /// Whether the argument is a pointer.
    pub pointer: bool,
}

/// A fork of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The number of the function that a thief calls.
    pub stub: u32,
    /// Whether the fork begins to compute a lazy value.
    pub lazy: bool,
    /// The arguments of the function that a thief calls.
    pub args: Vec<Argument>,
    /// For each result, whether it is a pointer.
    pub results: Vec<bool>,
}

/// Forks that have begun but not ended when a call happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The number of these forks whose left side also contains the handler of the call.
    pub kept: u32,
    /// The numbers of the forks, the outermost first.
    pub forks: Vec<u32>,
}

/// The table of forks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForkTable {
    /// Whether the program may make threads.
    pub threads: bool,
    /// Whether the forks make tasks.
    pub clones: bool,
    /// The forks, numbered from 0.
    pub forks: Vec<Fork>,
    /// The chains, numbered from 1: in a call, 0 stands for no chain.
    pub chains: Vec<Chain>,
}

impl ForkTable {
    /// Returns the words of the table.
    #[must_use]
    pub fn write(&self) -> Vec<u32> {
        let clones = if self.clones { CLONES } else { 0 };
        let mut table = vec![u32::from(self.threads), self.forks.len() as u32 | clones];
        for fork in &self.forks {
            table.extend([fork.stub, u32::from(fork.lazy), fork.args.len() as u32]);
            let args = fork.args.iter();
            table.extend(args.map(|arg| arg.distance | u32::from(arg.pointer)));
            table.push(fork.results.len() as u32);
            table.extend(fork.results.iter().map(|result| u32::from(*result)));
        }
        table.push(self.chains.len() as u32);
        for chain in &self.chains {
            table.extend([chain.kept, chain.forks.len() as u32]);
            table.extend(&chain.forks);
        }
        table
    }

    /// Reads a table.
    ///
    /// # Panics
    ///
    /// Panics if the table is not whole.
    #[must_use]
    pub fn read(table: &[u32]) -> ForkTable {
        let mut words = Words::new(table);
        let threads = words.word() == 1;
        let count = words.word();
        let forks = (0..count & !CLONES).map(|_| Fork::read(&mut words));
        let forks = forks.collect();
        let chains = (0..words.word()).map(|_| Chain::read(&mut words));
        let chains = chains.collect();
        debug_assert!(words.is_empty(), "words behind the table");
        ForkTable {
            threads,
            clones: count & CLONES != 0,
            forks,
            chains,
        }
    }
}

impl Fork {
    fn read(words: &mut Words) -> Fork {
        let (stub, lazy, args) = (words.word(), words.word() == 1, words.word());
        let args = words.list(args).iter().map(|word| Argument {
            distance: word & !(WORD as u32 - 1),
            pointer: word & 1 == 1,
        });
        let results = words.word();
        let results = words.list(results).iter().map(|word| *word == 1);
        Fork {
            stub,
            lazy,
            args: args.collect(),
            results: results.collect(),
        }
    }
}

impl Chain {
    fn read(words: &mut Words) -> Chain {
        let (kept, length) = (words.word(), words.word());
        Chain {
            kept,
            forks: words.list(length).to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// A call that owns its list of slots.
    #[derive(Clone, Debug)]
    struct Owned {
        words: [u32; 6],
        slots: Vec<u32>,
    }

    impl Owned {
        fn call(&self) -> Call<'_> {
            let [address, handler, landing, frame, chain, spot] = self.words;
            Call {
                address,
                handler: NonZeroU32::new(handler),
                landing: NonZeroU32::new(landing),
                frame,
                chain: NonZeroU32::new(chain),
                spot: NonZeroU32::new(spot),
                slots: &self.slots,
            }
        }
    }

    /// Random numbers, with 0, 1 and the greatest number as frequent values.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![Just(0), Just(1), Just(u32::MAX), any::<u32>()]
    }

    fn functions() -> impl Strategy<Value = Vec<Vec<Owned>>> {
        let words = std::array::from_fn(|_| number());
        let call = (words, vec(number(), 0..5)).prop_map(|(words, slots)| Owned { words, slots });
        vec(vec(call, 0..4), 0..6)
    }

    fn fork_tables() -> impl Strategy<Value = ForkTable> {
        let arg = (0..u32::MAX / 8, any::<bool>()).prop_map(|(words, pointer)| Argument {
            distance: 8 * words,
            pointer,
        });
        let fork = (
            number(),
            any::<bool>(),
            vec(arg, 0..4),
            vec(any::<bool>(), 0..4),
        );
        let fork = fork.prop_map(|(stub, lazy, args, results)| Fork {
            stub,
            lazy,
            args,
            results,
        });
        let chain = (number(), vec(number(), 0..4));
        let chain = chain.prop_map(|(kept, forks)| Chain { kept, forks });
        let lists = (vec(fork, 0..5), vec(chain, 0..5));
        let table = (any::<bool>(), any::<bool>(), lists);
        table.prop_map(|(threads, clones, (forks, chains))| ForkTable {
            threads,
            clones,
            forks,
            chains,
        })
    }

    proptest! {
        #[test]
        fn calls_are_read_as_they_are_written(functions in functions()) {
            let mut table = Vec::new();
            for function in &functions {
                let mut calls = Calls::begin(&mut table);
                for call in function {
                    calls.add(&call.call());
                }
            }
            let mut words = Words::new(&table);
            for function in &functions {
                let calls: Vec<Call> = Calls::read(&mut words).collect();
                prop_assert_eq!(calls, function.iter().map(Owned::call).collect::<Vec<_>>());
            }
            prop_assert!(words.is_empty());
        }

        #[test]
        fn forks_are_read_as_they_are_written(table in fork_tables()) {
            prop_assert_eq!(ForkTable::read(&table.write()), table);
        }
    }

    /// A linker may combine an object file with the runtime of another build if both have the same
    /// [`VERSION`](crate::code::description::VERSION). So a change of the words needs a new version.
    #[test]
    fn the_order_of_the_words_is_fixed() {
        let mut words = Vec::new();
        let mut calls = Calls::begin(&mut words);
        calls.add(&Call {
            address: 16,
            handler: NonZeroU32::new(64),
            landing: NonZeroU32::new(80),
            frame: 32,
            chain: None,
            spot: NonZeroU32::new(7),
            slots: &[8, 24],
        });
        assert_eq!(words, [1, 16, 64, 80, 32, 0, 7, 2, 8, 24]);
        let arg = |distance, pointer| Argument { distance, pointer };
        let table = ForkTable {
            threads: false,
            clones: true,
            forks: vec![Fork {
                stub: 1,
                lazy: false,
                args: vec![arg(16, true), arg(24, false)],
                results: vec![true],
            }],
            chains: vec![Chain {
                kept: 1,
                forks: vec![0, 0],
            }],
        };
        let words = [0, CLONES | 1, 1, 0, 2, 16 | 1, 24, 1, 1, 1, 1, 2, 0, 0];
        assert_eq!(table.write(), words);
    }
}
