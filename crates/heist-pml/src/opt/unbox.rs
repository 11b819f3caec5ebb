//! Replaces parameters that are objects by the fields of the objects, if code only loads the fields or passes the object on.
//!
//! The pass examines the parameters of join points, and of functions that are never used as values. The body may only load fields of the
//! parameter. Every jump or call must pass a known object of the same layout, or pass on the parameter itself. For example, if the state of
//! a loop is a tuple, the pass replaces the tuple by its fields, so the loop allocates no tuples.
//!
//! Some jumps or calls may pass an immediate, for example `NONE` where other calls pass `SOME x`, and the body may test for the immediate.
//! The pass then adds a parameter before the fields. This additional parameter is 1 for an object and 0 for an immediate.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::anf::{
    Atom, Block, Callee, Cmp, Cond, End, Label, Layout, Program, Rep, Rhs, Static, Stmt, Var,
};

/// The maximum number of fields of an object that the pass replaces by its fields.
const MOST: usize = 6;

/// The join point or function that has a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    Join(Label),
    Fun(Var),
}

/// Replaces parameters of a program by the fields of their objects.
pub fn unbox(program: &mut Program) {
    let mut survey = Survey {
        program,
        params: FxHashMap::default(),
        places: FxHashMap::default(),
        objects: FxHashMap::default(),
        functions: FxHashSet::default(),
        escaped: FxHashSet::default(),
    };
    survey.block(&program.main);
    let (mut chosen, objects, escaped) = (FxHashMap::default(), survey.objects, survey.escaped);
    let mut found: Vec<(Var, Param)> = survey.params.into_iter().collect();
    found.sort_unstable_by_key(|param| param.0);
    for (var, param) in found {
        let escaped = matches!(param.target, Target::Fun(fun) if escaped.contains(&fun));
        if let Some((_, reps)) = param.shape
            && !param.bad
            && !escaped
            && param
                .loads
                .iter()
                .all(|(index, rep)| reps.get(*index) == Some(rep))
            && reps.len() + usize::from(param.optional) <= MOST
        {
            let name = program.vars[var.0 as usize].name;
            let mut fresh = |rep| program.fresh(rep, name.as_str());
            let parts = Parts {
                there: param.optional.then(|| fresh(Rep::Int)),
                fields: reps.into_iter().map(|rep| (fresh(rep), rep)).collect(),
            };
            chosen.insert(var, (param.target, param.at, parts));
        }
    }
    if chosen.is_empty() {
        return;
    }
    let mut places: FxHashMap<Target, Vec<(usize, Var)>> = FxHashMap::default();
    for (var, (target, at, _)) in &chosen {
        places.entry(*target).or_default().push((*at, *var));
    }
    // The last position comes first, so that earlier positions stay valid while the variables of parts are inserted.
    places
        .values_mut()
        .for_each(|places| places.sort_unstable_by(|a, b| b.cmp(a)));
    let parts = chosen
        .into_iter()
        .map(|(var, (_, _, parts))| (var, parts))
        .collect();
    let mut main = std::mem::take(&mut program.main);
    Rewrite {
        statics: &program.statics,
        places,
        parts,
        objects,
    }
    .block(&mut main);
    program.main = main;
}

struct Param {
    target: Target,
    at: usize,
    /// The layout of the passed objects and the representations of their fields, or `None` if no jump or call passes an object.
    shape: Option<(Layout, Vec<Rep>)>,
    /// Whether at least one jump or call passes an immediate.
    optional: bool,
    /// The indices of the fields that the body loads, with the representations of the loads. Unreachable code may assume another layout of
    /// the object, for example in the rule for an exception that no jump or call passes.
    loads: Vec<(usize, Rep)>,
    bad: bool,
}

/// The variables that replace a parameter.
struct Parts {
    /// The variable that is 1 for an object and 0 for an immediate, or `None` if every jump and call passes an object.
    there: Option<Var>,
    fields: Vec<(Var, Rep)>,
}

impl Parts {
    fn vars(&self) -> impl Iterator<Item = Var> {
        self.there
            .into_iter()
            .chain(self.fields.iter().map(|field| field.0))
    }

    /// Returns the arguments of a jump or call that replace an object with these fields.
    fn object(&self, fields: &[Atom]) -> Vec<Atom> {
        let there = self.there.map(|_| Atom::Int(1));
        there.into_iter().chain(fields.iter().copied()).collect()
    }

    /// Returns the arguments of a jump or call that replace an immediate.
    fn immediate(&self) -> Vec<Atom> {
        let nothing = self.fields.iter().map(|(_, rep)| match rep {
            Rep::Int => Atom::Int(0),
            Rep::Real => Atom::Real(0),
            Rep::Ptr => Atom::Imm(0),
        });
        std::iter::once(Atom::Int(0)).chain(nothing).collect()
    }
}

struct Survey<'a> {
    program: &'a Program,
    params: FxHashMap<Var, Param>,
    places: FxHashMap<Target, Vec<Var>>,
    objects: FxHashMap<Var, (Layout, Vec<Atom>)>,
    functions: FxHashSet<Var>,
    escaped: FxHashSet<Var>,
}

