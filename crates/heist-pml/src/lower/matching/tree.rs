//! Makes decision trees.
//!
//! A tree tests one place after the other. If a row does not test the place of a switch, the builder copies this row into every case. With
//! these copies, even a small match may become a large tree. When the copies exceed a budget, the next such row and all later rows become a
//! separate tree. This tree runs after the earlier rows fail. So the size of the code is linear in the size of the match.

use std::collections::HashMap;

use super::super::Lower;
use super::OccId;
use crate::anf::Label;
use crate::typed::{Const, ExnTag, Pat, PatKind, Var};

/// The variables that a leaf of a tree binds, each with the place of its value.
pub type Binds = [(Var, OccId)];

/// A row of a match: the tests that a value must pass before a rule applies.
#[derive(Clone, Debug)]
pub struct Row<'p> {
    /// The tests, in the order of the pattern: a place, and the pattern that must match there.
    pub tests: Vec<(OccId, &'p Pat)>,
    /// Places with alternatives: at each place, one of the patterns must match.
    pub choices: Vec<(OccId, &'p [Pat])>,
    /// The variables that the row binds if it matches, each with the place of its value.
    pub binds: Vec<(Var, OccId)>,
    /// The index of the rule.
    pub rule: usize,
}

impl Row<'_> {
    /// Makes a row without tests.
    pub fn new(rule: usize) -> Self {
        Row {
            tests: Vec::new(),
            choices: Vec::new(),
            binds: Vec::new(),
            rule,
        }
    }
}

/// A key of a [`Tree::Switch`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key<'p> {
    /// The constructor with this index.
    Con(u32),
    /// A word.
    Word(i64),
    /// A string.
    String(&'p [u8]),
    /// The double with these bits. Both zeros have the key 0, because they are equal.
    Real(u64),
    /// An integer of any size.
    Integer(&'p num_bigint::BigInt),
    /// An exception.
    Exn(ExnTag),
}

impl Key<'_> {
    fn of<'p>(lower: &Lower, pat: &'p Pat) -> Key<'p> {
        match &pat.kind {
            PatKind::Con { con, .. } => Key::Con(lower.layouts.con(*con).index),
            PatKind::Exn { tag, .. } => Key::Exn(*tag),
            PatKind::Const(value) => match value {
                Const::Int(value) => Key::Word(*value),
                Const::Word(value) => Key::Word(*value as i64),
                Const::Char(value) => Key::Word(i64::from(*value)),
                Const::IntInf(value) => Key::Integer(value),
                Const::String(bytes) => Key::String(bytes),
                Const::Real(value) if *value == 0.0 => Key::Real(0),
                Const::Real(value) => Key::Real(value.to_bits()),
            },
            PatKind::Vector(parts) => Key::Word(parts.len() as i64),
            _ => unreachable!("a pattern that matches everything is no test"),
        }
    }
}

/// A decision tree.
#[derive(Debug)]
pub enum Tree<'p> {
    /// No rule matches.
    Fail,
    /// A rule matches.
    Leaf {
        /// The index of the rule.
        rule: usize,
        /// The variables of the rule, each with the place of its value.
        binds: Vec<(Var, OccId)>,
    },
    /// Tests the value at a place, and continues with the tree for the key of this value.
    Switch {
        /// The place.
        occ: OccId,
        /// The keys, each with its tree.
        cases: Vec<(Key<'p>, Tree<'p>)>,
        /// The tree for all keys that have no case, or `None` if each key of the type has a case.
        default: Option<Box<Tree<'p>>>,
    },
    /// A jump to the join point with this label, which contains the code of a tree.
    Goto(Label),
    /// Two trees: the second tree runs if the first tree fails.
    Or(Box<Tree<'p>>, Box<Tree<'p>>),
}

impl Tree<'_> {
    /// Counts the leaves for each rule.
    pub fn count(&self, uses: &mut HashMap<usize, u32>) {
        match self {
            Tree::Fail | Tree::Goto(_) => {}
            Tree::Leaf { rule, .. } => *uses.entry(*rule).or_default() += 1,
            Tree::Switch { cases, default, .. } => {
                for (_, tree) in cases {
                    tree.count(uses);
                }
                if let Some(tree) = default {
                    tree.count(uses);
                }
            }
            Tree::Or(first, second) => {
                first.count(uses);
                second.count(uses);
            }
        }
    }
}

/// The maximum number of rows that the builder examines to choose a place.
const COMPARED: usize = 64;

/// The builder of decision trees.
pub struct Trees<'l> {
    lower: &'l mut Lower,
    /// The number of rows that the builder may still copy.
    budget: usize,
}

