//! Keeps the instances of bindings that later code uses.

use std::collections::HashMap;

use crate::typed::{Ty, Var};

/// The state of a variable in the polymorphic program.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// The variable is not in scope at the place that the walk has reached.
    Unbound,
    /// A variable that a pattern of a rule binds. Such a variable has only one copy.
    Plain {
        /// The copy of the variable.
        new: Var,
        /// Whether some code uses the variable.
        used: bool,
    },
    /// A variable that a declaration binds.
    Member {
        /// The index of the declaration in [`Demand::groups`].
        group: usize,
        /// The index of the variable in the declaration.
        member: usize,
    },
}

/// A declaration while the walk is in its scope.
#[derive(Debug, Default)]
pub struct Group {
    /// The variables of the declaration.
    pub members: Vec<Var>,
    /// The instances of the declaration, in the order in which the walk has found their first uses.
    pub instances: Vec<Instance>,
    by_inst: HashMap<Vec<Ty>, usize>,
}

/// An instance of a declaration, with types in place of its type variables.
#[derive(Debug)]
pub struct Instance {
    /// The types that replace the declaration's type variables.
    pub inst: Vec<Ty>,
    /// For each variable of the declaration, its copy in this instance, or `None` if no code uses this copy.
    pub vars: Vec<Option<Var>>,
    /// The indices of variables that code uses but whose bindings the walk has not copied yet.
    pub pending: Vec<usize>,
}

/// The states of all variables, and the declarations in scope.
#[derive(Debug)]
pub struct Demand {
    entries: Vec<Entry>,
    /// Declarations in scope, innermost last.
    pub groups: Vec<Group>,
}

impl Demand {
    /// Makes the state for a program with `vars` variables. No variable is in scope.
    pub fn new(vars: usize) -> Demand {
        Demand {
            entries: vec![Entry::Unbound; vars],
            groups: Vec::new(),
        }
    }

    /// Returns the state of a variable.
    pub fn entry(&self, var: Var) -> Entry {
        self.entries[var.index()]
    }

    /// Sets the state of a variable.
    pub fn set(&mut self, var: Var, entry: Entry) {
        self.entries[var.index()] = entry;
    }

    /// Opens the scope of a declaration that binds these variables.
    pub fn open(&mut self, members: Vec<Var>) {
        let group = self.groups.len();
        for (member, &var) in members.iter().enumerate() {
            self.entries[var.index()] = Entry::Member { group, member };
        }
        self.groups.push(Group {
            members,
            ..Group::default()
        });
    }

    /// Returns the index of the declaration's instance for the types `inst`. Makes the instance if it does not exist.
    pub fn instance(&mut self, group: usize, inst: Vec<Ty>) -> usize {
        let group = &mut self.groups[group];
        if let Some(&at) = group.by_inst.get(&inst) {
            return at;
        }
        let at = group.instances.len();
        group.by_inst.insert(inst.clone(), at);
        group.instances.push(Instance {
            inst,
            vars: vec![None; group.members.len()],
            pending: Vec::new(),
        });
        at
    }
}
