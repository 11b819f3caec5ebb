//! Liveness analysis. For each block of a program, the analysis finds the places (registers or variables) whose values may still be read.
//!
//! A data-flow problem is a system of equations over sets, with one equation for each block. The solution of this system is its least
//! fixpoint. For liveness, `live[b] = gen[b] | (after & !kill[b])`, where `after` is the union of `live[s]` over the blocks `s` that may
//! run after `b`. Every order of evaluation reaches the fixpoint, because sets only grow. A worklist evaluates a block again when one of
//! its inputs has changed. See Kildall, "A unified approach to global program optimization", POPL 1973.

use std::sync::atomic::{AtomicU64, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::{Csr, Edges, MOST_VERTICES};
use crate::data::{Data, Source};

/// A program for the analysis of liveness: blocks, their successors, and the places that each block reads and overwrites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    next: Csr,
    previous: Csr,
    sets: Vec<Sets>,
}

/// Sets of up to 64 places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sets {
    /// The places that the block reads before it writes them.
    reads: u64,
    /// The places that the block overwrites completely in every execution.
    writes: u64,
}

impl Program {
    /// Returns the program in the file that `data` names. If `data` names no file, returns the built-in program, which is
    /// SQLite's library.
    ///
    /// # Errors
    /// Returns a one-line error if the file cannot be read or is malformed. The line names the position in the file.
    pub fn load(data: &Data) -> Result<Program, String> {
        Program::from_source(&data.program()?)
    }

    /// Parses a program in the format of `data/program.txt`: lines `b: gen kill s s ...`.
    ///
    /// # Errors
    /// Returns an error if a line is malformed. The message uses `name` as the name of the text.
    pub fn parse(name: &str, text: &str) -> Result<Program, String> {
        Program::from_source(&Source {
            name: name.to_owned(),
            text: text.to_owned().into(),
        })
    }

    fn from_source(source: &Source) -> Result<Program, String> {
        let mut sets = Vec::new();
        let mut pairs = Vec::new();
        // The largest block that any line names as a successor, and the first line that names it.
        let mut last = (0, 0);
        for (line, text) in source.lines() {
            let wrong = |reason: std::fmt::Arguments<'_>| source.wrong(line, reason);
            let Some((block, rest)) = text.split_once(':') else {
                return Err(wrong(format_args!("there is no ':' after a block")));
            };
            let (block, expected) = (block.trim(), sets.len());
            if block.parse() != Ok(expected) {
                return Err(wrong(format_args!(
                    "'{block}' is not the next block, {expected}"
                )));
            }
            if expected == MOST_VERTICES {
                return Err(wrong(format_args!("more than {MOST_VERTICES} blocks")));
            }
            let mut fields = rest.split_whitespace();
            let mut set = |what: &str| match fields.next() {
                None => Err(wrong(format_args!("there is no {what} set"))),
                Some(field) => u64::from_str_radix(field, 16).map_err(|_| {
                    wrong(format_args!(
                        "'{field}' is no set of 64 places in hexadecimal"
                    ))
                }),
            };
            sets.push(Sets {
                reads: set("gen")?,
                writes: set("kill")?,
            });
            for field in fields {
                let next = field.parse().ok().filter(|&b| (b as usize) < MOST_VERTICES);
                let Some(next) = next else {
                    return Err(wrong(format_args!("'{field}' is no block")));
                };
                if next > last.0 {
                    last = (next, line);
                }
                pairs.push((expected as u32, next));
            }
        }
        if sets.is_empty() {
            return Err(format!("{}: there are no blocks", source.name));
        }
        let (block, line) = last;
        if block as usize >= sets.len() {
            let most = sets.len() - 1;
            return Err(source.wrong(line, format_args!("'{block}' is no block from 0 to {most}")));
        }
        let next = Csr::directed(&Edges::new(sets.len(), pairs));
        Ok(Program {
            previous: next.transposed(),
            next,
            sets,
        })
    }

    /// Returns the number of blocks, which are numbered from 0.
    pub fn blocks(&self) -> usize {
        self.sets.len()
    }

    /// Returns the blocks that may run after a block.
    ///
    /// # Panics
    /// Panics if the program has no such block.
    #[inline]
    pub fn next(&self, block: u32) -> &[u32] {
        self.next.neighbours(block)
    }

