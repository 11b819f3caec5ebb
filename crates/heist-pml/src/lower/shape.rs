//! Makes the shapes of types. The runtime prints values with these shapes (see [`crate::runtime::value::shape`]).
//!
//! A declared type may be abstract. The representation of a value then depends on the type that implements the abstract type, but the
//! printed form depends on the declared type. So this module examines the two types together.

use std::collections::{HashMap, VecDeque};

use super::layout::{ConRep, Data, Layouts};
use crate::runtime::value::shape::{Con, Field, Held, Id, Node, Shape};
use crate::runtime::value::show::DEPTH;
use crate::symbol::Symbol;
use crate::typed::{self, PrimTy, Ty, TyCon, TyConKind, TyKind, TyVar};

/// The name of the type of parallel arrays. The runtime prints parallel arrays as vectors. The runtime prints no values of other abstract
/// types.
const PARALLEL_ARRAY: &str = "PArray.parray";

/// The maximum number of nodes of a shape. After this number, a shape describes no further parts. Datatypes that contain themselves with
/// larger type arguments would need infinitely many nodes.
const NODES: usize = 1_000;

/// Returns the shape of a type, which may contain abstract types.
#[must_use]
pub fn shape(layouts: &mut Layouts, ty: Ty) -> Shape {
    let mut shapes = Shapes {
        layouts,
        revealed: HashMap::new(),
        ids: HashMap::new(),
        queue: VecDeque::new(),
        below: 0,
    };
    let mut nodes = Vec::new();
    shapes.id(ty);
    while let Some((ty, distance)) = shapes.queue.pop_front() {
        // The runtime does not print deeper parts.
        let described = distance < DEPTH && nodes.len() < NODES;
        shapes.below = distance + 1;
        nodes.push(if described {
            shapes.node(ty)
        } else {
            Node::Opaque
        });
    }
    Shape { nodes }
}

struct Shapes<'a> {
    layouts: &'a mut Layouts,
    revealed: HashMap<Ty, Ty>,
    ids: HashMap<Ty, Id>,
    /// The types that have numbers but no nodes yet, in the order of numbers. Each type has its distance from the root: the number of steps
    /// from the first type to this type.
    queue: VecDeque<(Ty, usize)>,
    /// The distance from the root of the parts of the current type.
    below: usize,
}

