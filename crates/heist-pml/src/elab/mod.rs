//! Elaboration: from the syntax tree to the explicitly typed program, by the rules of the Definition of Standard ML.
//!
//! Types are inferred by unification over a [`types::Store`]. During inference, the elaborator makes the nodes of the typed program. Until
//! inference ends, the type of a node is the number of a type in the store. After that, [`Elaborator::declare`] replaces these numbers by
//! types of the program, and chooses the implementations of overloaded names and the types of literals ([`zonk`]).
//!
//! The typed program has no modules. In the elaborator, a structure is an environment, and a signature is an
//! environment with type constructors that structures define. A functor is a syntax tree with its scope, and each application of the
//! functor elaborates the tree again.

mod cont;
mod data;
mod dec;
mod env;
mod exp;
mod facts;
mod functor;
mod generalise;
mod lists;
mod literal;
mod matching;
mod module;
mod name;
mod parallel;
mod pat;
mod print;
mod probe;
mod report;
mod rows;
mod session;
mod sig;
mod tyexp;
mod types;
mod tyvars;
mod unify;
mod zonk;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{self, PrimTy, Program, Ty, TyCon, TyConInfo, TyConKind, TyVar, Var, VarInfo};

use env::{Env, Scopes, Status, Structure, TyEntry, Val, What};
pub use facts::{Argument, Fact, Facts, NameKind};
pub use lists::{Bindings, Module};
pub use print::Parts;
pub use probe::{Call, Place, Visible};
pub use session::{Checkpoint, Echo};
use types::{Eq, Store, T, TyConData, TyFn, TyVarData};

/// Options of an elaboration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to record the types of names and the places where they are bound (see [`Elaborator::facts`]).
    pub record: bool,
    /// Whether to follow Manticore's rules. With these rules, overloaded names and literals get default types at the end of a file, and not
    /// at the end of the smallest enclosing declaration of a module. In addition, `real` and `float` admit equality, and their literals are
    /// patterns.
    pub manticore: bool,
    /// Whether the types of an `abstype` admit equality outside of the `abstype`, as in MLton.
    pub mlton: bool,
    /// Whether literals of type `int` in the program must fit in 32 bits.
    pub int32: bool,
}

/// An overloaded name.
#[derive(Clone, Debug)]
struct Overload {
    /// The type variable that stands for the type of the implementation.
    tyvar: TyVar,
    /// The types for which the overloaded name has implementations.
    class: types::Class,
    by: Vec<(TyCon, Val)>,
}

/// A use of an overloaded name.
#[derive(Clone, Copy, Debug)]
struct Use {
    overload: u32,
    at: T,
}

/// The types that literals have if nothing else determines them.
#[derive(Clone, Copy, Debug)]
struct Defaults {
    int: TyCon,
    word: TyCon,
    real: TyCon,
}

/// An elaborator, which translates declarations to a typed program. Copies of an elaborator share no mutable state.
#[derive(Clone, Debug)]
pub struct Elaborator {
    options: Options,
    store: Store,
    scopes: Scopes,
    program: Program,
    /// The elaborated declarations of the current file.
    out: Vec<typed::Dec>,
    found: Vec<Diagnostic>,
    /// Whether the elaborator has reported an error.
    failed: bool,
    muted: u32,
    reported: usize,
    /// Whether a part of the Basis is being elaborated.
    builtin: bool,
    sealed: bool,
    /// The type variables in scope, which annotations may name.
    tyvars: Vec<(Symbol, TyVar)>,
    /// For each function of a recursive group, the type variables in which the function is polymorphic. These type variables are known only
    /// after all uses within the group have been elaborated.
    groups: FxHashMap<Var, Rc<[TyVar]>>,
    /// For each binding of `pval`, the type of the lazy value and the type of its contents.
    lazies: FxHashMap<Var, (T, T)>,
    /// Whether the program has opened a structure that could not be elaborated. Names that are not in scope may then be names of this
    /// structure, so the elaborator does not report them.
    lenient: bool,
    overloads: Vec<Overload>,
    uses: Vec<Use>,
    /// The type variables of overloaded names and literals that do not have a type yet.
    classes: Vec<T>,
    /// Records whose fields are not all known.
    rows: rows::Rows,
    /// Variables that are declared outside of expressions, and whose types elaboration could not generalise.
    restricted: Vec<(Symbol, Span, T)>,
    /// All names that the enclosing declarations bind, before or after the current place.
    announced: Vec<ast::Name>,
    /// The number of signatures that enclose the current code.
    in_signature: u32,
    /// The names of the structures that enclose the current code.
    path: Vec<Symbol>,
    prims: FxHashMap<&'static str, TyCon>,
    /// The primitive types with a size, such as `Prim.int5`, that the Basis or the program has named.
    sized: FxHashMap<PrimTy, TyCon>,
    literals: literal::Literals,
    defaults: Defaults,
    /// Entry `n` is the type of the program that replaces type `n` of the store, or `None` before this type is made.
    final_types: Vec<Option<Ty>>,
    facts: Facts,
    /// The search for a marked name, if a tool has requested it.
    probe: Option<Box<probe::Probe>>,
}