impl Trees<'_> {
    /// Returns the decision tree for rows. Earlier rows have precedence.
    pub fn build<'p>(lower: &mut Lower, rows: Vec<Row<'p>>) -> Tree<'p> {
        let budget = 200 + 8 * rows.len();
        Trees { lower, budget }.tree(rows)
    }

    fn tree<'p>(&mut self, mut rows: Vec<Row<'p>>) -> Tree<'p> {
        let Some(first) = rows.first_mut() else {
            return Tree::Fail;
        };
        if first.tests.is_empty() {
            return Tree::Leaf {
                rule: first.rule,
                binds: std::mem::take(&mut first.binds),
            };
        }
        let occ = self.column(&rows);
        let mut rest = Vec::new();
        if self.budget == 0 {
            // This tree has only the first rows, which all test this place. The other rows become a separate tree.
            let apart = rows
                .iter()
                .position(|row| !row.tests.iter().any(|test| test.0 == occ));
            if let Some(apart) = apart {
                rest = rows.split_off(apart);
            }
        }
        let switch = self.switch(occ, rows);
        if rest.is_empty() {
            return switch;
        }
        let rest = self.tree(rest);
        Tree::Or(Box::new(switch), Box::new(rest))
    }

    fn switch<'p>(&mut self, occ: OccId, rows: Vec<Row<'p>>) -> Tree<'p> {
        let mut keys: HashMap<Key<'p>, usize> = HashMap::new();
        let mut cases: Vec<(Key<'p>, Vec<Row<'p>>)> = Vec::new();
        let mut others: Vec<Row<'p>> = Vec::new();
        for mut row in rows {
            let Some(at) = row.tests.iter().position(|test| test.0 == occ) else {
                self.budget = self.budget.saturating_sub(cases.len());
                for case in &mut cases {
                    case.1.push(row.clone());
                }
                others.push(row);
                continue;
            };
            let (_, pat) = row.tests.remove(at);
            let key = Key::of(self.lower, pat);
            let case = *keys.entry(key.clone()).or_insert_with(|| {
                self.budget = self.budget.saturating_sub(others.len());
                cases.push((key, others.clone()));
                cases.len() - 1
            });
            self.lower.add_argument(&mut row, occ, pat);
            let rows = self.lower.choices(vec![row]);
            self.budget = self.budget.saturating_sub(rows.len() - 1);
            cases[case].1.extend(rows);
        }
        let ty = self.lower.occurrences[occ.0].ty;
        let all = self.lower.layouts.constructors(ty).len();
        let complete = all > 0 && cases.len() == all;
        let cases = cases
            .into_iter()
            .map(|(key, rows)| (key, self.tree(rows)))
            .collect();
        let default = if complete {
            None
        } else {
            Some(Box::new(self.tree(others)))
        };
        Tree::Switch {
            occ,
            cases,
            default,
        }
    }

    /// Chooses the next place to test, among the places that the first row tests. The result is the place that most of the first
    /// [`COMPARED`] rows test. If equally many rows test several places, the result is the place whose type has the fewest constructors.
    fn column(&self, rows: &[Row<'_>]) -> OccId {
        let first = &rows[0].tests;
        if let [(occ, _)] = first.as_slice() {
            return *occ;
        }
        let mut best = first[0].0;
        let mut best_score = (0, i64::MIN);
        for &(occ, _) in first {
            let asked = rows
                .iter()
                .take(COMPARED)
                .filter(|row| row.tests.iter().any(|test| test.0 == occ))
                .count();
            let ty = self.lower.occurrences[occ.0].ty;
            let branches = match self.lower.layouts.constructors(ty).len() {
                0 => i64::MAX,
                count => count as i64,
            };
            let score = (asked, -branches);
            if score > best_score {
                best = occ;
                best_score = score;
            }
        }
        best
    }
}

/// Returns the place of a variable's value in the bindings of a leaf.
pub fn place_of(binds: &Binds, var: Var) -> OccId {
    binds
        .iter()
        .find(|bind| bind.0 == var)
        .expect("all alternatives bind the same variables")
        .1
}

/// Returns the variables of a rule, each with the place of its value at a leaf of the tree.
pub fn binds_of(tree: &Tree<'_>, rule: usize) -> Vec<(Var, OccId)> {
    let mut binds = HashMap::new();
    collect_binds(tree, &mut binds);
    binds.remove(&rule).unwrap_or_default()
}

/// Adds the variables of each rule of the tree to `out`, each with the place of its value.
pub fn collect_binds(tree: &Tree<'_>, out: &mut HashMap<usize, Vec<(Var, OccId)>>) {
    match tree {
        Tree::Fail | Tree::Goto(_) => {}
        Tree::Leaf { rule, binds } => {
            out.entry(*rule).or_insert_with(|| binds.clone());
        }
        Tree::Switch { cases, default, .. } => {
            for (_, tree) in cases {
                collect_binds(tree, out);
            }
            if let Some(tree) = default {
                collect_binds(tree, out);
            }
        }
        Tree::Or(first, second) => {
            collect_binds(first, out);
            collect_binds(second, out);
        }
    }
}
