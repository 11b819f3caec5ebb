//! Elaborates specifications.

use std::rc::Rc;

use super::super::Elaborator;
use super::super::env::{Binding, Env, Status, Structure, TyEntry, Val, What};
use super::super::facts::Fact;
use super::super::name::{long_text, plain_ty};
use super::super::types::{Eq, TyFn};
use super::super::tyvars::Unguarded;
use super::{find_env, find_ty};
use crate::diag::Code;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{TyCon, TyConKind, TyVar};

/// A signature that is being elaborated.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) flexible: Vec<TyCon>,
    pub(super) env: Env,
}

impl Elaborator {
    pub(super) fn spec(&mut self, spec: &ast::Spec, builder: &mut Builder) {
        match &spec.kind {
            ast::SpecKind::Val(vals) => {
                let mut made = Vec::with_capacity(vals.len());
                for (name, ty) in vals {
                    self.check_bindable(*name);
                    made.push((*name, self.val_spec(*name, ty)));
                }
                for (name, val) in made {
                    self.add_val(builder, name, val);
                }
            }
            ast::SpecKind::Type { eq, binds } => {
                // By the derived form in the Definition, a definition sees the definitions before it.
                for (tyvars, name, definition) in binds {
                    let function = match definition {
                        Some(ty) => {
                            let function = self.type_function(tyvars, ty);
                            if *eq && !self.store.function_admits_eq(&function) {
                                self.error(
                                    Code::ItemEquality,
                                    name.span,
                                    format!("`{}` does not admit equality", name.symbol),
                                );
                            }
                            function
                        }
                        None => {
                            let con = self.flexible_ty(tyvars, *name, *eq);
                            builder.flexible.push(con);
                            TyFn::Con(con)
                        }
                    };
                    self.add_ty(builder, *name, plain_ty(function, name.span));
                }
            }
            ast::SpecKind::Datatype { datas, types } => {
                let tycons = self.datatype(datas, types);
                for con in tycons {
                    self.store.tycons[con.index()].flexible = true;
                    builder.flexible.push(con);
                }
                let names = datas
                    .iter()
                    .map(|data| data.name)
                    .chain(types.iter().map(|bind| bind.name));
                for name in names {
                    let Some(entry) = self.scopes.ty(name.symbol).cloned() else {
                        continue;
                    };
                    self.add_datatype(builder, name, entry);
                }
            }
            ast::SpecKind::Replication { name, of } => {
                let Some(entry) = self.find_ty(of) else {
                    return;
                };
                let entry = TyEntry {
                    span: name.span,
                    ..entry
                };
                self.add_datatype(builder, *name, entry);
            }
            ast::SpecKind::Exception(exceptions) => {
                for (name, ty) in exceptions {
                    self.check_exception_name(*name);
                    let arg = ty.as_ref().map(|ty| {
                        let mut found = Unguarded::default();
                        found.ty(ty);
                        self.ty(ty)
                    });
                    let exn = self.prim_ty("exn");
                    let val = Val {
                        tyvars: Rc::from([]),
                        ty: match arg {
                            Some(arg) => self.store.arrow(arg, exn),
                            None => exn,
                        },
                        what: What::Spec,
                        inst: None,
                        status: Status::Exn,
                        span: name.span,
                    };
                    self.note(|| Fact::val(name.span, &val));
                    self.add_val(builder, *name, val);
                }
            }
            ast::SpecKind::Structure(structures) => {
                let mut made = Vec::with_capacity(structures.len());
                for (name, sigexp) in structures {
                    self.path.push(name.symbol);
                    let sig = self.sigexp(sigexp);
                    self.path.pop();
                    builder.flexible.extend_from_slice(&sig.flexible);
                    made.push((
                        *name,
                        Structure {
                            env: sig.env,
                            span: name.span,
                        },
                    ));
                }
                for (name, structure) in made {
                    self.note(|| Fact::structure(name.span, &structure));
                    self.scopes
                        .bind(Binding::Str(name.symbol, structure.clone()));
                    if !builder.env.strs.insert(name.symbol, structure) {
                        self.duplicate_spec(name, "the structure");
                    }
                }
            }
            ast::SpecKind::Include(sigexp) => self.include(sigexp, builder),
            ast::SpecKind::SharingType(names) => {
                let mut entries = Vec::with_capacity(names.len());
                for name in names {
                    self.note_path(&builder.env, &name.path);
                    match find_ty(&builder.env, name) {
                        Some(entry) => {
                            self.note(|| Fact::ty(name.name.span, &entry));
                            entries.push(entry.function);
                        }
                        None => self.error(
                            Code::UnboundType,
                            name.span(),
                            format!("the signature has no type `{}`", long_text(name)),
                        ),
                    }
                }
                for pair in entries.windows(2) {
                    self.share(&pair[0], &pair[1], builder, spec.span);
                }
            }
            ast::SpecKind::Sharing(names) => {
                let mut envs: Vec<Rc<Env>> = Vec::with_capacity(names.len());
                for name in names {
                    let mut path = name.path.clone();
                    path.push(name.name);
                    self.note_path(&builder.env, &path);
                    match find_env(&builder.env, &path) {
                        Some(env) => envs.push(env),
                        None => self.error(
                            Code::UnboundStructure,
                            name.span(),
                            format!("the signature has no structure `{}`", long_text(name)),
                        ),
                    }
                }
                for (at, first) in envs.iter().enumerate() {
                    for second in &envs[at + 1..] {
                        self.share_all(first, second, builder, spec.span);
                    }
                }
            }
            ast::SpecKind::Error => {
                builder.env.error = true;
                self.lenient = true;
            }
        }
    }

