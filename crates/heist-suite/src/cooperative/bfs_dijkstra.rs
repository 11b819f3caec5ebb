//! Breadth-first search, after Dijkstra. The root grows a tree in phases. In phase `p` the root's message goes down the tree to the nodes
//! of level `p - 1`. The nodes of level `p - 1` invite their neighbours. Neighbours that are not in the tree yet join the tree. Each node
//! counts the new nodes below it, and reports their number to its parent. The program is IMSuite's BFS-Dijk.

use std::sync::{Arc, Mutex, MutexGuard};

use super::program::{Checked, Entry, in_rounds};
use super::rounds::{Board, Rounds, Step};
use super::{Entrant, Input, input};
use crate::graphs::{Csr, verify};

pub(super) const PROGRAM: Entry = Entry {
    name: "bfs-dijkstra",
    about: "a breadth-first tree: the root grows it level by level, each with a broadcast, invitations and a sum",
    source: "Imam and Sarkar (X10 2014), figure 3: BFS-Dijk of IMSuite, 512 nodes",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated, Input::Real],
    prepare: |from, size, data| {
        let graph = input::graph(from, size, data)?;
        Ok(in_rounds(Arc::new(Growing::new(graph, 0))))
    },
};

/// The word of a node that has no parent or no level.
const NONE: u64 = u64::MAX;
/// The value that the root announces, in place of the next phase, after a phase in which no node joined the tree.
const OVER: u64 = u64::MAX;

/// The kernel: a graph, and the boards by which its nodes grow the tree.
#[derive(Debug)]
pub struct Growing {
    graph: Csr,
    root: u32,
    levels: Board,
    parents: Board,
    /// The last phase that a message of the root has announced to each node. Before the first message, the entry of a node is the node's
    /// own level.
    phases: Board,
    /// Each node's last report. The upper half of a report is its phase, and the lower half is the number of nodes that joined.
    reports: Board,
    /// Each node's private state.
    own: Vec<Mutex<Own>>,
}

#[derive(Debug, Default)]
struct Own {
    /// The phase in which the node joined.
    since: usize,
    children: Vec<u32>,
}

impl Growing {
    /// Makes the kernel for a tree with the given root. The graph must be connected.
    ///
    /// # Panics
    /// Panics if the graph has no such vertex.
    pub fn new(graph: Csr, root: u32) -> Growing {
        let n = graph.vertices();
        let kernel = Growing {
            root,
            levels: Board::new(n, NONE),
            parents: Board::new(n, NONE),
            phases: Board::new(n, 0),
            reports: Board::new(n, 0),
            own: (0..n).map(|_| Mutex::default()).collect(),
            graph,
        };
        kernel.reset();
        kernel
    }

    /// Returns the distance from the root and the parent of each node; `u32::MAX` means that there is no distance or no parent.
    pub fn tree(&self) -> (Vec<u32>, Vec<u32>) {
        let words = |board: &Board| {
            let words = board.last().into_iter();
            words
                .map(|word| u32::try_from(word).unwrap_or(u32::MAX))
                .collect()
        };
        (words(&self.levels), words(&self.parents))
    }

