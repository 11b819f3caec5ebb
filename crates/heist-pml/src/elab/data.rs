//! Elaborates declarations of types, datatypes and exceptions.

use std::rc::Rc;

use super::Elaborator;
use super::env::{Binding, Status, TyEntry, Val, What};
use super::facts::Fact;
use super::name::{plain_ty, raw};
use super::types::{Eq, T, TyFn};
use super::tyvars::Unguarded;
use crate::diag::{Code, Diagnostic};
use crate::prim::BuiltinExn;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Con, ConInfo, Dec, ExnTag, TyCon, TyConKind, TyVar};

/// A datatype before the elaboration of its constructors.
struct Data<'a> {
    bind: &'a ast::DataBind,
    tycon: TyCon,
    params: Rc<[TyVar]>,
}

impl Elaborator {
    /// Returns the type function of an abbreviation. If the abbreviation only gives a type constructor another name, returns this type
    /// constructor.
    pub(super) fn type_function(&mut self, tyvars: &[ast::Name], ty: &ast::Ty) -> TyFn {
        let outer = std::mem::take(&mut self.tyvars);
        let params: Rc<[TyVar]> = self.type_params(tyvars).into();
        let body = self.ty(ty);
        self.tyvars = outer;
        let function = TyFn::Lambda(params, body);
        match self.store.function_con(&function) {
            Some(con) => TyFn::Con(con),
            None => function,
        }
    }