impl Shapes<'_> {
    fn id(&mut self, ty: Ty) -> Id {
        let next = self.ids.len() as Id;
        let id = *self.ids.entry(ty).or_insert(next);
        if id == next {
            self.queue.push_back((ty, self.below));
        }
        id
    }

    fn node(&mut self, ty: Ty) -> Node {
        match self.layouts.types.kind(ty).clone() {
            TyKind::Var(_) => Node::Opaque,
            TyKind::Arrow(..) => Node::Function,
            TyKind::Record(fields) => self.record(ty, &fields),
            TyKind::Con(tycon, args) => {
                let info = self.layouts.tycon(tycon);
                match &info.kind {
                    TyConKind::Prim(prim) => {
                        let prim = *prim;
                        self.primitive(prim, args.first().copied())
                    }
                    TyConKind::Data(_) if Some(tycon) == self.layouts.list => {
                        self.list(ty, args[0])
                    }
                    TyConKind::Data(cons) => {
                        let cons = cons.clone();
                        self.data(ty, tycon, &cons, &args)
                    }
                    TyConKind::Abstract(_) if info.name.as_str() == PARALLEL_ARRAY => {
                        Node::ParallelArray(self.id(args[0]))
                    }
                    TyConKind::Abstract(_) => Node::Opaque,
                }
            }
        }
    }

    fn primitive(&mut self, prim: PrimTy, arg: Option<Ty>) -> Node {
        match (prim, arg) {
            (PrimTy::Int | PrimTy::IntN(_) | PrimTy::Wrap32 | PrimTy::Wrap64, _) => Node::Int,
            (PrimTy::Word | PrimTy::WordN(_), _) => Node::Word,
            (PrimTy::Char, _) => Node::Char,
            (PrimTy::Real, _) => Node::Real,
            (PrimTy::Float, _) => Node::Float,
            (PrimTy::IntInf, _) => Node::IntInf,
            (PrimTy::String, _) => Node::String,
            (PrimTy::Exn, _) => Node::Exn,
            (PrimTy::Array | PrimTy::Vector, Some(element)) => Node::Array(self.id(element)),
            (PrimTy::Ref, Some(inside)) => Node::Ref(self.id(inside)),
            (PrimTy::Bytes | PrimTy::Array | PrimTy::Vector | PrimTy::Ref, _) => Node::Opaque,
        }
    }

    fn record(&mut self, ty: Ty, fields: &[(Symbol, Ty)]) -> Node {
        let revealed = self.reveal(ty);
        let Some(laid) = self.layouts.record(revealed) else {
            return Node::Unit;
        };
        let parts = fields
            .iter()
            .zip(&laid.fields)
            .map(|(&(label, ty), laid)| Field {
                label: label.as_str().into(),
                index: laid.index,
                node: self.id(ty),
            })
            .collect();
        let mut labels = fields.iter().enumerate();
        if fields.len() > 1 && labels.all(|(at, field)| field.0.as_str() == (at + 1).to_string()) {
            Node::Tuple(parts)
        } else {
            Node::Record(parts)
        }
    }

    fn list(&mut self, ty: Ty, element: Ty) -> Node {
        let revealed = self.reveal(ty);
        let data = self.layouts.data(revealed);
        let Data::Mixed { cons, .. } = &*data else {
            return Node::Opaque;
        };
        let cell = cons.iter().find_map(|con| match con {
            ConRep::Object { fields, .. } => Some(fields),
            ConRep::Imm(_) => None,
        });
        match cell {
            Some(cell) => Node::List {
                head: cell.fields[0].index,
                tail: cell.fields[1].index,
                element: self.id(element),
            },
            None => Node::Opaque,
        }
    }

    fn data(&mut self, ty: Ty, tycon: TyCon, cons: &[typed::Con], args: &[Ty]) -> Node {
        let revealed = self.reveal(ty);
        let data = self.layouts.data(revealed);
        let params = &self.layouts.tycon(tycon).params;
        let by: HashMap<TyVar, Ty> = params.iter().copied().zip(args.iter().copied()).collect();
        let described = cons.iter().enumerate().map(|(at, &con)| {
            let info = self.layouts.con(con);
            let (name, declared) = (info.name.as_str().to_owned(), info.declared);
            let node = declared.map(|declared| {
                let arg = self.layouts.types.substitute(declared, &by);
                self.id(arg)
            });
            let held = match (&*data, node) {
                (Data::Wrapper(_), Some(node)) => Held::Argument(node),
                (Data::Mixed { cons, .. }, node) => match (&cons[at], node) {
                    (ConRep::Imm(number), _) => Held::Immediate(*number as u32),
                    (ConRep::Object { fields, spread, .. }, Some(node)) => {
                        let tag = fields.layout.tag;
                        if *spread {
                            Held::Spread { tag, node }
                        } else {
                            let index = fields.fields[0].index;
                            Held::Object { tag, index, node }
                        }
                    }
                    (ConRep::Object { .. }, None) => unreachable!("objects have arguments"),
                },
                (Data::Enum | Data::Wrapper(_), _) => Held::Place,
            };
            Con { name, held }
        });
        Node::Data(described.collect())
    }

    /// Replaces abstract types in a type by the types that implement them. The result determines the representation of values.
    fn reveal(&mut self, ty: Ty) -> Ty {
        if let Some(&known) = self.revealed.get(&ty) {
            return known;
        }
        let new = match self.layouts.types.kind(ty).clone() {
            TyKind::Var(_) => ty,
            TyKind::Con(tycon, args) => {
                let info = self.layouts.tycon(tycon);
                match info.kind {
                    TyConKind::Abstract(inside) => {
                        let by: HashMap<TyVar, Ty> =
                            info.params.iter().copied().zip(args).collect();
                        let inside = self.layouts.types.substitute(inside, &by);
                        self.reveal(inside)
                    }
                    _ => {
                        let args = args.into_iter().map(|arg| self.reveal(arg)).collect();
                        self.layouts.types.make(TyKind::Con(tycon, args))
                    }
                }
            }
            TyKind::Record(fields) => {
                let fields = fields
                    .into_iter()
                    .map(|(label, ty)| (label, self.reveal(ty)))
                    .collect();
                self.layouts.types.make(TyKind::Record(fields))
            }
            TyKind::Arrow(from, to) => {
                let (from, to) = (self.reveal(from), self.reveal(to));
                self.layouts.types.make(TyKind::Arrow(from, to))
            }
        };
        self.revealed.insert(ty, new);
        new
    }
}
