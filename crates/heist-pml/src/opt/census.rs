//! Counts the uses of variables and labels.

use rustc_hash::FxHashMap;

use crate::anf::{Atom, Block, Callee, End, Fun, Label, Program, Rhs, Stmt, Var};

/// The uses of one variable.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// The number of uses as an atom. If the variable is a function's name, these uses are uses of the closure.
    pub value: u32,
    /// The number of uses as the callee of a known call.
    pub calls: u32,
}

/// The number of uses of each variable and label in the reachable code of a program. Uses in dead functions do not count.
#[derive(Debug, Default)]
pub struct Census {
    vars: Vec<Uses>,
    jumps: Vec<u32>,
    /// For each join point, the number of the handled region that contains its definition.
    regions: Vec<u32>,
    /// For each join point, whether a jump to it leaves a handled region. For a join point that is newer than the census, the entry is
    /// true.
    crossed: Vec<bool>,
    /// For each join point, whether its own body jumps to it.
    loops: Vec<bool>,
    /// For each join point whose body first tests a parameter, whether some jump passes a known object or immediate for this parameter.
    informed: Vec<bool>,
    /// For each join point, the index of the parameter that its body tests first, or `None` if the body tests no parameter first.
    tests: Vec<Option<u32>>,
    /// For each variable, whether it is bound to a known object or immediate.
    formed: Vec<bool>,
    next_region: u32,
}

impl Census {
    /// Counts the uses in a whole program before closure conversion.
    #[must_use]
    pub fn of(program: &Program) -> Census {
        let mut census = Census::default();
        census.add(program, &program.main);
        census
    }

    /// Counts the uses of all variables in a new block, including variables that are bound outside of the block.
    pub fn add(&mut self, program: &Program, block: &Block) {
        // A variable that the census has not counted is treated as a variable with many uses.
        let many = Uses { value: 9, calls: 9 };
        self.vars.resize(program.vars.len(), many);
        self.formed.resize(program.vars.len(), false);
        let labels = program.labels as usize;
        self.jumps.resize(labels, 9);
        self.regions.resize(labels, 0);
        self.crossed.resize(labels, true);
        self.loops.resize(labels, true);
        self.informed.resize(labels, false);
        self.tests.resize(labels, None);
        let region = self.next_region;
        self.next_region += 1;
        let mut walk = Walk {
            census: self,
            waiting: FxHashMap::default(),
            reached: Vec::new(),
            region,
        };
        walk.block(block);
        while let Some(fun) = walk.reached.pop() {
            walk.new_region();
            walk.bind(&fun.params);
            walk.block(&fun.body);
        }
    }

    /// Returns the uses of a variable. For a variable that is newer than the census, returns a large number of uses.
    #[must_use]
    pub fn uses(&self, var: Var) -> Uses {
        self.vars
            .get(var.0 as usize)
            .copied()
            .unwrap_or(Uses { value: 9, calls: 9 })
    }

    /// Returns the number of jumps to a label. For a label that is newer than the census, returns a large number of jumps.
    #[must_use]
    pub fn jumps(&self, label: Label) -> u32 {
        self.jumps.get(label.0 as usize).copied().unwrap_or(9)
    }

    /// Returns true if at least one jump passes a known object or immediate for the parameter that the join point tests first.
    #[must_use]
    pub fn informed(&self, label: Label) -> bool {
        self.informed
            .get(label.0 as usize)
            .copied()
            .unwrap_or(false)
    }

    /// Returns true if the join point's own body jumps to it.
    #[must_use]
    pub fn loops(&self, label: Label) -> bool {
        self.loops.get(label.0 as usize).copied().unwrap_or(true)
    }

    /// Returns true if at least one jump to the join point leaves a handled region.
    #[must_use]
    pub fn crossed(&self, label: Label) -> bool {
        self.crossed.get(label.0 as usize).copied().unwrap_or(true)
    }
}

