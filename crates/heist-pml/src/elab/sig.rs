//! Signatures.

mod copy;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Elaborator;
use super::env::{Binding, Env, Sig, Status, Structure, TyEntry, Val, What};
use super::facts::Fact;
use super::name::{long_text, plain_ty};
use super::probe::Place;
use super::types::{Eq, T, TyFn};
use super::tyvars::Unguarded;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{TyCon, TyConKind, TyVar};

/// A signature while it is elaborated.
#[derive(Default)]
struct Builder {
    flexible: Vec<TyCon>,
    env: Env,
}

/// Type constructors of one copy of a signature by those of another.
pub(super) type Renaming = FxHashMap<TyCon, TyCon>;

impl Elaborator {
    /// `signature S = sigexp and ...`
    pub(super) fn signature_dec(&mut self, binds: &[ast::SigBind]) {
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.name).collect();
        self.no_duplicates(&names, Code::DuplicateModule, "the signature");
        let path = std::mem::take(&mut self.path);
        let sigs: Vec<Sig> = binds.iter().map(|bind| self.sigexp(&bind.sigexp)).collect();
        self.path = path;
        for (bind, mut sig) in binds.iter().zip(sigs) {
            sig.span = bind.name.span;
            self.note(|| Fact::signature(sig.span, sig.span, &sig.env));
            self.scopes
                .bind(Binding::Sig(bind.name.symbol, Rc::new(sig)));
        }
    }

    /// A signature expression. Its type constructors are new ones.
    pub(super) fn sigexp(&mut self, sigexp: &ast::SigExp) -> Sig {
        match &sigexp.kind {
            ast::SigExpKind::Sig(specs) => {
                let mark = self.scopes.mark();
                let outer = std::mem::take(&mut self.tyvars);
                self.in_signature += 1;
                let mut builder = Builder::default();
                for spec in specs {
                    self.spec(spec, &mut builder);
                }
                self.in_signature -= 1;
                self.tyvars = outer;
                self.scopes.undo(mark);
                self.close_sig(builder.flexible, Rc::new(builder.env))
            }
            ast::SigExpKind::Name(name) => match self.scopes.sig(name.symbol).cloned() {
                Some(sig) => {
                    self.note(|| Fact::signature(name.span, sig.span, &sig.env));
                    self.copy_sig(&sig).0
                }
                None => {
                    self.look_around(&[], *name, Place::Signature);
                    let hint = self.suggest(name.symbol, self.scopes.sig_names());
                    let mut diagnostic = Diagnostic::new(
                        Code::UnboundSignature,
                        name.span,
                        format!("unknown signature `{}`", name.symbol),
                    );
                    diagnostic.notes.extend(hint);
                    self.report(diagnostic);
                    Sig {
                        flexible: Vec::new(),
                        env: super::module::error_env(),
                        span: Span::NONE,
                    }
                }
            },
            ast::SigExpKind::Where {
                sigexp: inner,
                tyvars,
                tycon,
                ty,
            } => {
                let sig = self.sigexp(inner);
                let function = self.type_function(tyvars, ty);
                self.where_type(&sig, tycon, &function, sigexp.span);
                self.close_sig(sig.flexible, sig.env)
            }
            ast::SigExpKind::Error => Sig {
                flexible: Vec::new(),
                env: super::module::error_env(),
                span: Span::NONE,
            },
        }
    }

    /// A signature without type constructors that have become others.
    fn close_sig(&self, mut flexible: Vec<TyCon>, env: Rc<Env>) -> Sig {
        flexible.retain(|con| self.store.tycons[con.index()].real.is_none());
        Sig {
            flexible,
            env,
            span: Span::NONE,
        }
    }

    fn where_type(&mut self, sig: &Sig, name: &ast::LongName, function: &TyFn, span: Span) {
        if sig.env.error {
            return;
        }
        self.note_path(&sig.env, &name.path);
        let Some(entry) = find_ty(&sig.env, name) else {
            self.error(
                Code::UnboundType,
                name.span(),
                format!("the signature has no type `{}`", long_text(name)),
            );
            return;
        };
        let entry = entry.clone();
        self.note(|| Fact::ty(name.name.span, &entry));
        let (wanted, given) = (
            self.store.function_arity(&entry.function),
            self.store.function_arity(function),
        );
        if wanted != given {
            self.error(
                Code::TypeArity,
                span,
                format!(
                    "`{}` takes {}, and what it is to be takes {given}",
                    long_text(name),
                    super::tyexp::count(wanted, "type argument"),
                ),
            );
            return;
        }
        let con = self.store.function_con(&entry.function);
        match con {
            Some(con) if sig.flexible.contains(&con) => {
                if self.store.tycons[con.index()].eq != Eq::Never
                    && !self.store.function_admits_eq(function)
                {
                    self.error(
                        Code::WhereType,
                        span,
                        format!(
                            "`{}` must admit equality, and what it is to be does not",
                            long_text(name)
                        ),
                    );
                    return;
                }
                if !entry.cons.is_empty() && self.store.function_con(function).is_none() {
                    self.error(
                        Code::WhereType,
                        span,
                        format!(
                            "`{}` is a datatype: it can only be another datatype",
                            long_text(name)
                        ),
                    );
                    return;
                }
                if self.store.function_con(function) != Some(con) {
                    self.store.tycons[con.index()].real = Some(function.clone());
                }
            }
            _ => {
                self.report(Diagnostic::new(
                    Code::WhereType,
                    span,
                    format!("the signature says already what `{}` is", long_text(name)),
                ));
            }
        }
    }

    fn spec(&mut self, spec: &ast::Spec, builder: &mut Builder) {
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
                // One after the other, by the derived form of the Definition: later definitions see those before.
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

    /// A type about which the signature only gives the arity, and perhaps equality.
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
        // Those of an included signature are declared elsewhere.
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

    /// Notes the structures of a path in a signature.
    fn note_path(&mut self, env: &Env, path: &[ast::Name]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        if let Some(structure) = env.strs.get(first.symbol) {
            self.note(|| Fact::structure(first.span, structure));
            self.note_path(&structure.env, rest);
        }
    }

    /// Makes two types of a signature equal.
    fn share(&mut self, first: &TyFn, second: &TyFn, builder: &Builder, span: Span) {
        let arities = (
            self.store.function_arity(first),
            self.store.function_arity(second),
        );
        let cons = (
            self.store.function_con(first),
            self.store.function_con(second),
        );
        let (Some(a), Some(b)) = cons else {
            self.error(
                Code::Sharing,
                span,
                "a type that is defined in the signature cannot be shared",
            );
            return;
        };
        let open = builder.flexible.contains(&a) && builder.flexible.contains(&b);
        if a == b && open {
            return;
        }
        if arities.0 != arities.1 {
            self.error(
                Code::Sharing,
                span,
                "types with different numbers of parameters cannot be the same",
            );
            return;
        }
        if !open {
            self.error(
                Code::Sharing,
                span,
                "a type that is defined outside of the signature cannot be shared",
            );
            return;
        }
        // A datatype knows its constructors: it stays.
        let is_data = matches!(self.program.tycons[b.index()].kind, TyConKind::Data(_));
        let (kept, gone) = if is_data { (b, a) } else { (a, b) };
        if self.store.tycons[gone.index()].eq != Eq::Never {
            self.store.tycons[kept.index()].eq = Eq::Args;
        }
        self.store.tycons[gone.index()].real = Some(TyFn::Con(kept));
    }

    fn share_all(&mut self, first: &Env, second: &Env, builder: &Builder, span: Span) {
        for (name, entry) in first.tys.iter() {
            if let Some(other) = second.tys.get(*name) {
                self.share(&entry.function, &other.function, builder, span);
            }
        }
        for (name, structure) in first.strs.iter() {
            if let Some(other) = second.strs.get(*name) {
                self.share_all(&structure.env, &other.env, builder, span);
            }
        }
    }

    /// Whether two type functions are equal.
    pub(super) fn same_function(&mut self, first: &TyFn, second: &TyFn) -> bool {
        let arity = self.store.function_arity(first);
        if arity != self.store.function_arity(second) {
            return false;
        }
        let args: Vec<T> = (0..arity)
            .map(|_| {
                let var = self.tyvar(Symbol::new("'a"), true);
                self.store.rigid(var)
            })
            .collect();
        let first = self.store.apply(first, &args);
        let second = self.store.apply(second, &args);
        self.store.unify(first, second).is_ok()
    }
}

/// A structure in an environment.
fn find_env(env: &Env, path: &[ast::Name]) -> Option<Rc<Env>> {
    let (first, rest) = path.split_first()?;
    let mut found = env.strs.get(first.symbol)?.env.clone();
    for name in rest {
        let inner = found.strs.get(name.symbol)?.env.clone();
        found = inner;
    }
    Some(found)
}

/// A type in an environment.
fn find_ty(env: &Env, name: &ast::LongName) -> Option<TyEntry> {
    if name.path.is_empty() {
        return env.tys.get(name.name.symbol).cloned();
    }
    let inner = find_env(env, &name.path)?;
    inner.tys.get(name.name.symbol).cloned()
}
