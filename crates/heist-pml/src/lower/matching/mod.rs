//! Lowers matches. This module translates patterns to decision trees, which test each place at most once on every path.
//!
//! An [`Occurrence`] is a place in the matched value. The first test that needs the value of an occurrence loads the value, and later tests
//! of the same block use the loaded value.

mod emit;
mod tree;

use std::collections::HashMap;

pub use emit::Fallback;
use tree::{Row, Trees};

use super::Lower;
use super::exn;
use super::exp::Dest;
use super::layout::{ConRep, Data};
use super::value::{Memo, Value};
use crate::anf::{Atom, End, Rep, Rhs, Stmt};
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{ExnTag, Pat, PatKind, Rule, Ty};

/// The id of a place: an index in [`Lower::occurrences`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OccId(pub usize);

/// A place in a matched value.
#[derive(Debug)]
pub struct Occurrence {
    /// The type of the value at the place.
    pub ty: Ty,
    from: From,
    /// The value at the place, if code of this block has loaded it.
    pub value: Option<Value>,
    /// The known places inside of this place.
    parts: HashMap<Part, OccId>,
}

/// A step from a place to a place inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// The field of a record at this position.
    Field(usize),
    /// The argument of the constructor with this number.
    Argument(u32),
    /// The argument of an exception.
    Payload(ExnTag, Rep),
    /// The contents of a reference.
    Content,
    /// The length of a vector.
    Length,
    /// The element of a vector at this index.
    Element(usize),
}

#[derive(Clone, Copy, Debug)]
enum From {
    /// The matched value itself.
    Root,
    /// A place inside another place.
    Part(OccId, Part),
}

impl Lower {
    fn root(&mut self, value: Value, ty: Ty) -> OccId {
        self.occurrences.push(Occurrence {
            ty,
            from: From::Root,
            value: Some(value),
            parts: HashMap::new(),
        });
        OccId(self.occurrences.len() - 1)
    }

    /// Returns the place of the part `part` inside of the place `of`.
    fn part(&mut self, of: OccId, part: Part, ty: Ty) -> OccId {
        if let Some(&known) = self.occurrences[of.0].parts.get(&part) {
            return known;
        }
        self.occurrences.push(Occurrence {
            ty,
            from: From::Part(of, part),
            value: None,
            parts: HashMap::new(),
        });
        let id = OccId(self.occurrences.len() - 1);
        self.occurrences[of.0].parts.insert(part, id);
        id
    }

    /// Returns the value at a place. Loads the value if this block has not loaded it yet.
    fn look(&mut self, occ: OccId, span: Span) -> Value {
        if let Some(value) = self.occurrences[occ.0].value {
            return value;
        }
        let From::Part(of, part) = self.occurrences[occ.0].from else {
            unreachable!("the value itself is known");
        };
        let ty = self.occurrences[occ.0].ty;
        let value = match part {
            Part::Field(position) => self.look_field(of, position, span),
            Part::Argument(number) => self.look_argument(of, number, ty, span),
            Part::Payload(_, rep) => {
                let object = self.look_atom(of, span);
                Value::Atom(self.load(object, exn::ARGUMENT, rep, self.names.field, span))
            }
            Part::Content => {
                let object = self.look_atom(of, span);
                let rep = self.layouts.rep(ty);
                let rhs = Rhs::Prim {
                    prim: Prim::RefGet,
                    elem: Some(rep),
                    args: vec![object],
                };
                Value::Atom(self.compute(rep, self.names.field, rhs, span))
            }
            Part::Length => {
                let rhs = Rhs::Prim {
                    prim: Prim::VectorLength,
                    elem: None,
                    args: vec![self.look_atom(of, span)],
                };
                Value::Atom(self.compute(Rep::Int, self.names.field, rhs, span))
            }
            Part::Element(index) => {
                let object = self.look_atom(of, span);
                let rep = self.layouts.rep(ty);
                let rhs = Rhs::Prim {
                    prim: Prim::VectorGet,
                    elem: Some(rep),
                    args: vec![object, Atom::Int(index as i64)],
                };
                Value::Atom(self.compute(rep, self.names.field, rhs, span))
            }
        };
        self.occurrences[occ.0].value = Some(value);
        self.trail.push(Memo::Seen(occ, None));
        value
    }

    /// Returns the value at a place, if code needs no load to get it.
    fn at_hand(&self, occ: OccId) -> Option<Value> {
        let occurrence = &self.occurrences[occ.0];
        if let Some(value) = occurrence.value {
            return Some(value);
        }
        match occurrence.from {
            From::Part(of, Part::Field(position)) => match self.at_hand(of)? {
                Value::Record(record) => Some(self.records[record.0].field(position)),
                Value::Atom(_) => None,
            },
            _ => None,
        }
    }

