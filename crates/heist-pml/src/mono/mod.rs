//! Monomorphisation: makes a program without type variables from the reachable parts of a program.
//!
//! The pass replaces a binding by copies, one for each list of type arguments with which code uses the binding. Uses come after bindings,
//! so the pass walks blocks backwards. When the pass reaches a declaration, it has recorded all uses in later code. The pass omits a
//! binding that is not used, unless the evaluation of the binding has effects.
//!
//! Inside a recursive group of functions, a use of one of these functions has the group's own type variables as type arguments. So no
//! program needs infinitely many instances.

mod demand;
mod effects;
#[cfg(test)]
mod tests;
mod types;

use demand::{Demand, Entry};
use types::Mapper;

use crate::typed::{
    ConInfo, Dec, ExnTag, Exp, ExpKind, FunBind, Pat, PatKind, Program, Rule, Ty, Types, Var,
    VarInfo,
};

/// Returns the program without type variables and abstract types.
#[must_use]
pub fn mono(mut program: Program) -> Program {
    let types = std::mem::take(&mut program.types);
    instance(&program, types, &program.decs)
}

/// Returns a program with the declarations `decs`, without type variables and abstract types. The declarations refer to the tables of the
/// program `tables`, and to the types `types`.
#[must_use]
pub fn instance(tables: &Program, types: Types, decs: &[Dec]) -> Program {
    let mut mapper = Mapper::new(types, &tables.tycons, tables.tyvars.len());
    // The type of a constructor's argument keeps the parameters of the datatype.
    let cons = tables
        .cons
        .iter()
        .map(|con| ConInfo {
            arg: con.arg.map(|arg| mapper.open(arg)),
            ..con.clone()
        })
        .collect();
    mapper.close();
    let mut mono = Mono {
        mapper,
        cons: &tables.cons,
        tycons: &tables.tycons,
        demand: Demand::new(tables.vars.len()),
        old: &tables.vars,
        vars: Vec::new(),
    };
    let (decs, _) = mono.block(decs, None);
    let vars = mono.vars;
    let types = mono.mapper.types;
    Program {
        types,
        vars,
        tyvars: tables.tyvars.clone(),
        tycons: tables.tycons.clone(),
        cons,
        decs,
        bool_tycon: tables.bool_tycon,
        list_tycon: tables.list_tycon,
    }
}

struct Mono<'a> {
    mapper: Mapper<'a>,
    cons: &'a [ConInfo],
    tycons: &'a [crate::typed::TyConInfo],
    demand: Demand,
    old: &'a [VarInfo],
    vars: Vec<VarInfo>,
}

