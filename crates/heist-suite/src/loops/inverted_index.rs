//! An index of a real text. For each word, the index has the lines that contain the word.

use std::collections::{BTreeMap, HashMap};

use heist::par::{Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::kernel::{Loop, Looped, Looping};
use super::seq::same;
use super::text::{lines, words};
use crate::contender::Contender;
use crate::ctx::{Ctx, fold};
use crate::data::Data;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "inverted-index",
        about: "finds the lines of a real text that each word is in: groups of words with their lines, then lists of lines",
        source: "real input: Milton's Paradise Lost, over and over; MapReduce (Dean, Ghemawat, OSDI 2004), section 2.3",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, 1)?),
    },
    has_ropes: false,
    prepare,
};

/// The number of chili's tasks. A small number is best, because chili's tasks have to merge their groups.
const TASKS: usize = 16;

/// A word, and the numbers of the lines that contain it, in ascending order.
type Entry = (String, Vec<u32>);
/// Groups of occurrences by word. An occurrence is the word and the number of its line, and each group is in the order of lines.
type Groups<'l> = HashMap<&'l str, Vec<(&'l str, u32)>>;

struct InvertedIndex {
    lines: Vec<String>,
    expected: Vec<Entry>,
}

fn prepare(size: Size, data: &Data, _: usize) -> Result<Box<dyn Looping>, String> {
    let program = InvertedIndex::new(lines(size, data)?);
    Ok(Box::new(Looped::new(program)))
}

/// Returns the words of a line. Each word is paired with the number of the line.
fn places((number, line): (usize, &String)) -> impl Iterator<Item = (&str, u32)> {
    words(line).map(move |word| (word, number as u32))
}

/// Returns the index entry of a group. The entry has each line once.
fn entry((word, group): (&str, Vec<(&str, u32)>)) -> Entry {
    let mut lines: Vec<u32> = group.into_iter().map(|(_, line)| line).collect();
    lines.dedup();
    (word.to_owned(), lines)
}

fn with<'l>(mut groups: Groups<'l>, place: (&'l str, u32)) -> Groups<'l> {
    groups.entry(place.0).or_default().push(place);
    groups
}

/// Merges two tables of groups. In each group, the occurrences of `left` come first.
fn both<'l>(mut left: Groups<'l>, right: Groups<'l>) -> Groups<'l> {
    for (word, group) in right {
        left.entry(word).or_default().extend(group);
    }
    left
}

impl InvertedIndex {
    /// Makes the program. Computes the expected result with a tree of words.
    fn new(lines: Vec<String>) -> InvertedIndex {
        let mut index: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (number, line) in (0..).zip(&lines) {
            for word in words(line) {
                let list = index.entry(word).or_default();
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        let expected = index.into_iter();
        let expected = expected.map(|(word, list)| (word.to_owned(), list));
        InvertedIndex {
            expected: expected.collect(),
            lines,
        }
    }
}

impl Loop for InvertedIndex {
    type Out = Vec<Entry>;

    fn params(&self) -> String {
        format!("lines={} words={}", self.lines.len(), self.expected.len())
    }

    fn serial(&self) -> Vec<Entry> {
        let places = self.lines.iter().enumerate().flat_map(places);
        let groups = places.fold(Groups::new(), with);
        groups.into_iter().map(entry).collect()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Vec<Entry> {
        let lines = self.lines.par().enumerate().splitting(policy);
        let groups = lines.flat_map_iter(places).group_by(|&(word, _)| word);
        let groups: Vec<_> = groups.into_iter().collect();
        groups.into_par().splitting(policy).map(entry).collect()
    }

    fn rayon(&self) -> Vec<Entry> {
        let lines = self.lines.par_iter().enumerate();
        let groups = lines.flat_map_iter(places).fold(Groups::new, with);
        let groups = groups.reduce(Groups::new, both);
        groups.into_par_iter().map(entry).collect()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Vec<Entry> {
        let grain = self.lines.len().div_ceil(TASKS);
        let parts: Vec<&[String]> = self.lines.chunks(grain).collect();
        let groups = |_, i: usize| {
            let lines = (i * grain..).zip(parts[i]);
            lines.flat_map(places).fold(Groups::new(), with)
        };
        let groups = fold(ctx, 0..parts.len(), &groups, &both);
        groups.into_iter().map(entry).collect()
    }

    fn check(&self, out: &Vec<Entry>) -> Result<(), String> {
        let mut out: Vec<&Entry> = out.iter().collect();
        out.sort();
        let expected: Vec<&Entry> = self.expected.iter().collect();
        same(&out, &expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_or_misplaced_line_fails() {
        let text = ["of man's first", "of that, of", "", "man of"];
        let program = InvertedIndex::new(text.map(str::to_owned).to_vec());
        let mut index = program.serial();
        program.check(&index).unwrap();
        let of = index.iter().position(|(word, _)| word == "of").unwrap();
        assert_eq!(index[of].1, [0, 1, 3]);
        index[of].1.swap(1, 2);
        assert!(program.check(&index).is_err());
        index[of].1 = vec![0, 1];
        assert!(program.check(&index).is_err());
    }
}