    fn look_atom(&mut self, occ: OccId, span: Span) -> Atom {
        let value = self.look(occ, span);
        self.atom(value, span)
    }

    /// Returns the value of a record's field. The record is at the place `of`, and its fields may be fields of a constructor's object.
    fn look_field(&mut self, of: OccId, position: usize, span: Span) -> Value {
        if self.occurrences[of.0].value.is_none()
            && let From::Part(object, Part::Argument(number)) = self.occurrences[of.0].from
        {
            let data = self.layouts.data(self.occurrences[object.0].ty);
            if let Data::Mixed { cons, objects, .. } = &*data
                && let ConRep::Object {
                    fields,
                    spread: true,
                    ..
                } = &cons[number as usize]
            {
                let layout = (*objects == 1).then_some(fields.layout);
                let (field, name) = (&fields.fields[position], self.names.field);
                let object = self.look_atom(object, span);
                return Value::Atom(self.load_from(object, layout, field, name, span));
            }
        }
        let record = self.look(of, span);
        let ty = self.occurrences[of.0].ty;
        self.field(record, ty, position, span)
    }

    /// Returns the value of the argument of constructor `number` at the place `of`.
    fn look_argument(&mut self, of: OccId, number: u32, ty: Ty, span: Span) -> Value {
        let data = self.layouts.data(self.occurrences[of.0].ty);
        match &*data {
            Data::Mixed { cons, objects, .. } => match &cons[number as usize] {
                ConRep::Object { fields, spread, .. } => {
                    let object = self.look_atom(of, span);
                    let layout = (*objects == 1).then_some(fields.layout);
                    let name = self.names.field;
                    let values: Vec<Value> = fields
                        .fields
                        .iter()
                        .map(|field| Value::Atom(self.load_from(object, layout, field, name, span)))
                        .collect();
                    if *spread {
                        self.record(ty, values)
                    } else {
                        values[0]
                    }
                }
                ConRep::Imm(_) => unreachable!("a constructor without argument"),
            },
            Data::Wrapper(_) => self.look(of, span),
            Data::Enum => unreachable!("a constructor without argument"),
        }
    }

    /// Returns true if a pattern matches all values of its type.
    pub fn irrefutable(&mut self, pat: &Pat) -> bool {
        match &pat.kind {
            PatKind::Wild | PatKind::Var(_) => true,
            PatKind::As(_, pat) | PatKind::Ref(pat) => self.irrefutable(pat),
            PatKind::Record(fields) => fields.iter().all(|field| self.irrefutable(&field.1)),
            PatKind::Con { arg, .. } => {
                self.layouts.constructors(pat.ty).len() == 1
                    && arg.as_ref().is_none_or(|arg| self.irrefutable(arg))
            }
            PatKind::Or(pats) => pats.iter().any(|pat| self.irrefutable(pat)),
            PatKind::Const(_) | PatKind::Exn { .. } | PatKind::Vector(_) => false,
        }
    }