    fn own(&self, node: usize) -> MutexGuard<'_, Own> {
        // No other thread has locked this state, because only the steps of this node lock it, and these steps run one after the other.
        self.own[node]
            .try_lock()
            .expect("a node takes one step at a time")
    }

    /// Runs a step of a node that is not in the tree yet. If neighbours invite the node, it becomes a child of the neighbour with
    /// the smallest number.
    fn outside(&self, v: u32, round: usize) {
        let inviting = |&&w: &&u32| {
            let level = self.levels.read(round, w);
            level != NONE && self.phases.read(round, w) == level + 1
        };
        let host = self.graph.neighbours(v).iter().find(inviting);
        let (level, parent) = match host {
            Some(&w) => (self.levels.read(round, w) + 1, u64::from(w)),
            None => (NONE, NONE),
        };
        self.levels.write(round, v, level);
        self.parents.write(round, v, parent);
        self.phases
            .write(round, v, if host.is_some() { level } else { 0 });
        self.reports.write(round, v, 0);
    }

    /// Runs a step of a node of the tree. At the end of the step, the node writes its phase and its report to the boards.
    fn inside(&self, v: u32, round: usize, level: u64) -> Step {
        let parent = self.parents.read(round, v);
        self.levels.write(round, v, level);
        self.parents.write(round, v, parent);
        let (phase, report) = (self.phases.read(round, v), self.reports.read(round, v));
        let heard = self.phases.read(round, parent as u32);
        let (next, said) = if heard == OVER {
            (OVER, report)
        } else if heard > phase {
            self.own(v as usize).since = round;
            (heard, report)
        } else if phase > level && report >> 32 < phase {
            match self.found(v, round, phase == level + 1, phase) {
                None => (phase, report),
                Some(found) if v != self.root => (phase, phase << 32 | found),
                Some(0) => (OVER, report),
                Some(_) => {
                    self.own(v as usize).since = round;
                    (phase + 1, report)
                }
            }
        } else {
            (phase, report)
        };
        self.phases.write(round, v, next);
        self.reports.write(round, v, said);
        // In the next round, only the node's children still read its words. The words on the other boards did not change.
        if next == OVER {
            Step::Done
        } else {
            Step::Again
        }
    }

    /// Returns the number of nodes that joined below `v` in this phase, or `None` if this number is not known yet.
    fn found(&self, v: u32, round: usize, inviting: bool, phase: u64) -> Option<u64> {
        let mut own = self.own(v as usize);
        if inviting {
            // The neighbours see the phase one round after this node has got the phase, and this node sees their answers one round later.
            if round < own.since + 2 {
                return None;
            }
            let joined = |&&w: &&u32| self.parents.read(round, w) == u64::from(v) && w != v;
            own.children = self
                .graph
                .neighbours(v)
                .iter()
                .filter(joined)
                .copied()
                .collect();
            return Some(own.children.len() as u64);
        }
        own.children.iter().try_fold(0, |sum, &child| {
            let report = self.reports.read(round, child);
            (report >> 32 == phase).then_some(sum + (report & u64::from(u32::MAX)))
        })
    }
}

impl Rounds for Growing {
    fn nodes(&self) -> usize {
        self.graph.vertices()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        let v = node as u32;
        match self.levels.read(round, v) {
            NONE => {
                self.outside(v, round);
                Step::Again
            }
            level => self.inside(v, round, level),
        }
    }
}

impl Checked for Growing {
    fn params(&self) -> String {
        format!("nodes={} arcs={}", self.graph.vertices(), self.graph.arcs())
    }

    fn reset(&self) {
        self.levels.fill(NONE);
        self.parents.fill(NONE);
        self.phases.fill(0);
        self.reports.fill(0);
        for own in &self.own {
            *own.try_lock().expect("no run is under way") = Own::default();
        }
        self.levels.set(self.root, 0);
        self.parents.set(self.root, u64::from(self.root));
        self.phases.set(self.root, 1);
    }

    fn check(&self) -> Result<(), String> {
        let (levels, parents) = self.tree();
        check(&self.graph, self.root, &levels, &parents)
    }
}

/// Checks that the distances are the distances from the root, and that each node's parent is a neighbour with a distance that is smaller by
/// one.
///
/// # Errors
/// Returns a one-line error that describes the fault.
pub fn check(graph: &Csr, root: u32, levels: &[u32], parents: &[u32]) -> Result<(), String> {
    verify::levels(graph, &[root], levels)?;
    if parents.len() != levels.len() {
        return Err(format!(
            "{} parents for {} nodes",
            parents.len(),
            levels.len()
        ));
    }
    for (v, &parent) in (0..).zip(parents) {
        let right = if v == root {
            parent == root
        } else {
            graph.neighbours(v).binary_search(&parent).is_ok()
                && levels[parent as usize] + 1 == levels[v as usize]
        };
        if !right {
            return Err(format!(
                "node {v} has the parent {parent}, which is not one nearer to the root"
            ));
        }
    }
    Ok(())
}
