//! Chooses representations of types, layouts of objects, and shapes of arguments and results.

use std::collections::HashMap;
use std::rc::Rc;

use crate::anf::{FLAT_ARGS, FLAT_RESULTS, Layout, Rep};
use crate::symbol::Symbol;
use crate::typed::{
    Con, ConInfo, PrimTy, Program, Ty, TyCon, TyConInfo, TyConKind, TyKind, TyVar, Types,
};

/// The number of words in which calls and jumps pass a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The value takes no word, because it is `unit` or is not used.
    Nothing,
    /// The value takes one word.
    Word,
    /// The value takes one word for each field, in the order of labels.
    Flat,
}

/// A field of an object.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The label of the field.
    pub label: Symbol,
    /// The type of the field.
    pub ty: Ty,
    /// The representation of the field.
    pub rep: Rep,
    /// The index of the field in the object.
    pub index: u32,
}

/// The fields of an object, and its layout.
#[derive(Debug)]
pub struct Fields {
    /// The fields in the order of labels. Each field has its index in the object.
    pub fields: Vec<Field>,
    /// The layout of the object.
    pub layout: Layout,
}

impl Fields {
    /// Returns the index in `fields` of the field with this label.
    pub fn position(&self, label: Symbol) -> Option<usize> {
        self.fields.iter().position(|field| field.label == label)
    }
}

/// The representation of the values of a datatype.
#[derive(Debug)]
pub enum Data {
    /// No constructor takes an argument. A value is the number of its constructor.
    Enum,
    /// The only constructor takes an argument of this type. A value is represented by the argument alone.
    Wrapper(Ty),
    /// A value is an immediate or an object, depending on its constructor.
    Mixed {
        /// The constructors.
        cons: Vec<ConRep>,
        /// The number of immediates.
        imms: u32,
        /// The number of objects.
        objects: u32,
    },
}

/// The representation of the values of one constructor of a [`Data::Mixed`].
#[derive(Clone, Debug)]
pub enum ConRep {
    /// The immediate n, for the n-th constructor without argument.
    Imm(i64),
    /// An object.
    Object {
        /// The fields of the object: the fields of the argument if it is declared as a record, and otherwise one field for the argument.
        fields: Rc<Fields>,
        /// Whether the object contains the fields of the argument, and not a pointer to the argument.
        spread: bool,
        /// The type of the argument.
        arg: Ty,
    },
}

/// The layouts of all types of a program.
pub struct Layouts {
    /// The types of the program.
    pub types: Types,
    /// The type of lists.
    pub list: Option<TyCon>,
    tycons: Vec<TyConInfo>,
    cons: Vec<ConInfo>,
    /// For each [`TyCon`], whether its values are represented as the argument of its only constructor, or `None` before the first request.
    wrappers: Vec<Option<bool>>,
    reps: Vec<Option<Rep>>,
    records: HashMap<Ty, Rc<Fields>>,
    datas: HashMap<Ty, Rc<Data>>,
}

impl Layouts {
    /// Prepares layouts for a program without type variables. Moves the tables of types and constructors out of the program.
    pub fn new(program: &mut Program) -> Layouts {
        Layouts {
            types: std::mem::take(&mut program.types),
            list: program.list_tycon,
            wrappers: vec![None; program.tycons.len()],
            tycons: std::mem::take(&mut program.tycons),
            cons: std::mem::take(&mut program.cons),
            reps: Vec::new(),
            records: HashMap::new(),
            datas: HashMap::new(),
        }
    }

    /// Makes a new type with the same representation as the primitive type `prim`.
    pub fn stand_in(&mut self, prim: PrimTy) -> Ty {
        let tycon = TyCon(self.tycons.len() as u32);
        self.tycons.push(TyConInfo {
            name: Symbol::EMPTY,
            params: Vec::new(),
            kind: TyConKind::Prim(prim),
        });
        self.wrappers.push(None);
        self.types.make(TyKind::Con(tycon, Vec::new()))
    }

    /// Returns all type constructors, indexed by [`TyCon`].
    pub fn tycons(&self) -> &[TyConInfo] {
        &self.tycons
    }

    /// Returns the facts about a type constructor.
    pub fn tycon(&self, tycon: TyCon) -> &TyConInfo {
        &self.tycons[tycon.index()]
    }

    /// Returns the facts about a constructor.
    pub fn con(&self, con: Con) -> &ConInfo {
        &self.cons[con.index()]
    }