    /// Matches a value against rules. Returns an end for the current block that runs the code of the match.
    pub fn rules(
        &mut self,
        value: Value,
        ty: Ty,
        rules: &[Rule],
        fallback: Fallback,
        dest: Dest,
        span: Span,
    ) -> End {
        let root = self.root(value, ty);
        let mut rows = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            rows.extend(self.rows(at, root, &rule.pat));
        }
        let tree = Trees::build(self, rows);
        self.emit_tree(tree, root, rules, fallback, dest, span)
    }

    /// Adds code to the current block that binds the variables of a pattern. If the pattern does not match, the code does what `fallback`
    /// says.
    pub fn bind_pattern(&mut self, value: Value, pat: &Pat, fallback: Fallback) {
        let root = self.root(value, pat.ty);
        let mut rows = self.rows(0, root, pat);
        if rows[0].tests.is_empty() {
            for (var, occ) in rows.swap_remove(0).binds {
                let value = self.look(occ, pat.span);
                self.bind(var, value, pat.span);
            }
            return;
        }
        // The code that follows is a join point, whose parameters are the variables.
        let label = self.label();
        let mut params = Vec::new();
        let tree = Trees::build(self, rows);
        let binds = tree::binds_of(&tree, 0);
        let rest = self.block(|lower| {
            lower.emit_one(tree, root, fallback, pat.span, &mut |lower, found| {
                let words = binds
                    .iter()
                    .map(|&(var, _)| lower.look_atom(tree::place_of(found, var), pat.span))
                    .collect();
                End::Jump(label, words)
            })
        });
        for &(var, occ) in &binds {
            let rep = self.layouts.rep(self.occurrences[occ.0].ty);
            let param = self.fresh(rep, self.name(var));
            params.push(param);
            self.env[var.index()] = super::Binding::Value(Value::Atom(Atom::Var(param)));
        }
        self.cut(rest, label, params);
    }

    /// Returns the rows of a rule: one for each combination of alternatives in its pattern.
    fn rows<'p>(&mut self, rule: usize, root: OccId, pat: &'p Pat) -> Vec<Row<'p>> {
        let mut row = Row::new(rule);
        self.add_pattern(&mut row, root, pat);
        self.choices(vec![row])
    }

    /// Expands the alternatives in the patterns of rows. Returns rows without alternatives that match the same values, in the same order.
    fn choices<'p>(&mut self, rows: Vec<Row<'p>>) -> Vec<Row<'p>> {
        let mut done = Vec::with_capacity(rows.len());
        let mut todo = rows;
        todo.reverse();
        while let Some(mut row) = todo.pop() {
            let Some((occ, pats)) = row.choices.pop() else {
                done.push(row);
                continue;
            };
            for pat in pats.iter().rev() {
                let mut row = row.clone();
                self.add_pattern(&mut row, occ, pat);
                todo.push(row);
            }
        }
        done
    }

    /// Adds to a row the tests that a pattern makes at a place. Alternatives in the pattern become [`Row::choices`].
    fn add_pattern<'p>(&mut self, row: &mut Row<'p>, occ: OccId, pat: &'p Pat) {
        match &pat.kind {
            PatKind::Wild => {}
            PatKind::Var(var) => row.binds.push((*var, occ)),
            PatKind::As(var, pat) => {
                row.binds.push((*var, occ));
                self.add_pattern(row, occ, pat);
            }
            PatKind::Record(fields) => {
                let Some(record) = self.layouts.record(pat.ty) else {
                    return;
                };
                for (label, field) in fields {
                    if let Some(position) = record.position(*label) {
                        let part = self.part(occ, Part::Field(position), field.ty);
                        self.add_pattern(row, part, field);
                    }
                }
            }
            PatKind::Ref(inner) => {
                let part = self.part(occ, Part::Content, inner.ty);
                self.add_pattern(row, part, inner);
            }
            PatKind::Con { con, arg, .. } if self.layouts.constructors(pat.ty).len() == 1 => {
                if let Some(arg) = arg {
                    let number = self.layouts.con(*con).index;
                    let part = self.part(occ, Part::Argument(number), arg.ty);
                    self.add_pattern(row, part, arg);
                }
            }
            PatKind::Con { .. } | PatKind::Const(_) | PatKind::Exn { .. } => {
                row.tests.push((occ, pat));
            }
            PatKind::Vector(_) => {
                // No pattern binds a length, so no code uses this type.
                let part = self.part(occ, Part::Length, pat.ty);
                row.tests.push((part, pat));
            }
            PatKind::Or(pats) => row.choices.push((occ, pats)),
        }
    }

    /// Adds to a row the tests of a pattern's parts: of the constructor's argument, or of the vector's elements. The row must already
    /// contain the test of the constructor or of the vector's length.
    fn add_argument<'p>(&mut self, row: &mut Row<'p>, occ: OccId, pat: &'p Pat) {
        match &pat.kind {
            PatKind::Con {
                con,
                arg: Some(arg),
                ..
            } => {
                let number = self.layouts.con(*con).index;
                let part = self.part(occ, Part::Argument(number), arg.ty);
                self.add_pattern(row, part, arg);
            }
            PatKind::Exn {
                tag,
                arg: Some(arg),
            } => {
                let rep = self.layouts.rep(arg.ty);
                let part = self.part(occ, Part::Payload(*tag, rep), arg.ty);
                self.add_pattern(row, part, arg);
            }
            PatKind::Vector(parts) => {
                let From::Part(vector, _) = self.occurrences[occ.0].from else {
                    unreachable!("a length is that of a vector");
                };
                for (index, element) in parts.iter().enumerate() {
                    let part = self.part(vector, Part::Element(index), element.ty);
                    self.add_pattern(row, part, element);
                }
            }
            _ => {}
        }
    }

    /// Emits a join point, and returns its label. The code that follows may jump to the join point.
    fn join(
        &mut self,
        params: Vec<crate::anf::Var>,
        body: impl FnOnce(&mut Self) -> End,
    ) -> crate::anf::Label {
        let label = self.label();
        let body = self.block(body);
        self.stmt(Stmt::Join {
            label,
            params,
            body,
            recursive: false,
        });
        label
    }
}