    /// Returns the places that are live at the beginning of a block, given the places that are live at its end.
    ///
    /// # Panics
    /// Panics if the program has no such block.
    #[inline]
    pub fn before(&self, block: u32, after: u64) -> u64 {
        let Sets { reads, writes } = self.sets[block as usize];
        reads | (after & !writes)
    }

    /// Returns the graph of the blocks that may run after each block.
    pub fn flow(&self) -> &Csr {
        &self.next
    }
}

/// Returns the places that are live at the beginning of each block. A worklist evaluates blocks against the direction of the
/// control flow.
///
/// If a deque delivers a block twice, the worklist evaluates the block twice. The second result is equal to the first result, or a superset
/// of the first result.
pub fn run<Q: Queue<u32>>(list: &Worklist<Q>, program: &Program) -> (Vec<u64>, Report) {
    let live: Vec<AtomicU64> = program.sets.iter().map(|_| AtomicU64::new(0)).collect();
    // Begin with the last block, because most successors of a block have higher numbers.
    let blocks = (0..program.blocks() as u32).rev();
    let report = list.for_each(blocks, |block, context| {
        // Relaxed: if a set grows after this read, a worker pushes this block again, and this push and its delivery order the growth before
        // the new evaluation.
        let after = program.next(block).iter().fold(0, |all, &next| {
            all | live[next as usize].load(Ordering::Relaxed)
        });
        let before = program.before(block, after);
        let known = &live[block as usize];
        // Use a read-modify-write: another evaluation of the same block may have seen more and ended earlier, and a store would undo its
        // result. Relaxed: the push and the delivery of a block order the change of a set before the read that the block causes.
        if before & !known.load(Ordering::Relaxed) != 0
            && before & !known.fetch_or(before, Ordering::Relaxed) != 0
        {
            for &previous in program.previous.neighbours(block) {
                context.push(previous);
            }
        }
    });
    (
        live.into_iter().map(AtomicU64::into_inner).collect(),
        report,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_program_is_whole() {
        let program = Program::load(&Data::default()).unwrap();
        assert_eq!((program.blocks(), program.flow().arcs()), (46_209, 67_858));
    }

    #[test]
    fn few_entries_read_xmm8_to_xmm15_and_all_read_the_stack_pointer() {
        // Bits 23 + 8 to 23 + 15 are xmm8 to xmm15, which carry no arguments: no function expects a value in them, except for functions
        // that end in a jump to an unknown address.
        let program = Program::load(&Data::default()).unwrap();
        let live = super::super::serial::live(&program);
        let entries: Vec<usize> = (0..program.blocks())
            .filter(|&b| program.previous.degree(b as u32) == 0)
            .collect();
        let odd = entries
            .iter()
            .filter(|&&b| live[b] >> 31 & 0xff != 0)
            .count();
        let stack = entries.iter().filter(|&&b| live[b] >> 4 & 1 != 0).count();
        assert!(odd * 20 < entries.len(), "{odd} of {}", entries.len());
        assert_eq!(stack, entries.len(), "the stack pointer is live everywhere");
    }

    #[test]
    fn faults_of_a_text_are_named() {
        let fault = |text: &str| Program::parse("F", text).unwrap_err();
        for (text, must) in [
            ("", "F: there are no blocks"),
            ("# only\n", "F: there are no blocks"),
            ("0 1 2\n", "F, line 1: there is no ':' after a block"),
            (
                "0: 0 0\n2: 0 0\n",
                "F, line 2: '2' is not the next block, 1",
            ),
            ("x: 0 0\n", "F, line 1: 'x' is not the next block, 0"),
            ("0:\n", "F, line 1: there is no gen set"),
            ("# c\n0: 1\n", "F, line 2: there is no kill set"),
            (
                "0: g 0\n",
                "F, line 1: 'g' is no set of 64 places in hexadecimal",
            ),
            (
                "0: 0 10000000000000000\n",
                "F, line 1: '10000000000000000' is no set of 64 places in hexadecimal",
            ),
            ("0: 0 0 -1\n", "F, line 1: '-1' is no block"),
            ("0: 0 0 4000000000\n", "F, line 1: '4000000000' is no block"),
            (
                "0: 0 0 1\n1: 0 0 7\n2: 0 0 7",
                "F, line 2: '7' is no block from 0 to 2",
            ),
        ] {
            assert_eq!(fault(text), must, "{text:?}");
        }
    }
}
