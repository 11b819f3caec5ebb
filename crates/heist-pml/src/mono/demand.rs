//! The demands of later code on bindings.

use std::collections::HashMap;

use crate::typed::{Ty, Var};

/// The meaning of a variable of the old program.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// The variable was not seen yet.
    Unbound,
    /// A variable that a pattern of a rule binds; it has one copy.
    Plain {
        /// The copy.
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

/// A declaration whose scope is being walked.
#[derive(Debug, Default)]
pub struct Group {
    /// The variables of the declaration.
    pub members: Vec<Var>,
    /// The instances of the declaration, in the order of first use.
    pub instances: Vec<Instance>,
    by_inst: HashMap<Vec<Ty>, usize>,
}

/// A declaration at some types.
#[derive(Debug)]
pub struct Instance {
    /// The types that replace the declaration's type variables.
    pub inst: Vec<Ty>,
    /// The copies of its variables that are used.
    pub vars: Vec<Option<Var>>,
    /// Members that are used and were not walked yet.
    pub pending: Vec<usize>,
}

/// All bindings in scope.
#[derive(Debug)]
pub struct Demand {
    entries: Vec<Entry>,
    /// Declarations in scope, innermost last.
    pub groups: Vec<Group>,
}

impl Demand {
    /// Starts with nothing in scope.
    pub fn new(vars: usize) -> Demand {
        Demand {
            entries: vec![Entry::Unbound; vars],
            groups: Vec::new(),
        }
    }

    /// Returns the meaning of a variable.
    pub fn entry(&self, var: Var) -> Entry {
        self.entries[var.index()]
    }

    /// Sets the meaning of a variable.
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

    /// Returns the instance of a group at types, made if it is new.
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