struct Walk<'a, 'c> {
    census: &'c mut Census,
    /// The functions in scope that no visited code uses.
    waiting: FxHashMap<Var, &'a Fun>,
    /// The functions that visited code uses and whose bodies are not visited yet.
    reached: Vec<&'a Fun>,
    region: u32,
}

impl<'a> Walk<'a, '_> {
    fn bind(&mut self, vars: &[Var]) {
        for var in vars {
            self.census.vars[var.0 as usize] = Uses::default();
        }
    }

    fn new_region(&mut self) {
        self.region = self.census.next_region;
        self.census.next_region += 1;
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.census.vars[var.0 as usize].value += 1;
            self.reach(var);
        }
    }

    fn callee(&mut self, callee: Callee) {
        if let Callee::Known(var) = callee {
            self.census.vars[var.0 as usize].calls += 1;
            self.reach(var);
        }
    }

    fn reach(&mut self, var: Var) {
        if let Some(fun) = self.waiting.remove(&var) {
            self.reached.push(fun);
        }
    }

    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(vars, rhs, _) => {
                    if let Rhs::Call(callee, _) = rhs {
                        self.callee(*callee);
                    }
                    if let Rhs::Fork { thief, .. } = rhs {
                        self.atom(Atom::Var(*thief));
                    }
                    if let (Rhs::Alloc(..), [var]) = (rhs, &vars[..]) {
                        self.census.formed[var.0 as usize] = true;
                    }
                    rhs.each(|atom| self.atom(atom));
                    self.bind(vars);
                }
                Stmt::Funs(funs) => {
                    funs.iter().for_each(|fun| self.bind(&[fun.name]));
                    self.waiting.extend(funs.iter().map(|fun| (fun.name, fun)));
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    ..
                } => {
                    let at = label.0 as usize;
                    self.census.tests[at] = tested(params, body);
                    self.census.regions[at] = self.region;
                    self.census.jumps[at] = 0;
                    self.census.crossed[at] = false;
                    self.bind(params);
                    self.block(body);
                    self.census.loops[at] = self.census.jumps[at] > 0;
                }
            }
        }
        match &block.end {
            End::Jump(label, args) => {
                let census = &mut *self.census;
                let at = label.0 as usize;
                census.jumps[at] += 1;
                census.crossed[at] |= census.regions[at] != self.region;
                if let Some(tested) = census.tests[at] {
                    census.informed[at] |= match args[tested as usize] {
                        Atom::Var(var) => census.formed[var.0 as usize],
                        _ => true,
                    };
                }
            }
            End::TailCall(callee, ..) => self.callee(*callee),
            _ => {}
        }
        block.end.each(|atom| self.atom(atom));
        if let End::Resume { taken, .. } = &block.end {
            self.bind(taken);
        }
        if let End::Handle { body, exn, handler } = &block.end {
            let outside = self.region;
            self.new_region();
            self.bind(&[*exn]);
            self.block(body);
            self.region = outside;
            self.block(handler);
        } else {
            block
                .end
                .blocks()
                .into_iter()
                .for_each(|block| self.block(block));
        }
    }
}

/// Returns the index of the parameter that a body tests before any expensive statement.
pub fn tested(params: &[Var], body: &Block) -> Option<u32> {
    let position = |atom: Atom| {
        params
            .iter()
            .position(|param| Atom::Var(*param) == atom)
            .map(|at| at as u32)
    };
    let light = |stmt: &Stmt| {
        matches!(
            stmt,
            Stmt::Let(_, Rhs::Tag(_) | Rhs::Load { .. } | Rhs::Atom(_), _)
        )
    };
    if body.stmts.len() > 2 || !body.stmts.iter().all(light) {
        return None;
    }
    match &body.end {
        End::If(cond, ..) => cond.atoms().into_iter().flatten().find_map(position),
        End::Switch { on, .. } => position(*on).or_else(|| {
            body.stmts.iter().find_map(|stmt| match stmt {
                Stmt::Let(vars, Rhs::Tag(object), _) if Atom::Var(vars[0]) == *on => {
                    position(*object)
                }
                _ => None,
            })
        }),
        _ => None,
    }
}