impl Survey<'_> {
    fn enter(&mut self, target: Target, params: &[Var]) {
        for (at, param) in params.iter().enumerate() {
            if self.program.vars[param.0 as usize].rep == Rep::Ptr {
                self.params.insert(
                    *param,
                    Param {
                        target,
                        at,
                        shape: None,
                        optional: false,
                        loads: Vec::new(),
                        bad: false,
                    },
                );
            }
        }
        self.places.insert(target, params.to_vec());
    }

    /// Records a use that needs the object itself, and not only its fields.
    fn whole(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            if let Some(param) = self.params.get_mut(&var) {
                param.bad = true;
            }
            if self.functions.contains(&var) {
                self.escaped.insert(var);
            }
        }
    }

    fn pass(&mut self, target: Target, args: &[Atom]) {
        let Some(params) = self.places.get(&target).cloned() else {
            args.iter().for_each(|arg| self.whole(*arg));
            return;
        };
        for (param, arg) in params.iter().zip(args) {
            if *arg == Atom::Var(*param) {
                continue;
            }
            self.whole(*arg);
            let shape = match arg {
                Atom::Var(var) => self.objects.get(var).cloned(),
                Atom::Static(id) => match &self.program.statics[id.0 as usize] {
                    Static::Object(layout, fields) => Some((*layout, fields.clone())),
                    _ => None,
                },
                _ => None,
            };
            let Some(entry) = self.params.get_mut(param) else {
                continue;
            };
            if matches!(arg, Atom::Imm(_)) {
                entry.optional = true;
                continue;
            }
            let shape = shape.map(|(layout, fields)| {
                let reps: Vec<Rep> = fields
                    .iter()
                    .map(|field| self.program.rep(*field))
                    .collect();
                (layout, reps)
            });
            match (shape, &entry.shape) {
                (Some(shape), None) => entry.shape = Some(shape),
                (Some(shape), Some(known)) if shape == *known => {}
                _ => entry.bad = true,
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(vars, Rhs::Load { object, index, .. }, _) => {
                    if let Atom::Var(object) = object
                        && let Some(param) = self.params.get_mut(object)
                    {
                        let rep = self.program.vars[vars[0].0 as usize].rep;
                        param.loads.push((*index as usize, rep));
                    }
                }
                Stmt::Let(_, Rhs::Call(Callee::Known(fun), args), _) => {
                    self.pass(Target::Fun(*fun), args)
                }
                Stmt::Let(vars, rhs, _) => {
                    if let Rhs::Alloc(layout, fields) = rhs
                        && !layout.mutable
                    {
                        self.objects.insert(vars[0], (*layout, fields.clone()));
                    }
                    rhs.each(|atom| self.whole(atom));
                }
                Stmt::Funs(funs) => {
                    for fun in funs {
                        self.functions.insert(fun.name);
                        self.enter(Target::Fun(fun.name), &fun.params);
                    }
                    funs.iter().for_each(|fun| self.block(&fun.body));
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    ..
                } => {
                    self.enter(Target::Join(*label), params);
                    self.block(body);
                }
            }
        }
        match &block.end {
            End::Jump(label, args) => self.pass(Target::Join(*label), args),
            End::TailCall(Callee::Known(fun), args, _) => self.pass(Target::Fun(*fun), args),
            End::If(Cond::IsImm(Atom::Var(_)), ..) => {}
            end => end.each(|atom| self.whole(atom)),
        }
        block
            .end
            .blocks()
            .into_iter()
            .for_each(|block| self.block(block));
    }
}

struct Rewrite<'a> {
    statics: &'a [Static],
    /// For each join point or function, the positions of the parameters to replace. The last position comes first.
    places: FxHashMap<Target, Vec<(usize, Var)>>,
    parts: FxHashMap<Var, Parts>,
    objects: FxHashMap<Var, (Layout, Vec<Atom>)>,
}

impl Rewrite<'_> {
    fn params(&self, target: Target, params: &mut Vec<Var>) {
        for (at, var) in self.places.get(&target).into_iter().flatten() {
            params.splice(at..=at, self.parts[var].vars());
        }
    }

    fn args(&self, target: Target, args: &mut Vec<Atom>) {
        for (at, param) in self.places.get(&target).into_iter().flatten() {
            let parts = &self.parts[param];
            let passed: Vec<Atom> = match args[*at] {
                Atom::Var(var) => match (self.parts.get(&var), self.objects.get(&var)) {
                    (Some(own), _) => own.vars().map(Atom::Var).collect(),
                    (None, Some((_, fields))) => parts.object(fields),
                    (None, None) => continue,
                },
                Atom::Static(id) => match &self.statics[id.0 as usize] {
                    Static::Object(_, fields) => parts.object(fields),
                    _ => continue,
                },
                Atom::Imm(_) => parts.immediate(),
                _ => continue,
            };
            args.splice(at..=at, passed);
        }
    }

    fn block(&self, block: &mut Block) {
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Let(_, rhs, _) => match rhs {
                    Rhs::Load {
                        object: Atom::Var(var),
                        index,
                        ..
                    } => {
                        if let Some(parts) = self.parts.get(var) {
                            *rhs = Rhs::Atom(Atom::Var(parts.fields[*index as usize].0));
                        }
                    }
                    Rhs::Call(Callee::Known(fun), args) => self.args(Target::Fun(*fun), args),
                    _ => {}
                },
                Stmt::Funs(funs) => {
                    for fun in funs {
                        self.params(Target::Fun(fun.name), &mut fun.params);
                        self.block(&mut fun.body);
                    }
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    ..
                } => {
                    self.params(Target::Join(*label), params);
                    self.block(body);
                }
            }
        }
        match &mut block.end {
            End::Jump(label, args) => self.args(Target::Join(*label), args),
            End::TailCall(Callee::Known(fun), args, _) => self.args(Target::Fun(*fun), args),
            End::If(cond, ..) => {
                if let Cond::IsImm(Atom::Var(var)) = cond
                    && let Some(parts) = self.parts.get(var)
                {
                    let there = parts.there.map_or(Atom::Int(1), Atom::Var);
                    *cond = Cond::Int(Cmp::Eq, there, Atom::Int(0));
                }
            }
            _ => {}
        }
        block
            .end
            .blocks_mut()
            .into_iter()
            .for_each(|inner| self.block(inner));
    }
}