/// Primitive types, except [those with a size](Elaborator::sized_ty). An entry has the name, the primitive type, the number of parameters,
/// and whether the type admits equality.
const PRIMS: &[(&str, PrimTy, usize, Eq)] = &[
    ("int", PrimTy::Int, 0, Eq::Args),
    ("wrap32", PrimTy::Wrap32, 0, Eq::Args),
    ("wrap64", PrimTy::Wrap64, 0, Eq::Args),
    ("intinf", PrimTy::IntInf, 0, Eq::Args),
    ("word", PrimTy::Word, 0, Eq::Args),
    ("char", PrimTy::Char, 0, Eq::Args),
    ("real", PrimTy::Real, 0, Eq::Never),
    ("float", PrimTy::Float, 0, Eq::Never),
    ("string", PrimTy::String, 0, Eq::Args),
    ("bytes", PrimTy::Bytes, 0, Eq::Always),
    ("array", PrimTy::Array, 1, Eq::Always),
    ("vector", PrimTy::Vector, 1, Eq::Args),
    ("ref", PrimTy::Ref, 1, Eq::Always),
    ("exn", PrimTy::Exn, 0, Eq::Never),
];

impl Elaborator {
    /// Makes an elaborator. Only the structure `Prim` and the constructor `ref` are in scope.
    #[must_use]
    pub fn new(options: Options) -> Elaborator {
        let nowhere = TyCon(0);
        let mut elaborator = Elaborator {
            options,
            store: Store::new(),
            scopes: Scopes::new(),
            program: Program::default(),
            out: Vec::new(),
            found: Vec::new(),
            failed: false,
            muted: 0,
            reported: 0,
            builtin: true,
            sealed: false,
            tyvars: Vec::new(),
            groups: FxHashMap::default(),
            lazies: FxHashMap::default(),
            lenient: false,
            overloads: Vec::new(),
            uses: Vec::new(),
            classes: Vec::new(),
            rows: rows::Rows::default(),
            announced: Vec::new(),
            restricted: Vec::new(),
            in_signature: 0,
            path: Vec::new(),
            prims: FxHashMap::default(),
            sized: FxHashMap::default(),
            literals: literal::Literals::default(),
            defaults: Defaults {
                int: nowhere,
                word: nowhere,
                real: nowhere,
            },
            final_types: Vec::new(),
            facts: Facts::default(),
            probe: None,
        };
        elaborator.declare_prims();
        elaborator
    }

    fn declare_prims(&mut self) {
        let mut env = Env::default();
        for &(name, prim, arity, eq) in PRIMS {
            let params: Vec<TyVar> = (0..arity)
                .map(|_| self.tyvar(Symbol::new("'a"), false))
                .collect();
            let full = Symbol::new(&format!("Prim.{name}"));
            let eq = match prim {
                PrimTy::Real | PrimTy::Float if self.options.manticore => Eq::Always,
                _ => eq,
            };
            let con = self.tycon(full, params.clone(), TyConKind::Prim(prim), eq);
            self.prims.insert(name, con);
            self.note_literal_type(con, prim);
            let mut cons = Vec::new();
            if prim == PrimTy::Ref {
                let arg = self.store.rigid(params[0]);
                let result = self.store.con(con, &[arg]);
                let val = Val {
                    tyvars: params.into(),
                    ty: self.store.arrow(arg, result),
                    what: What::Ref,
                    inst: None,
                    status: Status::Con,
                    span: Span::NONE,
                };
                env.vals.insert(Symbol::new(name), val.clone());
                self.scopes.bind_val(Symbol::new(name), val.clone());
                cons.push((Symbol::new(name), val));
            }
            let entry = TyEntry {
                function: TyFn::Con(con),
                cons: cons.into(),
                span: Span::NONE,
            };
            env.tys.insert(Symbol::new(name), entry);
        }
        self.defaults = Defaults {
            int: self.prims["int"],
            word: self.prims["word"],
            real: self.prims["real"],
        };
        let prim = Structure {
            env: Rc::new(env),
            span: Span::NONE,
        };
        self.scopes
            .bind(env::Binding::Str(Symbol::new("Prim"), prim));
    }

