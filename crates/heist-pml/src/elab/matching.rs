//! Matches structures against signatures.

mod seal;

use std::rc::Rc;

use super::Elaborator;
use super::env::{Env, Sig, Status, Structure, TyEntry, Val, What};
use super::print::Names;
use super::types::{Bound, Eq, Node, T, TyFn};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::TyCon;
use seal::hide;

/// The level of the variables that replace the type variables of a polymorphic value during a match.
const SCHEME: u32 = u32::MAX;

/// The place of a match of a structure against a signature, for messages.
struct Place {
    at: Span,
    sig: Span,
    path: Vec<Symbol>,
    /// The constructors whose datatypes differ from those of the signature. The elaborator has reported each of these differences as an
    /// error.
    told: Vec<Symbol>,
}

impl Place {
    fn name(&self, name: Symbol) -> String {
        let mut text = String::new();
        for part in &self.path {
            text.push_str(part.as_str());
            text.push('.');
        }
        text.push_str(name.as_str());
        text
    }

    /// Returns a message about a part of the structure. If the text of the structure contains the part, the message has the part's place.
    fn wrong(&self, code: Code, found: Span, message: String) -> Diagnostic {
        let inside =
            found.file == self.at.file && self.at.start <= found.start && found.end <= self.at.end;
        if inside {
            Diagnostic::new(code, found, message)
        } else {
            self.error(code, message)
        }
    }

    /// Returns a message about a part that the structure lacks.
    fn error(&self, code: Code, message: String) -> Diagnostic {
        Diagnostic::new(code, self.at, message)
            .label(self.at, "this structure")
            .label(self.sig, "this signature")
    }
}

impl Elaborator {
    /// Returns the contents of a structure with the types of a signature. The caller must pass a new copy of the signature, because the
    /// match binds the types of this copy.
    pub(super) fn ascribe(
        &mut self,
        actual: &Rc<Env>,
        sig: Sig,
        opaque: bool,
        at: Span,
        sig_at: Span,
    ) -> Rc<Env> {
        if actual.error || sig.env.error {
            if sig.env.error {
                return super::module::error_env();
            }
            return sig.env;
        }
        let sealed = opaque.then(|| self.copy_sig(&sig));
        let mut place = Place {
            at,
            sig: sig_at,
            path: Vec::new(),
            told: Vec::new(),
        };
        let before = self.reported;
        self.realise(&sig.env, actual, &sig.flexible, &mut place);
        let level = std::mem::replace(&mut self.store.level, SCHEME);
        let mut env = self.match_env(&sig.env, actual, &mut place);
        self.store.level = level;
        if let Some((sealed, renaming)) = sealed {
            self.seal(&sig.flexible, &renaming);
            env = hide(&sealed.env, &env);
        }
        if self.reported != before {
            // Adds missing parts, so that uses of these parts cause no further errors.
            fill(&mut env, &sig.env);
        }
        Rc::new(env)
    }

    /// Binds the open types of a signature to the types of a structure.
    fn realise(&mut self, spec: &Env, actual: &Env, flexible: &[TyCon], place: &mut Place) {
        for (name, entry) in spec.tys.iter() {
            let Some(found) = actual.tys.get(*name) else {
                let text = place.name(*name);
                self.report(
                    place
                        .error(
                            Code::MissingItem,
                            format!("the structure has no type `{text}`"),
                        )
                        .label(entry.span, "asked for here"),
                );
                continue;
            };
            let arity = self.store.function_arity(&entry.function);
            let found_arity = self.store.function_arity(&found.function);
            if arity != found_arity {
                let text = place.name(*name);
                self.report(
                    place
                        .wrong(
                            Code::ItemTypeArity,
                            found.span,
                            format!(
                                "the type `{text}` has {}, and the signature asks for {}",
                                super::tyexp::count(found_arity, "parameter"),
                                super::tyexp::count(arity, "parameter"),
                            ),
                        )
                        .label(found.span, "declared here"),
                );
                continue;
            }
            let Some(con) = self.store.function_con(&entry.function) else {
                continue;
            };
            if !flexible.contains(&con) {
                continue;
            }
            if self.store.tycons[con.index()].eq != Eq::Never
                && entry.cons.is_empty()
                && !self.store.function_admits_eq(&found.function)
            {
                let text = place.name(*name);
                self.report(
                    place
                        .wrong(
                            Code::ItemEquality,
                            found.span,
                            format!("the type `{text}` does not admit equality, and the signature asks for an `eqtype`"),
                        )
                        .label(found.span, "declared here"),
                );
            }
            self.store.tycons[con.index()].real = Some(found.function.clone());
        }
        for (name, structure) in spec.strs.iter() {
            match actual.strs.get(*name) {
                Some(found) if found.env.error => {}
                Some(found) => {
                    let env = found.env.clone();
                    place.path.push(*name);
                    self.realise(&structure.env, &env, flexible, place);
                    place.path.pop();
                }
                None => {
                    let text = place.name(*name);
                    self.report(
                        place
                            .error(
                                Code::MissingItem,
                                format!("the structure has no structure `{text}`"),
                            )
                            .label(structure.span, "asked for here"),
                    );
                }
            }
        }
    }