    fn val_spec(&mut self, name: ast::Name, ty: &ast::Ty) -> Val {
        let mut found = Unguarded::default();
        found.ty(ty);
        let mut tyvars: Vec<TyVar> = Vec::with_capacity(found.found.len());
        for (name, _) in found.found {
            let var = self.tyvar(name, name.as_str().starts_with("''"));
            self.tyvars.push((name, var));
            tyvars.push(var);
        }
        let ty = self.ty(ty);
        self.tyvars.clear();
        self.fact(name.span, Status::Value, ty, name.span);
        Val {
            tyvars: tyvars.into(),
            ty,
            what: What::Spec,
            inst: None,
            status: Status::Value,
            span: name.span,
        }
    }

    /// Makes a type for which the signature specifies only the arity, and whether the type admits
    /// equality.
    fn flexible_ty(&mut self, tyvars: &[ast::Name], name: ast::Name, eq: bool) -> TyCon {
        let params = self.type_params(tyvars);
        self.tyvars.clear();
        let unit = self.program.types.unit();
        let full = self.full_name(name.symbol);
        let eq = if eq { Eq::Args } else { Eq::Never };
        let con = self.tycon(full, params, TyConKind::Abstract(unit), eq);
        self.store.tycons[con.index()].flexible = true;
        con
    }

    fn duplicate_spec(&mut self, name: ast::Name, what: &str) {
        self.error(
            Code::DuplicateSpec,
            name.span,
            format!("{what} `{}` is specified twice", name.symbol),
        );
    }

    fn add_val(&mut self, builder: &mut Builder, name: ast::Name, val: Val) {
        self.scopes.bind_val(name.symbol, val.clone());
        if !builder.env.vals.insert(name.symbol, val) {
            self.duplicate_spec(name, "the value");
        }
    }

    fn add_ty(&mut self, builder: &mut Builder, name: ast::Name, entry: TyEntry) {
        // A type of an included signature has its fact at the place where that signature declares it.
        if entry.span == name.span {
            self.note(|| Fact::ty(name.span, &entry));
        }
        self.scopes.bind_ty(name.symbol, entry.clone());
        if !builder.env.tys.insert(name.symbol, entry) {
            self.duplicate_spec(name, "the type");
        }
    }

    fn add_datatype(&mut self, builder: &mut Builder, name: ast::Name, entry: TyEntry) {
        for (con, val) in entry.cons.iter() {
            let name = ast::Name {
                symbol: *con,
                span: val.span,
            };
            self.add_val(builder, name, val.clone());
        }
        self.add_ty(builder, name, entry);
    }

    fn include(&mut self, sigexp: &ast::SigExp, builder: &mut Builder) {
        let sig = self.sigexp(sigexp);
        if sig.env.error {
            builder.env.error = true;
            self.lenient = true;
            return;
        }
        builder.flexible.extend_from_slice(&sig.flexible);
        let named = |symbol: Symbol| ast::Name {
            symbol,
            span: sigexp.span,
        };
        for (name, val) in sig.env.vals.iter() {
            self.add_val(builder, named(*name), val.clone());
        }
        for (name, entry) in sig.env.tys.iter() {
            self.add_ty(builder, named(*name), entry.clone());
        }
        for (name, structure) in sig.env.strs.iter() {
            self.scopes.bind(Binding::Str(*name, structure.clone()));
            if !builder.env.strs.insert(*name, structure.clone()) {
                self.duplicate_spec(named(*name), "the structure");
            }
        }
    }
}
