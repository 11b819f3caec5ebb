//! Demands of later code on a binding.

use std::collections::HashMap;

use crate::typed::{Ty, Var};

/// Meaning here of a variable of the old program.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// Not seen yet.
    Unbound,
    /// Bound by a pattern of a rule: one copy.
    Plain {
        /// The copy.
        new: Var,
        /// Something uses it.
        used: bool,
    },
    /// Bound by a declaration.
    Member {
        /// The declaration: in [`Demand::groups`].
        group: usize,
        /// Index of its variable.
        member: usize,
    },
}

/// A declaration whose scope is being walked.
#[derive(Debug, Default)]
pub struct Group {
    /// Its variables.
    pub members: Vec<Var>,
    /// Its instances, in the order of first use.
    pub instances: Vec<Instance>,
    by_inst: HashMap<Vec<Ty>, usize>,
}

/// A declaration at some types.
#[derive(Debug)]
pub struct Instance {
    /// The types, for the declaration's type variables.
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
    /// Nothing in scope.
    pub fn new(vars: usize) -> Demand {
        Demand {
            entries: vec![Entry::Unbound; vars],
            groups: Vec::new(),
        }
    }

    /// Meaning of a variable.
    pub fn entry(&self, var: Var) -> Entry {
        self.entries[var.index()]
    }

    /// Sets the meaning of a variable.
    pub fn set(&mut self, var: Var, entry: Entry) {
        self.entries[var.index()] = entry;
    }

    /// A declaration that binds these comes into scope.
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

    /// The instance of a group at types, made if it is new.
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
