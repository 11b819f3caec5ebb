//! Maranget's algorithm of usefulness ("Warnings for pattern matching", 2007). A row is useful if some value matches this row but matches
//! no row above it.

use super::example::{Example, other};
use super::pattern::{Head, Simple};
use crate::typed::{Const, PrimTy, Program, TyConKind};

/// The maximum number of rows that the check of one match may examine. If the check reaches this number, it ends without a message.
const BUDGET: usize = 1_000_000;

const WILD: Simple<'static> = Simple::Wild;

/// The check of one match.
pub struct Matrix<'m> {
    program: &'m Program,
    left: usize,
}

type Row<'r, 'p> = Vec<&'r Simple<'p>>;

impl<'m> Matrix<'m> {
    /// Makes a check that may examine [`BUDGET`] rows.
    pub fn new(program: &'m Program) -> Self {
        Matrix {
            program,
            left: BUDGET,
        }
    }

    /// Returns true if a row matches a value that no earlier row matches, or `None` if the budget is used up.
    pub fn useful(&mut self, above: &[Simple<'_>], row: &Simple<'_>) -> Option<bool> {
        let rows = above.iter().map(|row| vec![row]).collect();
        self.is_useful(rows, vec![row])
    }

    /// Returns an example of a value that no row matches. Returns `Some(None)` if the rows match all values, and `None` if the budget is
    /// used up.
    pub fn missing<'p>(&mut self, rows: &[Simple<'p>]) -> Option<Option<Example<'p>>> {
        let rows = rows.iter().map(|row| vec![row]).collect();
        let found = self.uncovered(rows, 1)?;
        Some(found.map(|mut examples| examples.remove(0)))
    }

    fn spend(&mut self, rows: usize) -> Option<()> {
        self.left = self.left.checked_sub(rows + 1)?;
        Some(())
    }

    fn is_useful<'r, 'p>(&mut self, rows: Vec<Row<'r, 'p>>, mut row: Row<'r, 'p>) -> Option<bool> {
        self.spend(rows.len())?;
        if row.is_empty() || rows.is_empty() {
            return Some(rows.is_empty());
        }
        match row[0] {
            Simple::Node(head, parts) => {
                let rows = specialise(&rows, head, parts.len());
                row.splice(0..1, parts);
                self.is_useful(rows, row)
            }
            Simple::Wild => {
                let heads = heads(&rows);
                if self.complete(&heads) {
                    for (head, arity) in heads {
                        let rows = specialise(&rows, &head, arity);
                        let mut row = row.clone();
                        row.splice(0..1, std::iter::repeat_n(&WILD, arity));
                        if self.is_useful(rows, row)? {
                            return Some(true);
                        }
                    }
                    Some(false)
                } else {
                    row.remove(0);
                    self.is_useful(others(&rows), row)
                }
            }
        }
    }

    /// Returns an example for each column of a row of values that no row of patterns matches. Returns `Some(None)` if the rows match all
    /// values, and `None` if the budget is used up.
    fn uncovered<'r, 'p>(
        &mut self,
        rows: Vec<Row<'r, 'p>>,
        width: usize,
    ) -> Option<Option<Vec<Example<'p>>>> {
        self.spend(rows.len())?;
        if rows.is_empty() {
            return Some(Some(vec![Example::Any; width]));
        }
        if width == 0 {
            return Some(None);
        }
        let heads = heads(&rows);
        if self.complete(&heads) {
            for (head, arity) in heads {
                let inside = specialise(&rows, &head, arity);
                if let Some(mut examples) = self.uncovered(inside, width - 1 + arity)? {
                    let rest = examples.split_off(arity);
                    let mut found = vec![Example::Node(head, examples)];
                    found.extend(rest);
                    return Some(Some(found));
                }
            }
            return Some(None);
        }
        let Some(rest) = self.uncovered(others(&rows), width - 1)? else {
            return Some(None);
        };
        let mut found = vec![other(self.program, &heads)];
        found.extend(rest);
        Some(Some(found))
    }

    /// Returns true if each value of the heads' type has one of these heads.
    fn complete(&self, heads: &[(Head<'_>, usize)]) -> bool {
        match heads.first() {
            None | Some((Head::Exn(..) | Head::Vector(_), _)) => false,
            Some((Head::Record(_) | Head::Ref, _)) => true,
            Some((Head::Con(con), _)) => {
                let tycon = self.program.cons[con.index()].tycon;
                match &self.program.tycons[tycon.index()].kind {
                    TyConKind::Data(cons) => heads.len() == cons.len(),
                    _ => false,
                }
            }
            Some((Head::Const(_, ty), _)) => {
                let range = self.program.prim_of(*ty).and_then(PrimTy::range);
                range.is_some_and(|range| heads.len() as i128 > range.end() - range.start())
            }
        }
    }
}

/// Returns the heads in the first column, each with its number of parts.
fn heads<'p>(rows: &[Row<'_, 'p>]) -> Vec<(Head<'p>, usize)> {
    let mut found: Vec<(Head<'p>, usize)> = Vec::new();
    // The set has the numbers of constructors and characters, so that a match with many rules does not take quadratic
    // time.
    let mut seen = std::collections::HashSet::new();
    for row in rows {
        if let Simple::Node(head, parts) = row[0] {
            let new = match head {
                Head::Con(con) => seen.insert(i128::from(con.0)),
                Head::Const(Const::Int(value), _) => seen.insert(i128::from(*value)),
                Head::Const(Const::Word(value), _) => seen.insert(i128::from(*value)),
                Head::Const(Const::Char(value), _) => seen.insert(i128::from(*value)),
                head => !found.iter().any(|known| known.0 == *head),
            };
            if new {
                found.push((*head, parts.len()));
            }
        }
    }
    found
}

/// Returns the rows whose first column has this head or matches any value. The columns of the head's parts replace the
/// first column.
fn specialise<'r, 'p>(rows: &[Row<'r, 'p>], head: &Head<'p>, arity: usize) -> Vec<Row<'r, 'p>> {
    rows.iter()
        .filter_map(|row| {
            let mut new: Row<'r, 'p> = Vec::with_capacity(row.len() - 1 + arity);
            match row[0] {
                Simple::Wild => new.extend(std::iter::repeat_n(&WILD, arity)),
                Simple::Node(other, parts) if other == head => new.extend(parts),
                Simple::Node(..) => return None,
            }
            new.extend(&row[1..]);
            Some(new)
        })
        .collect()
}

/// Returns the rows whose first column matches any value, without this column.
fn others<'r, 'p>(rows: &[Row<'r, 'p>]) -> Vec<Row<'r, 'p>> {
    rows.iter()
        .filter(|row| matches!(row[0], Simple::Wild))
        .map(|row| row[1..].to_vec())
        .collect()
}