impl Mono<'_> {
    fn fresh(&mut self, var: Var) -> Var {
        self.vars.push(self.old[var.index()].clone());
        Var(self.vars.len() as u32 - 1)
    }

    fn ty(&mut self, ty: Ty) -> Ty {
        self.mapper.map(ty)
    }

    fn tys(&mut self, tys: &[Ty]) -> Vec<Ty> {
        tys.iter().map(|&ty| self.mapper.map(ty)).collect()
    }

    /// Returns the copy of a variable for the types `inst`, and records the use.
    fn var(&mut self, var: Var, inst: &[Ty]) -> Var {
        match self.demand.entry(var) {
            Entry::Plain { new, used: true } => new,
            Entry::Plain { new, used: false } => {
                self.demand.set(var, Entry::Plain { new, used: true });
                new
            }
            Entry::Member { group, member } => {
                let inst = self.tys(inst);
                let at = self.demand.instance(group, inst);
                self.member(group, at, member)
            }
            Entry::Unbound => unreachable!(
                "the variable {} is used where it is not bound",
                self.old[var.index()].name
            ),
        }
    }

    fn member(&mut self, group: usize, instance: usize, member: usize) -> Var {
        if let Some(new) = self.demand.groups[group].instances[instance].vars[member] {
            return new;
        }
        let new = self.fresh(self.demand.groups[group].members[member]);
        let instance = &mut self.demand.groups[group].instances[instance];
        instance.vars[member] = Some(new);
        instance.pending.push(member);
        new
    }

    /// Copies declarations, and `body`, the code in their scope.
    fn block(&mut self, decs: &[Dec], body: Option<&Exp>) -> (Vec<Dec>, Option<Exp>) {
        let first = self.demand.groups.len();
        for dec in decs {
            let mut members = Vec::new();
            match dec {
                Dec::Val { pat, .. } => pattern_vars(pat, &mut members),
                Dec::Fun { binds, .. } => members.extend(binds.iter().map(|bind| bind.var)),
                Dec::Exception { var, .. } => members.push(*var),
            }
            self.demand.open(members);
        }
        let body = body.map(|body| self.exp(body));
        let mut out = Vec::new();
        for (at, dec) in decs.iter().enumerate().rev() {
            self.dec(dec, first + at, &mut out);
        }
        out.reverse();
        self.demand.groups.truncate(first);
        (out, body)
    }

    /// Adds copies of all instances of a declaration to `out`. The pass works backwards, so the last declaration comes first in `out`.
    fn dec(&mut self, dec: &Dec, group: usize, out: &mut Vec<Dec>) {
        match dec {
            Dec::Val { tyvars, pat, exp } => {
                let idle = self.demand.groups[group].instances.is_empty();
                if idle {
                    if self.irrefutable(pat) && (!tyvars.is_empty() || self.effect_free(exp)) {
                        return;
                    }
                    // The declaration may raise `Bind` even if no code uses its variables. The types do not determine whether its pattern
                    // matches, so any instance is correct.
                    let unit = self.mapper.types.unit();
                    self.demand.instance(group, vec![unit; tyvars.len()]);
                }
                for at in 0..self.demand.groups[group].instances.len() {
                    let inst = self.demand.groups[group].instances[at].inst.clone();
                    let outer = self.mapper.enter(tyvars, &inst);
                    let exp = self.exp(exp);
                    let pat = self.pat(pat, Some((group, at)));
                    self.mapper.leave(tyvars, outer);
                    out.push(Dec::Val {
                        tyvars: Vec::new(),
                        pat,
                        exp,
                    });
                }
            }
            Dec::Fun { tyvars, binds } => {
                let mut at = 0;
                while at < self.demand.groups[group].instances.len() {
                    let inst = self.demand.groups[group].instances[at].inst.clone();
                    let outer = self.mapper.enter(tyvars, &inst);
                    let mut done: Vec<(usize, FunBind)> = Vec::new();
                    while let Some(member) = self.demand.groups[group].instances[at].pending.pop() {
                        let exp = self.exp(&binds[member].exp);
                        let var = self.member(group, at, member);
                        done.push((member, FunBind { var, exp }));
                    }
                    self.mapper.leave(tyvars, outer);
                    done.sort_by_key(|bind| bind.0);
                    out.push(Dec::Fun {
                        tyvars: Vec::new(),
                        binds: done.into_iter().map(|bind| bind.1).collect(),
                    });
                    at += 1;
                }
            }
            Dec::Exception { name, arg, id, .. } => {
                if self.demand.groups[group].instances.is_empty() {
                    return;
                }
                let var = self.member(group, 0, 0);
                let arg = arg.map(|arg| self.ty(arg));
                let id = id.as_ref().map(|id| self.exp(id));
                out.push(Dec::Exception {
                    var,
                    name: *name,
                    arg,
                    id,
                });
            }
        }
    }

    fn tag(&mut self, tag: ExnTag) -> ExnTag {
        match tag {
            ExnTag::Var(var) => ExnTag::Var(self.var(var, &[])),
            ExnTag::Builtin(exn) => ExnTag::Builtin(exn),
        }
    }

    fn exps(&mut self, exps: &[Exp]) -> Vec<Exp> {
        exps.iter().map(|exp| self.exp(exp)).collect()
    }

    fn boxed(&mut self, exp: &Exp) -> Box<Exp> {
        Box::new(self.exp(exp))
    }

    fn exp(&mut self, exp: &Exp) -> Exp {
        let kind = match &exp.kind {
            ExpKind::Const(value) => ExpKind::Const(value.clone()),
            ExpKind::Var { var, inst } => ExpKind::Var {
                var: self.var(*var, inst),
                inst: Vec::new(),
            },
            ExpKind::Con { con, inst } => ExpKind::Con {
                con: *con,
                inst: self.tys(inst),
            },
            ExpKind::Exn(tag) => ExpKind::Exn(self.tag(*tag)),
            ExpKind::Prim { prim, ty } => ExpKind::Prim {
                prim: *prim,
                ty: self.ty(*ty),
            },
            ExpKind::Record(fields) => ExpKind::Record(
                fields
                    .iter()
                    .map(|(label, exp)| (*label, self.exp(exp)))
                    .collect(),
            ),
            ExpKind::Select(label, exp) => ExpKind::Select(*label, self.boxed(exp)),
            ExpKind::Apply(f, arg) => {
                let f = self.boxed(f);
                ExpKind::Apply(f, self.boxed(arg))
            }
            ExpKind::Fn(rules) => ExpKind::Fn(self.rules(rules)),
            ExpKind::Case {
                scrutinee,
                rules,
                otherwise,
            } => {
                let scrutinee = self.boxed(scrutinee);
                ExpKind::Case {
                    scrutinee,
                    rules: self.rules(rules),
                    otherwise: *otherwise,
                }
            }
            ExpKind::If(cond, yes, no) => {
                let cond = self.boxed(cond);
                let yes = self.boxed(yes);
                ExpKind::If(cond, yes, self.boxed(no))
            }
            ExpKind::While(cond, body) => {
                let cond = self.boxed(cond);
                ExpKind::While(cond, self.boxed(body))
            }
            ExpKind::Sequence(exps) => ExpKind::Sequence(self.exps(exps)),
            ExpKind::Let(decs, body) => {
                let (decs, body) = self.block(decs, Some(body));
                let body = body.unwrap_or_else(|| unreachable!("a let has a body"));
                if decs.is_empty() {
                    return body;
                }
                ExpKind::Let(decs, Box::new(body))
            }
            ExpKind::Handle(body, rules) => {
                let body = self.boxed(body);
                ExpKind::Handle(body, self.rules(rules))
            }
            ExpKind::Raise(exp) => ExpKind::Raise(self.boxed(exp)),
            ExpKind::ParTuple(exps) => ExpKind::ParTuple(self.exps(exps)),
        };
        Exp {
            kind,
            ty: self.ty(exp.ty),
            span: exp.span,
        }
    }

    fn rules(&mut self, rules: &[Rule]) -> Vec<Rule> {
        rules
            .iter()
            .map(|rule| {
                let mut vars = Vec::new();
                pattern_vars(&rule.pat, &mut vars);
                for &var in &vars {
                    let new = self.fresh(var);
                    self.demand.set(var, Entry::Plain { new, used: false });
                }
                let exp = self.exp(&rule.exp);
                let pat = self.pat(&rule.pat, None);
                Rule { pat, exp }
            })
            .collect()
    }

    /// Copies a pattern. The code that uses its variables must already be copied. Omits unused variables. For the pattern of a declaration,
    /// `instance` has the indices of the declaration and of its instance.
    fn pat(&mut self, pat: &Pat, instance: Option<(usize, usize)>) -> Pat {
        let kind = match &pat.kind {
            PatKind::Wild => PatKind::Wild,
            PatKind::Var(var) => match self.bound(*var, instance) {
                Some(var) => PatKind::Var(var),
                None => PatKind::Wild,
            },
            PatKind::As(var, inner) => {
                let inner = self.pat(inner, instance);
                match self.bound(*var, instance) {
                    Some(var) => PatKind::As(var, Box::new(inner)),
                    None => return inner,
                }
            }
            PatKind::Const(value) => PatKind::Const(value.clone()),
            PatKind::Con { con, inst, arg } => PatKind::Con {
                con: *con,
                inst: self.tys(inst),
                arg: arg.as_ref().map(|arg| Box::new(self.pat(arg, instance))),
            },
            PatKind::Exn { tag, arg } => PatKind::Exn {
                tag: self.tag(*tag),
                arg: arg.as_ref().map(|arg| Box::new(self.pat(arg, instance))),
            },
            PatKind::Record(fields) => PatKind::Record(
                fields
                    .iter()
                    .map(|(label, pat)| (*label, self.pat(pat, instance)))
                    .collect(),
            ),
            PatKind::Ref(inner) => PatKind::Ref(Box::new(self.pat(inner, instance))),
            PatKind::Or(pats) => PatKind::Or(self.pats(pats, instance)),
            PatKind::Vector(pats) => PatKind::Vector(self.pats(pats, instance)),
        };
        Pat {
            kind,
            ty: self.ty(pat.ty),
            span: pat.span,
        }
    }

    fn pats(&mut self, pats: &[Pat], instance: Option<(usize, usize)>) -> Vec<Pat> {
        pats.iter().map(|pat| self.pat(pat, instance)).collect()
    }

    fn bound(&self, var: Var, instance: Option<(usize, usize)>) -> Option<Var> {
        match (self.demand.entry(var), instance) {
            (Entry::Plain { new, used }, _) => used.then_some(new),
            (Entry::Member { member, .. }, Some((group, at))) => {
                self.demand.groups[group].instances[at].vars[member]
            }
            _ => None,
        }
    }
}

/// Adds the variables that a pattern binds to `out`.
fn pattern_vars(pat: &Pat, out: &mut Vec<Var>) {
    match &pat.kind {
        PatKind::Wild | PatKind::Const(_) => {}
        PatKind::Var(var) => out.push(*var),
        PatKind::As(var, pat) => {
            out.push(*var);
            pattern_vars(pat, out);
        }
        PatKind::Con { arg, .. } | PatKind::Exn { arg, .. } => {
            if let Some(arg) = arg {
                pattern_vars(arg, out);
            }
        }
        PatKind::Record(fields) => {
            for (_, pat) in fields {
                pattern_vars(pat, out);
            }
        }
        PatKind::Ref(pat) => pattern_vars(pat, out),
        // All alternatives bind the same variables.
        PatKind::Or(pats) => pattern_vars(&pats[0], out),
        PatKind::Vector(pats) => pats.iter().for_each(|pat| pattern_vars(pat, out)),
    }
}
