//! Finds the definitions and uses of a program's variables.

use rustc_hash::FxHashMap;

use crate::anf::{Atom, Block, Callee, End, Program, Rep, Rhs, Stmt, Var};

/// The number of a function (its index in [`Survey::functions`]), or `None` for `main`.
pub type Owner = Option<usize>;

/// Facts about one function.
#[derive(Debug)]
pub struct Function {
    /// The function's name.
    pub name: Var,
    /// The enclosing function.
    pub home: Owner,
    /// The number of the function's group. Functions that one statement defines are a group.
    pub group: usize,
    /// The variables that the function's body uses, in order of first use. Uses in nested functions do not count.
    pub uses: Vec<Var>,
    /// The functions that the function calls.
    pub calls: Vec<usize>,
    /// The functions that the function uses as values.
    pub values: Vec<usize>,
    /// The functions that the function's body defines.
    pub inner: Vec<usize>,
    /// Whether code calls the function.
    pub called: bool,
    /// Whether code outside of the function's group uses the function as a value.
    pub escapes: bool,
    /// Whether code inside of the function's group uses the function as a value.
    pub escapes_inside: bool,
    /// Whether the program evaluates the function's definition at most once: the definition is in `main`, and in no loop.
    pub once: bool,
}

/// Facts about a program.
#[derive(Debug, Default)]
pub struct Survey {
    /// All functions. An enclosing function comes before the functions in it.
    pub functions: Vec<Function>,
    /// The numbers of functions, keyed by the functions' names.
    pub numbers: FxHashMap<Var, usize>,
    /// For each variable, the function whose body binds the variable.
    pub owners: FxHashMap<Var, Owner>,
    /// The variables of `main` that are bound once.
    pub once: FxHashMap<Var, ()>,
}

/// Surveys a program before closure conversion.
pub fn survey(program: &Program) -> Survey {
    let mut walk = Walk {
        survey: Survey::default(),
        program,
        owner: None,
        looping: false,
        groups: 0,
        seen: FxHashMap::default(),
    };
    walk.block(&program.main);
    walk.survey
}

struct Walk<'a> {
    survey: Survey,
    program: &'a Program,
    owner: Owner,
    /// Whether the walk is inside a loop of `main`.
    looping: bool,
    groups: usize,
    /// The recorded uses: pairs of a variable and the function that uses the variable.
    seen: FxHashMap<(Var, usize), ()>,
}

impl Walk<'_> {
    fn bind(&mut self, var: Var) {
        self.survey.owners.insert(var, self.owner);
        if self.owner.is_none() && !self.looping {
            self.survey.once.insert(var, ());
        }
    }

    fn atom(&mut self, atom: Atom) {
        let Atom::Var(var) = atom else { return };
        if let Some(&number) = self.survey.numbers.get(&var) {
            let inside = self.within_group(number);
            let function = &mut self.survey.functions[number];
            if inside {
                function.escapes_inside = true;
            } else {
                function.escapes = true;
            }
            if let Some(owner) = self.owner {
                let values = &mut self.survey.functions[owner].values;
                if !values.contains(&number) {
                    values.push(number);
                }
            }
            return;
        }
        if let Some(owner) = self.owner
            && self.seen.insert((var, owner), ()).is_none()
        {
            self.survey.functions[owner].uses.push(var);
        }
    }

    fn callee(&mut self, callee: Callee) {
        match callee {
            Callee::Closure(atom) => self.atom(atom),
            Callee::Known(var) => {
                let number = self.survey.numbers[&var];
                self.survey.functions[number].called = true;
                if let Some(owner) = self.owner {
                    let calls = &mut self.survey.functions[owner].calls;
                    if !calls.contains(&number) {
                        calls.push(number);
                    }
                }
            }
        }
    }

    /// Returns true if the current code is inside a function that is in the same group as function
    /// `number`.
    fn within_group(&self, number: usize) -> bool {
        within_group(&self.survey, self.owner, number)
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(vars, rhs, _) => {
                    match rhs {
                        Rhs::Fork { thief, args, .. } => {
                            self.callee(Callee::Known(*thief));
                            args.iter().for_each(|arg| self.atom(*arg));
                        }
                        Rhs::Call(callee, args) => {
                            self.callee(*callee);
                            args.iter().for_each(|arg| self.atom(*arg));
                        }
                        rhs => rhs.each(|atom| self.atom(atom)),
                    }
                    vars.iter().for_each(|var| self.bind(*var));
                }
                Stmt::Join {
                    params,
                    body,
                    recursive,
                    ..
                } => {
                    let outside = self.looping;
                    self.looping |= *recursive;
                    params.iter().for_each(|param| self.bind(*param));
                    self.block(body);
                    self.looping = outside;
                }
                Stmt::Funs(funs) => {
                    self.groups += 1;
                    let first = self.survey.functions.len();
                    for fun in funs {
                        debug_assert_eq!(self.program.rep(Atom::Var(fun.name)), Rep::Ptr);
                        let number = self.survey.functions.len();
                        self.survey.numbers.insert(fun.name, number);
                        self.survey.functions.push(Function {
                            name: fun.name,
                            home: self.owner,
                            group: self.groups,
                            uses: Vec::new(),
                            calls: Vec::new(),
                            values: Vec::new(),
                            inner: Vec::new(),
                            called: false,
                            escapes: false,
                            escapes_inside: false,
                            once: self.owner.is_none() && !self.looping,
                        });
                        if let Some(owner) = self.owner {
                            self.survey.functions[owner].inner.push(number);
                        }
                    }
                    let outside = (self.owner, self.looping);
                    for (at, fun) in funs.iter().enumerate() {
                        (self.owner, self.looping) = (Some(first + at), false);
                        fun.params.iter().for_each(|param| self.bind(*param));
                        self.block(&fun.body);
                    }
                    (self.owner, self.looping) = outside;
                }
            }
        }
        match &block.end {
            End::TailCall(callee, args, _) => {
                self.callee(*callee);
                args.iter().for_each(|arg| self.atom(*arg));
            }
            end => end.each(|atom| self.atom(atom)),
        }
        if let End::Handle { exn, .. } = &block.end {
            self.bind(*exn);
        }
        if let End::Resume { taken, .. } = &block.end {
            taken.iter().for_each(|var| self.bind(*var));
        }
        block
            .end
            .blocks()
            .into_iter()
            .for_each(|block| self.block(block));
    }
}

/// Returns true if `owner` is inside a function that is in the same group as function `number`.
pub fn within_group(survey: &Survey, mut owner: Owner, number: usize) -> bool {
    let group = survey.functions[number].group;
    while let Some(around) = owner {
        if survey.functions[around].group == group {
            return true;
        }
        owner = survey.functions[around].home;
    }
    false
}
