//! Counts each word in a real text.

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
        name: "word-count",
        about: "counts the words of a real text: a fold of its lines into tables, which are added up",
        source: "real input: Milton's Paradise Lost, over and over; the example of MapReduce (Dean, Ghemawat, OSDI 2004)",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, 1)?),
    },
    has_ropes: false,
    prepare,
};

/// The number of chili's tasks. A small number is best, because chili's tasks have to merge their tables.
const TASKS: usize = 16;

type Table<'l> = HashMap<&'l str, u64>;

struct WordCount {
    lines: Vec<String>,
    expected: Vec<(String, u64)>,
}

fn prepare(size: Size, data: &Data, _: usize) -> Result<Box<dyn Looping>, String> {
    let program = WordCount::new(lines(size, data)?);
    Ok(Box::new(Looped::new(program)))
}

fn add<'l>(table: &mut Table<'l>, line: &'l str) {
    for word in words(line) {
        *table.entry(word).or_default() += 1;
    }
}

fn with<'l>(mut table: Table<'l>, line: &'l str) -> Table<'l> {
    add(&mut table, line);
    table
}

/// Adds the smaller table to the larger table.
fn sum<'l>(a: Table<'l>, b: Table<'l>) -> Table<'l> {
    let (mut sum, other) = if a.len() < b.len() { (b, a) } else { (a, b) };
    for (word, count) in other {
        *sum.entry(word).or_default() += count;
    }
    sum
}

/// Returns the entries of a table, in no particular order.
fn listed(table: Table<'_>) -> Vec<(String, u64)> {
    let list = table.into_iter();
    list.map(|(word, count)| (word.to_owned(), count)).collect()
}

impl WordCount {
    /// Makes the program. Computes the expected result with a sorted map.
    fn new(lines: Vec<String>) -> WordCount {
        let mut table: BTreeMap<&str, u64> = BTreeMap::new();
        for line in &lines {
            words(line).for_each(|word| *table.entry(word).or_default() += 1);
        }
        let expected = table.into_iter();
        let expected = expected.map(|(word, count)| (word.to_owned(), count));
        WordCount {
            expected: expected.collect(),
            lines,
        }
    }
}

impl Loop for WordCount {
    type Out = Vec<(String, u64)>;

    fn params(&self) -> String {
        format!("lines={} words={}", self.lines.len(), self.expected.len())
    }

    fn serial(&self) -> Self::Out {
        listed(
            self.lines
                .iter()
                .map(String::as_str)
                .fold(Table::new(), with),
        )
    }

    fn slices<X: Splitting>(&self, policy: X) -> Self::Out {
        let lines = self.lines.par().splitting(policy);
        let lines = lines.map(String::as_str);
        listed(lines.accumulate(Table::new, add, |table, other| {
            *table = sum(std::mem::take(table), other);
        }))
    }

    fn rayon(&self) -> Self::Out {
        let lines = self.lines.par_iter().map(String::as_str);
        let tables = lines.fold(Table::new, with);
        listed(tables.reduce(Table::new, sum))
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Self::Out {
        let parts: Vec<&[String]> = self
            .lines
            .chunks(self.lines.len().div_ceil(TASKS))
            .collect();
        let table = |_, i: usize| {
            let lines = parts[i].iter().map(String::as_str);
            lines.fold(Table::new(), with)
        };
        listed(fold(ctx, 0..parts.len(), &table, &sum))
    }

    fn check(&self, out: &Self::Out) -> Result<(), String> {
        let mut out = out.clone();
        out.sort();
        same(&out, &self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_fails() {
        let text = ["of man's first", "of that, of", "", "man"];
        let program = WordCount::new(text.map(str::to_owned).to_vec());
        let of = |list: &[(String, u64)]| list.iter().position(|(word, _)| word == "of").unwrap();
        assert_eq!(program.expected[of(&program.expected)].1, 3);
        let mut table = program.serial();
        program.check(&table).unwrap();
        let of = of(&table);
        table[of].1 = 2;
        assert!(program.check(&table).is_err());
        table.remove(of);
        assert!(program.check(&table).is_err());
    }
}