    /// Returns the constructors of a datatype, or an empty list if the type is not a datatype.
    pub fn constructors(&self, ty: Ty) -> &[Con] {
        match self.types.kind(ty) {
            TyKind::Con(tycon, _) => match &self.tycons[tycon.index()].kind {
                TyConKind::Data(cons) => cons,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Returns the primitive type and its type argument, or `None` if a type is not primitive.
    pub fn prim(&self, ty: Ty) -> Option<(PrimTy, Option<Ty>)> {
        match self.types.kind(ty) {
            TyKind::Con(tycon, args) => match self.tycons[tycon.index()].kind {
                TyConKind::Prim(prim) => Some((prim, args.first().copied())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the representation of a value of a type.
    pub fn rep(&mut self, ty: Ty) -> Rep {
        if let Some(Some(rep)) = self.reps.get(ty.index()) {
            return *rep;
        }
        let rep = match self.types.kind(ty) {
            TyKind::Record(fields) if fields.is_empty() => Rep::Int,
            TyKind::Record(_) | TyKind::Arrow(..) => Rep::Ptr,
            // The program does not determine this type, so no value depends on the type.
            TyKind::Var(_) => Rep::Int,
            TyKind::Con(tycon, _) => match &self.tycons[tycon.index()].kind {
                TyConKind::Prim(prim) => match prim {
                    PrimTy::Int
                    | PrimTy::IntN(_)
                    | PrimTy::Wrap32
                    | PrimTy::Wrap64
                    | PrimTy::Word
                    | PrimTy::WordN(_)
                    | PrimTy::Char => Rep::Int,
                    PrimTy::Real | PrimTy::Float => Rep::Real,
                    PrimTy::IntInf
                    | PrimTy::String
                    | PrimTy::Bytes
                    | PrimTy::Array
                    | PrimTy::Vector
                    | PrimTy::Ref
                    | PrimTy::Exn => Rep::Ptr,
                },
                // This does not use `data`, because `data` needs the representations of the fields.
                TyConKind::Data(cons) => {
                    let (tycon, cons) = (*tycon, cons.clone());
                    if cons.iter().all(|&con| self.con(con).arg.is_none()) {
                        Rep::Int
                    } else if self.wrapper(tycon) {
                        let args = match self.types.kind(ty) {
                            TyKind::Con(_, args) => args.clone(),
                            _ => Vec::new(),
                        };
                        let arg = self.argument(cons[0], &args);
                        self.rep(arg)
                    } else {
                        Rep::Ptr
                    }
                }
                TyConKind::Abstract(_) => unreachable!("abstract types are looked through"),
            },
        };
        if self.reps.len() <= ty.index() {
            self.reps.resize(ty.index() + 1, None);
        }
        self.reps[ty.index()] = Some(rep);
        rep
    }

    /// Returns the fields of a record type, or `None` for `unit` and for types that are not records.
    pub fn record(&mut self, ty: Ty) -> Option<Rc<Fields>> {
        if let Some(fields) = self.records.get(&ty) {
            return Some(fields.clone());
        }
        let fields = match self.types.kind(ty) {
            TyKind::Record(fields) if !fields.is_empty() => fields.clone(),
            _ => return None,
        };
        let fields = Rc::new(self.fields(&fields, 0));
        self.records.insert(ty, fields.clone());
        Some(fields)
    }

    /// Lays out an object: first the pointers in the order of labels, then the other fields in the order of labels.
    fn fields(&mut self, fields: &[(Symbol, Ty)], tag: u16) -> Fields {
        let mut laid: Vec<Field> = fields
            .iter()
            .map(|&(label, ty)| Field {
                label,
                ty,
                rep: self.rep(ty),
                index: 0,
            })
            .collect();
        let mut next = 0;
        for field in laid.iter_mut().filter(|field| field.rep == Rep::Ptr) {
            field.index = next;
            next += 1;
        }
        let ptrs = next;
        for field in laid.iter_mut().filter(|field| field.rep != Rep::Ptr) {
            field.index = next;
            next += 1;
        }
        Fields {
            fields: laid,
            layout: Layout {
                tag,
                ptrs,
                raws: next - ptrs,
                mutable: false,
            },
        }
    }

    /// Returns the layout of a datatype.
    pub fn data(&mut self, ty: Ty) -> Rc<Data> {
        if let Some(data) = self.datas.get(&ty) {
            return data.clone();
        }
        let TyKind::Con(tycon, args) = self.types.kind(ty).clone() else {
            unreachable!("only type constructors have constructors");
        };
        let cons = self.constructors(ty).to_vec();
        let data = if cons.iter().all(|&con| self.con(con).arg.is_none()) {
            Data::Enum
        } else if self.wrapper(tycon) {
            Data::Wrapper(self.argument(cons[0], &args))
        } else {
            let (mut imms, mut objects) = (0, 0);
            let mut reps = Vec::with_capacity(cons.len());
            for con in cons {
                let Some(declared) = self.con(con).arg else {
                    reps.push(ConRep::Imm(i64::from(imms)));
                    imms += 1;
                    continue;
                };
                let arg = self.argument(con, &args);
                let spread = self.is_record(declared);
                let parts = match self.types.kind(arg) {
                    TyKind::Record(fields) if spread => fields.clone(),
                    _ => vec![(Symbol::new("1"), arg)],
                };
                reps.push(ConRep::Object {
                    fields: Rc::new(self.fields(&parts, objects as u16)),
                    spread,
                    arg,
                });
                objects += 1;
            }
            Data::Mixed {
                cons: reps,
                imms,
                objects,
            }
        };
        let data = Rc::new(data);
        self.datas.insert(ty, data.clone());
        data
    }

    fn is_record(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), TyKind::Record(fields) if !fields.is_empty())
    }

    /// Returns true if a datatype is represented as the argument of its only constructor. Returns false if this argument's representation
    /// depends on the representation of the datatype itself.
    fn wrapper(&mut self, tycon: TyCon) -> bool {
        if let Some(known) = self.wrappers[tycon.index()] {
            return known;
        }
        let mut seen = vec![tycon];
        let mut next = self.sole_argument(tycon);
        let mut is = next.is_some();
        while let Some(ty) = next {
            let TyKind::Con(tycon, args) = self.types.kind(ty).clone() else {
                break;
            };
            let Some(arg) = self.sole_argument(tycon) else {
                break;
            };
            if seen.contains(&tycon) {
                is = false;
                break;
            }
            seen.push(tycon);
            let params = self.tycons[tycon.index()].params.clone();
            next = Some(self.substitute(arg, &params, &args));
        }
        self.wrappers[tycon.index()] = Some(is);
        is
    }

    /// Returns the declared type of the argument of a datatype's only constructor. Returns `None` if the datatype has several constructors,
    /// if the constructor has no argument, or if the argument is a record.
    fn sole_argument(&self, tycon: TyCon) -> Option<Ty> {
        match &self.tycons[tycon.index()].kind {
            TyConKind::Data(cons) if cons.len() == 1 => self
                .con(cons[0])
                .arg
                .filter(|&declared| !self.is_record(declared)),
            _ => None,
        }
    }

    /// Returns the type of a constructor's argument for these type arguments of the datatype.
    fn argument(&mut self, con: Con, args: &[Ty]) -> Ty {
        let info = self.con(con);
        let declared = info.arg.expect("a constructor with an argument");
        let params = self.tycons[info.tycon.index()].params.clone();
        self.substitute(declared, &params, args)
    }

    fn substitute(&mut self, ty: Ty, params: &[TyVar], args: &[Ty]) -> Ty {
        if params.is_empty() {
            return ty;
        }
        let by: HashMap<TyVar, Ty> = params.iter().copied().zip(args.iter().copied()).collect();
        self.types.substitute(ty, &by)
    }

    fn shape(&self, ty: Ty, most: usize) -> Shape {
        match self.types.kind(ty) {
            TyKind::Record(fields) if fields.is_empty() => Shape::Nothing,
            TyKind::Record(fields) if fields.len() <= most => Shape::Flat,
            _ => Shape::Word,
        }
    }

    /// Returns the shape in which functions take an argument of this type.
    pub fn argument_shape(&self, ty: Ty) -> Shape {
        self.shape(ty, FLAT_ARGS)
    }

    /// Returns the shape in which functions return a result of this type.
    pub fn result_shape(&self, ty: Ty) -> Shape {
        self.shape(ty, FLAT_RESULTS)
    }

    /// Returns the representations of the words of a value in this shape.
    pub fn words(&mut self, ty: Ty, shape: Shape) -> Vec<Rep> {
        match shape {
            Shape::Nothing => Vec::new(),
            Shape::Word => vec![self.rep(ty)],
            Shape::Flat => match self.record(ty) {
                Some(record) => record.fields.iter().map(|field| field.rep).collect(),
                None => Vec::new(),
            },
        }
    }
}