    fn match_env(&mut self, spec: &Env, actual: &Env, place: &mut Place) -> Env {
        let mut env = Env::default();
        place.told.clear();
        for (name, entry) in spec.tys.iter() {
            let Some(found) = actual.tys.get(*name) else {
                continue;
            };
            self.link_names(entry.span, found.span);
            let entry = self.match_ty(*name, entry, found, place);
            env.tys.insert(*name, entry);
        }
        for (name, val) in spec.vals.iter() {
            let Some(found) = actual.vals.get(*name) else {
                // The error about the datatype already covers a missing constructor.
                if val.status != Status::Con {
                    let text = place.name(*name);
                    let what = if val.status == Status::Exn {
                        "exception"
                    } else {
                        "value"
                    };
                    let hint = self.suggest(*name, actual.vals.iter().map(|entry| entry.0));
                    let mut diagnostic = place
                        .error(
                            Code::MissingItem,
                            format!("the structure has no {what} `{text}`"),
                        )
                        .label(val.span, "asked for here");
                    diagnostic.notes.extend(hint);
                    self.report(diagnostic);
                } else if !spec_con_known(spec, actual, *name) {
                    self.missing_con(*name, val, place);
                }
                continue;
            };
            let found = found.clone();
            self.link_names(val.span, found.span);
            if let Some(val) = self.match_val(*name, val, &found, place) {
                env.vals.insert(*name, val);
            }
        }
        for (name, structure) in spec.strs.iter() {
            let Some(found) = actual.strs.get(*name) else {
                continue;
            };
            self.link_names(structure.span, found.span);
            place.path.push(*name);
            let inner = self.match_env(&structure.env, &found.env, place);
            place.path.pop();
            let structure = Structure {
                env: Rc::new(inner),
                span: found.span,
            };
            env.strs.insert(*name, structure);
        }
        env
    }

    fn missing_con(&mut self, name: Symbol, val: &Val, place: &Place) {
        let text = place.name(name);
        self.report(
            place
                .error(
                    Code::MissingItem,
                    format!("the structure has no constructor `{text}`"),
                )
                .label(val.span, "asked for here"),
        );
    }

    fn match_ty(
        &mut self,
        name: Symbol,
        spec: &TyEntry,
        found: &TyEntry,
        place: &mut Place,
    ) -> TyEntry {
        if self.store.function_arity(&spec.function) != self.store.function_arity(&found.function) {
            place.told.extend(spec.cons.iter().map(|con| con.0));
            return spec.clone();
        }
        if !self.same_function(&spec.function, &found.function) {
            let (wanted, given) = (
                self.show_function(&spec.function),
                self.show_function(&found.function),
            );
            let text = place.name(name);
            let code = if spec.cons.is_empty() {
                Code::ItemDefinition
            } else {
                Code::ItemDatatype
            };
            self.report(
                place
                    .wrong(
                        code,
                        found.span,
                        format!("the type `{text}` is not the one that the signature says"),
                    )
                    .label(found.span, format!("here it is `{given}`"))
                    .label(spec.span, format!("the signature says `{wanted}`")),
            );
            place.told.extend(spec.cons.iter().map(|con| con.0));
            return spec.clone();
        }
        if spec.cons.is_empty() {
            return TyEntry {
                function: found.function.clone(),
                cons: Rc::from([]),
                span: found.span,
            };
        }
        let mut cons = Vec::with_capacity(spec.cons.len());
        let mut differs = None;
        for (con, val) in spec.cons.iter() {
            match found.cons.iter().find(|other| other.0 == *con) {
                None => differs = Some((*con, "is missing")),
                Some((_, actual)) => match self.matched(val, actual) {
                    Ok(val) => cons.push((*con, val)),
                    Err(_) => differs = Some((*con, "has another type")),
                },
            }
        }
        for (con, _) in found.cons.iter() {
            if !spec.cons.iter().any(|other| other.0 == *con) {
                differs = Some((*con, "is not in the signature"));
            }
        }
        if let Some((con, how)) = differs {
            let text = place.name(name);
            self.report(
                place
                    .wrong(
                        Code::ItemDatatype,
                        found.span,
                        format!("the datatype `{text}` differs from the one of the signature"),
                    )
                    .label(found.span, format!("the constructor `{con}` {how}"))
                    .label(spec.span, "asked for here"),
            );
            place.told.extend(spec.cons.iter().map(|con| con.0));
            return spec.clone();
        }
        TyEntry {
            function: found.function.clone(),
            cons: cons.into(),
            span: found.span,
        }
    }