    /// Elaborates abbreviations `type t = ty and ...`. An abbreviation of a datatype does not bring the datatype's constructors into scope.
    pub(super) fn type_dec(&mut self, binds: &[ast::TypeBind]) {
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.name).collect();
        self.no_duplicates(&names, Code::DuplicateBinding, "the type");
        let functions: Vec<TyFn> = binds
            .iter()
            .map(|bind| self.type_function(&bind.tyvars, &bind.ty))
            .collect();
        for (bind, function) in binds.iter().zip(functions) {
            let entry = plain_ty(function, bind.name.span);
            self.note(|| Fact::ty(bind.name.span, &entry));
            self.scopes.bind_ty(bind.name.symbol, entry);
        }
    }

    /// Elaborates datatypes that mention each other, and abbreviations that mention these datatypes. Returns the
    /// datatypes.
    pub(super) fn datatype(
        &mut self,
        datas: &[ast::DataBind],
        types: &[ast::TypeBind],
    ) -> Vec<TyCon> {
        let mut names: Vec<ast::Name> = datas.iter().map(|data| data.name).collect();
        names.extend(types.iter().map(|bind| bind.name));
        self.no_duplicates(&names, Code::DuplicateBinding, "the type");
        let outer = std::mem::take(&mut self.tyvars);
        let mut made = Vec::with_capacity(datas.len());
        for bind in datas {
            let params: Rc<[TyVar]> = self.type_params(&bind.tyvars).into();
            self.tyvars.clear();
            let name = self.full_name(bind.name.symbol);
            let kind = TyConKind::Data(Vec::new());
            let tycon = self.tycon(name, params.to_vec(), kind, Eq::Args);
            let entry = plain_ty(TyFn::Con(tycon), bind.name.span);
            self.scopes.bind_ty(bind.name.symbol, entry);
            made.push(Data {
                bind,
                tycon,
                params,
            });
        }
        if self.builtin && self.path.is_empty() && self.in_signature == 0 {
            for data in &made {
                match data.bind.name.symbol.as_str() {
                    "bool" if self.program.bool_tycon.is_none() => {
                        self.program.bool_tycon = Some(data.tycon);
                    }
                    "list" if self.program.list_tycon.is_none() => {
                        self.program.list_tycon = Some(data.tycon);
                    }
                    _ => {}
                }
            }
        }
        let functions: Vec<TyFn> = types
            .iter()
            .map(|bind| self.type_function(&bind.tyvars, &bind.ty))
            .collect();
        for (bind, function) in types.iter().zip(functions) {
            let entry = plain_ty(function, bind.name.span);
            self.note(|| Fact::ty(bind.name.span, &entry));
            self.scopes.bind_ty(bind.name.symbol, entry);
        }
        let cons: Vec<ast::Name> = datas
            .iter()
            .flat_map(|data| data.cons.iter().map(|con| con.name))
            .collect();
        self.no_duplicates(&cons, Code::DuplicateConstructor, "the constructor");
        let mut args: Vec<(TyCon, Rc<[TyVar]>, T)> = Vec::new();
        let mut entries = Vec::with_capacity(made.len());
        for data in &made {
            let cons = self.constructors(data, &mut args);
            entries.push(cons);
        }
        self.find_equality(&args);
        for (data, cons) in made.iter().zip(entries) {
            let entry = TyEntry {
                function: TyFn::Con(data.tycon),
                cons: cons.clone(),
                span: data.bind.name.span,
            };
            self.note(|| Fact::ty(data.bind.name.span, &entry));
            self.scopes.bind_ty(data.bind.name.symbol, entry);
            for (name, val) in cons.iter() {
                self.scopes.bind_val(*name, val.clone());
            }
        }
        if self.builtin
            && let Some(bool_tycon) = self.program.bool_tycon
            && made.iter().any(|data| data.tycon == bool_tycon)
        {
            let ty = self.bool_ty();
            self.declare_equality(ty);
        }
        self.tyvars = outer;
        made.iter().map(|data| data.tycon).collect()
    }

    fn constructors(
        &mut self,
        data: &Data,
        args: &mut Vec<(TyCon, Rc<[TyVar]>, T)>,
    ) -> Rc<[(Symbol, Val)]> {
        let params: Vec<T> = data
            .params
            .iter()
            .map(|&param| self.store.rigid(param))
            .collect();
        let whole = self.store.con(data.tycon, &params);
        let (mut entries, mut numbers) = (Vec::new(), Vec::new());
        for (index, con) in data.bind.cons.iter().enumerate() {
            self.check_bindable(con.name);
            if !self.builtin && con.name.symbol.as_str() == "it" {
                self.error(
                    Code::ReservedBinding,
                    con.name.span,
                    "`it` cannot be a constructor",
                );
            }
            self.tyvars.clear();
            for (name, &param) in data.bind.tyvars.iter().zip(data.params.iter()) {
                self.tyvars.push((name.symbol, param));
            }
            let arg = con.ty.as_ref().map(|ty| self.ty(ty));
            self.tyvars.clear();
            // The types of a signature are not known yet, so the type must not become final. No program has values of a
            // signature's datatype, because the datatype of a structure replaces it.
            let of = |elaborator: &mut Elaborator, arg| match elaborator.in_signature {
                0 => elaborator.final_ty(arg),
                _ => elaborator.program.types.unit(),
            };
            let declared = arg.map(|arg| of(self, arg));
            let info = ConInfo {
                name: con.name.symbol,
                tycon: data.tycon,
                index: index as u32,
                arg: declared,
                declared,
            };
            self.program.cons.push(info);
            let number = Con(self.program.cons.len() as u32 - 1);
            numbers.push(number);
            if let Some(arg) = arg {
                args.push((data.tycon, data.params.clone(), arg));
            }
            let val = Val {
                tyvars: data.params.clone(),
                ty: match arg {
                    Some(arg) => self.store.arrow(arg, whole),
                    None => whole,
                },
                what: What::Con(number),
                inst: None,
                status: Status::Con,
                span: con.name.span,
            };
            self.note(|| Fact::val(con.name.span, &val));
            entries.push((con.name.symbol, val));
        }
        self.program.tycons[data.tycon.index()].kind = TyConKind::Data(numbers);
        entries.into()
    }

    /// Marks those datatypes of a group that do not admit equality, because the arguments of their constructors do not admit equality.
    /// Before the call, all datatypes of the group must be marked as types with equality.
    fn find_equality(&mut self, args: &[(TyCon, Rc<[TyVar]>, T)]) {
        for (_, params, _) in args {
            for param in params.iter() {
                self.store.tyvars[param.index()].eq = true;
            }
        }
        loop {
            let mut changed = false;
            for (tycon, _, arg) in args {
                if self.store.tycons[tycon.index()].eq != Eq::Never && !self.store.admits_eq(*arg) {
                    self.store.tycons[tycon.index()].eq = Eq::Never;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        if self.builtin {
            self.find_identity(args);
        }
        for (_, params, _) in args {
            for param in params.iter() {
                let name = self.program.tyvars[param.index()];
                self.store.tyvars[param.index()].eq = name.as_str().starts_with("''");
            }
        }
    }

    /// Makes datatypes of the Basis admit equality for all type arguments, if their parameters occur only in arrays and references
    /// (`Array2.array`).
    fn find_identity(&mut self, args: &[(TyCon, Rc<[TyVar]>, T)]) {
        for (_, params, _) in args {
            for param in params.iter() {
                self.store.tyvars[param.index()].eq = false;
            }
        }
        for (tycon, params, _) in args {
            let mut own = args.iter().filter(|other| other.0 == *tycon);
            if self.store.tycons[tycon.index()].eq == Eq::Args
                && !params.is_empty()
                && own.all(|(_, _, arg)| self.store.admits_eq(*arg))
            {
                self.store.tycons[tycon.index()].eq = Eq::Always;
            }
        }
    }

    /// Elaborates `datatype t = datatype u`.
    pub(super) fn replication(&mut self, name: ast::Name, of: &ast::LongName) {
        let Some(entry) = self.find_ty(of) else {
            return;
        };
        for (con, val) in entry.cons.iter() {
            self.scopes.bind_val(*con, val.clone());
        }
        let entry = TyEntry {
            span: name.span,
            ..entry
        };
        self.note(|| Fact::ty(name.span, &entry));
        self.scopes.bind_ty(name.symbol, entry);
    }

    /// Elaborates `abstype`. Only the declarations inside of the `abstype` see the constructors of its datatypes.
    pub(super) fn abstype(
        &mut self,
        datas: &[ast::DataBind],
        types: &[ast::TypeBind],
        decs: &[ast::Dec],
        out: &mut Vec<Dec>,
    ) {
        let before = self.scopes.mark();
        let tycons = self.datatype(datas, types);
        let inside = self.scopes.mark();
        for dec in decs {
            self.dec(dec, out);
        }
        if !self.options.mlton {
            for tycon in tycons {
                self.store.tycons[tycon.index()].eq = Eq::Never;
            }
        }
        let kept = self.scopes.take(inside);
        for binding in self.scopes.take(before) {
            if let Binding::Ty(name, entry) = binding {
                self.scopes
                    .bind_ty(name, plain_ty(entry.function, entry.span));
            }
        }
        for binding in kept {
            self.scopes.bind(binding);
        }
    }

    /// Reports an error if the name is not allowed for an exception.
    pub(super) fn check_exception_name(&mut self, name: ast::Name) {
        self.check_bindable(name);
        if !self.builtin && name.symbol.as_str() == "it" {
            self.error(
                Code::ReservedBinding,
                name.span,
                "`it` cannot be an exception",
            );
        }
    }

    /// Elaborates `exception E of t and F = G`.
    pub(super) fn exception(&mut self, binds: &[ast::ExnBind], out: &mut Vec<Dec>) {
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.name).collect();
        self.no_duplicates(&names, Code::DuplicateBinding, "the exception");
        let mut vals = Vec::with_capacity(binds.len());
        for bind in binds {
            self.check_exception_name(bind.name);
            let name = bind.name;
            let val = match &bind.kind {
                ast::ExnBindKind::New(ty) => {
                    let arg = ty.as_ref().map(|ty| self.exception_ty(ty));
                    let var = self.var(name.symbol, name.span);
                    out.push(Dec::Exception {
                        id: None,
                        var,
                        name: name.symbol,
                        arg: arg.map(raw),
                    });
                    self.exception_val(ExnTag::Var(var), arg, name)
                }
                ast::ExnBindKind::Builtin(which, ty) => {
                    let arg = ty.as_ref().map(|ty| self.exception_ty(ty));
                    let Some(exn) = BuiltinExn::by_name(which.symbol.as_str()) else {
                        self.error(
                            Code::UnknownPrimitive,
                            which.span,
                            format!("the runtime has no exception `{}`", which.symbol),
                        );
                        continue;
                    };
                    self.exception_val(ExnTag::Builtin(exn), arg, name)
                }
                ast::ExnBindKind::Alias(of) => match self.look_up_val(of) {
                    Err(()) => continue,
                    Ok(Some(val)) if val.status == Status::Exn => {
                        self.fact(of.name.span, val.status, val.ty, val.span);
                        self.fact(name.span, val.status, val.ty, name.span);
                        // Tools need separate facts about the places of `name` and of `of.name`.
                        let span = if self.options.record {
                            name.span
                        } else {
                            val.span
                        };
                        Val { span, ..val }
                    }
                    Ok(Some(_)) => {
                        self.error(
                            Code::NotAnException,
                            of.span(),
                            format!("`{}` is not an exception", super::name::long_text(of)),
                        );
                        continue;
                    }
                    Ok(None) => {
                        let hint = self.suggest_val(of);
                        self.unbound_long(Code::UnboundException, "exception", of, hint);
                        continue;
                    }
                },
            };
            vals.push((name.symbol, val));
        }
        for (name, val) in vals {
            self.scopes.bind_val(name, val);
        }
    }

    fn exception_ty(&mut self, ty: &ast::Ty) -> T {
        let mut found = Unguarded::default();
        found.ty(ty);
        for (name, span) in found.found {
            if !self.tyvars.iter().any(|other| other.0 == name) {
                self.report(
                    Diagnostic::new(
                        Code::ExceptionPolymorphic,
                        span,
                        format!("the type variable `{name}` is not bound by a function around"),
                    )
                    .note("an exception has one type"),
                );
                return T::ERROR;
            }
        }
        self.ty(ty)
    }

    pub(super) fn exception_val(&mut self, tag: ExnTag, arg: Option<T>, name: ast::Name) -> Val {
        let exn = self.prim_ty("exn");
        let ty = match arg {
            Some(arg) => self.store.arrow(arg, exn),
            None => exn,
        };
        self.fact(name.span, Status::Exn, ty, name.span);
        Val {
            tyvars: Rc::from([]),
            ty,
            what: What::Exn(tag),
            inst: None,
            status: Status::Exn,
            span: name.span,
        }
    }
}