    /// Elaborates declarations in the scope of all earlier declarations. If `builtin` is true, the declarations belong to the Basis.
    ///
    /// Even after errors, the declared names are in scope, with those parts of their meanings that elaboration has found.
    pub fn declare(&mut self, decs: &[ast::Dec], builtin: bool, diagnostics: &mut Diagnostics) {
        if !builtin && !self.sealed {
            self.sealed = true;
            self.scopes.seal_builtin();
        }
        self.builtin = builtin;
        let (since, facts) = (self.checkpoint(), self.facts.mark());
        self.attempt(decs);
        while self.learn_labels() {
            self.restore(since);
            self.facts.undo(facts);
            self.found.clear();
            self.restricted.clear();
            self.attempt(decs);
        }
        self.settle_rows(0);
        self.rows.made.clear();
        let restricted = std::mem::take(&mut self.restricted);
        for (name, span, ty) in restricted {
            // No value has a type that is entirely unknown: an expression of such a type raises an exception or does not end.
            let is_value = !matches!(self.store.look(ty).1, types::Node::Var { .. });
            if !builtin && is_value && self.found.is_empty() && self.store.has_unknown(ty) {
                let text = self.show(ty);
                self.report(
                    Diagnostic::new(
                        Code::ValueRestriction,
                        span,
                        format!("the type of `{name}` is not known, and cannot be generalised"),
                    )
                    .label(span, format!("this has the type `{text}`"))
                    .note("only values (functions, constants, constructors applied to values) become polymorphic")
                    .note("what is not known is taken to be `unit`"),
                );
            }
        }
        let mut out = std::mem::take(&mut self.out);
        // A program with a marked name does not run, so its unknown types stay unknown.
        if self.probe.is_none() {
            self.zonk_decs(&mut out);
            self.program.decs.append(&mut out);
        }
        for diagnostic in self.found.drain(..) {
            self.failed |= diagnostic.code.severity() == Severity::Error;
            diagnostics.push(diagnostic);
        }
    }

    /// Elaborates declarations, but does not report records whose fields are not all known.
    fn attempt(&mut self, decs: &[ast::Dec]) {
        self.lenient = false;
        self.announced.clear();
        self.announce(decs);
        for dec in decs {
            self.module_dec(dec);
            if self.builtin {
                self.find_defaults();
            }
        }
        // A later declaration of the file may determine the remaining unknown types, so these types get their defaults last.
        self.settle_classes();
    }

    /// Returns the program of all declarations that the elaborator has elaborated.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Removes and returns the declarations that were elaborated since the last call of this method. A read-eval loop runs these
    /// declarations. The tables of the program stay in the elaborator.
    pub fn take_decs(&mut self) -> Vec<typed::Dec> {
        std::mem::take(&mut self.program.decs)
    }

    /// Returns the whole program.
    #[must_use]
    pub fn finish(mut self) -> Program {
        if cfg!(debug_assertions) && !self.failed {
            typed::check::assert_well_typed(&mut self.program);
        }
        self.program
    }

    /// Makes a new variable of the program.
    fn var(&mut self, name: Symbol, span: Span) -> Var {
        self.program.vars.push(VarInfo { name, span });
        Var(self.program.vars.len() as u32 - 1)
    }

    /// Makes a new type variable, in the tables of the program and of the store.
    fn tyvar(&mut self, name: Symbol, eq: bool) -> TyVar {
        self.program.tyvars.push(name);
        self.store.tyvars.push(TyVarData {
            eq,
            level: u32::MAX,
            unused: false,
        });
        TyVar(self.program.tyvars.len() as u32 - 1)
    }

    /// Makes a new type constructor, in the tables of the program and of the store.
    fn tycon(&mut self, name: Symbol, params: Vec<TyVar>, kind: TyConKind, eq: Eq) -> TyCon {
        self.store.tycons.push(TyConData {
            arity: params.len(),
            eq,
            level: self.store.level,
            real: None,
            flexible: false,
        });
        self.program.tycons.push(TyConInfo { name, params, kind });
        TyCon(self.program.tycons.len() as u32 - 1)
    }

    /// Returns a primitive type.
    fn prim_ty(&mut self, name: &str) -> T {
        let con = self.prims[name];
        self.store.con(con, &[])
    }

    /// Returns true if a type constructor is a type of reals.
    fn is_real(&self, con: TyCon) -> bool {
        matches!(
            self.program.tycons[con.index()].kind,
            TyConKind::Prim(PrimTy::Real | PrimTy::Float)
        )
    }

    /// Returns a name with the names of the enclosing structures before it.
    fn full_name(&self, name: Symbol) -> Symbol {
        if self.path.is_empty() {
            return name;
        }
        let mut full = String::new();
        for part in &self.path {
            full.push_str(part.as_str());
            full.push('.');
        }
        full.push_str(name.as_str());
        Symbol::new(&full)
    }

    /// Declares `=` and `<>`. The type `bool` must be known.
    fn declare_equality(&mut self, bool_ty: T) {
        for (name, prim) in [("=", Prim::PolyEq), ("<>", Prim::PolyNe)] {
            let name = Symbol::new(name);
            if self.scopes.val(name).is_some() {
                continue;
            }
            let var = self.tyvar(Symbol::new("''a"), true);
            let arg = self.store.rigid(var);
            let pair = self.store.tuple(&[arg, arg]);
            let val = Val {
                tyvars: Rc::from([var]),
                ty: self.store.arrow(pair, bool_ty),
                what: What::Prim(prim),
                inst: None,
                status: Status::Value,
                span: Span::NONE,
            };
            self.scopes.bind_val(name, val);
        }
    }
}