    fn show_function(&mut self, function: &TyFn) -> String {
        match function {
            TyFn::Con(con) => match self.store.tycons[con.index()].real.clone() {
                Some(real) => self.show_function(&real),
                None => self.show_con(*con).into(),
            },
            TyFn::Lambda(_, body) => self.show(*body),
        }
    }

    /// Returns a value of a structure with the type that its specification gives.
    fn matched(&mut self, spec: &Val, found: &Val) -> Result<Val, super::unify::Clash> {
        let (mut what, mut status_of) = (found.what.clone(), found.clone());
        let (ty, inst) = if let What::Overload(number) = found.what {
            // The specified type determines the implementation of the overloaded name.
            let overload = &self.overloads[number as usize];
            let (class, tyvar) = (overload.class, overload.tyvar);
            let at = self.store.fresh_var(false, Bound::Class(class));
            let ty = self.store.substitute(found.ty, &[tyvar], &[at]);
            self.store.unify(ty, spec.ty)?;
            let Node::Con(con, _) = self.store.look(at).1 else {
                return Err(super::unify::Clash::Class(spec.ty));
            };
            let overload = &self.overloads[number as usize];
            if let Some((_, val)) = overload.by.iter().find(|by| by.0 == con) {
                status_of = val.clone();
                what = val.what.clone();
            }
            self.instantiate(&status_of)
        } else {
            self.instantiate(found)
        };
        self.store.unify(ty, spec.ty)?;
        for &ty in &inst {
            self.settle_inst(ty);
        }
        let trivial = spec.tyvars.is_empty() && inst.is_empty();
        Ok(Val {
            tyvars: spec.tyvars.clone(),
            ty: spec.ty,
            what,
            inst: (!trivial).then(|| inst.into()),
            status: spec.status,
            span: found.span,
        })
    }

    /// Binds a type argument to `unit` if the type argument is still unknown.
    fn settle_inst(&mut self, ty: T) {
        let (ty, node) = self.store.look(ty);
        if let Node::Var {
            level: SCHEME,
            bound: Bound::None,
            ..
        } = node
        {
            self.store.link(ty, T::UNIT);
        }
    }

    fn match_val(&mut self, name: Symbol, spec: &Val, found: &Val, place: &Place) -> Option<Val> {
        let text = place.name(name);
        if spec.status != Status::Value && spec.status != found.status {
            let (wanted, given) = (kind(spec.status), kind(found.status));
            self.report(
                place
                    .wrong(
                        Code::ItemKind,
                        found.span,
                        format!("the signature asks for {wanted} `{text}`, and here it is {given}"),
                    )
                    .label(found.span, "bound here")
                    .label(spec.span, "asked for here"),
            );
            return None;
        }
        match self.matched(spec, found) {
            Ok(val) => Some(val),
            Err(_) if spec.status == Status::Con && place.told.contains(&name) => None,
            Err(clash) => {
                let mut names = Names::default();
                let wanted = self.show_with(spec.ty, &mut names);
                let given = self.show_with(found.ty, &mut names);
                let mut diagnostic = place
                    .wrong(
                        Code::ItemType,
                        found.span,
                        format!("`{text}` has not the type that the signature asks for"),
                    )
                    .label(found.span, format!("here it has the type `{given}`"))
                    .label(spec.span, format!("the signature asks for `{wanted}`"));
                if let super::unify::Clash::EscapingVar(_) = clash {
                    diagnostic
                        .notes
                        .push("it is not polymorphic, as it was not bound to a value".into());
                }
                self.report(diagnostic);
                None
            }
        }
    }
}

fn kind(status: Status) -> &'static str {
    match status {
        Status::Value => "a value",
        Status::Con => "a constructor",
        Status::Exn => "an exception",
    }
}

/// Returns true if the elaborator has already reported the datatype of a missing constructor as missing or different.
fn spec_con_known(spec: &Env, actual: &Env, con: Symbol) -> bool {
    spec.tys.iter().any(|(name, entry)| {
        entry.cons.iter().any(|other| other.0 == con)
            && actual
                .tys
                .get(*name)
                .is_none_or(|found| !found.cons.iter().any(|other| other.0 == con))
    })
}

/// Adds the parts that a structure lacks, with the types that its signature specifies.
fn fill(env: &mut Env, spec: &Env) {
    for (name, val) in spec.vals.iter() {
        if env.vals.get(*name).is_none() {
            env.vals.insert(*name, val.clone());
        }
    }
    for (name, entry) in spec.tys.iter() {
        if env.tys.get(*name).is_none() {
            env.tys.insert(*name, entry.clone());
        }
    }
    for (name, structure) in spec.strs.iter() {
        if env.strs.get(*name).is_none() {
            env.strs.insert(*name, structure.clone());
        }
    }
}
