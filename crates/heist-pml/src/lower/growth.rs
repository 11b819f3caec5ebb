//! Finds datatypes that contain themselves with larger and larger type arguments.
//!
//! This module builds a graph, in which the nodes are the parameters of datatypes. If the declaration of `T` contains `U` with an argument
//! in which a parameter of `T` occurs, an edge goes from this parameter to the corresponding parameter of `U`. The edge *grows* if the
//! argument is a larger type than the parameter alone. A datatype contains infinitely many types if and only if a cycle of the graph has a
//! growing edge. Kennedy and Pierce ("On decidability of nominal subtyping with variance", 2007) use such a graph for class tables. Kennedy
//! and Pierce call a class table with a growing cycle *infinitary*.

use std::collections::HashMap;

use super::layout::Layouts;
use crate::typed::{PrimTy, Ty, TyConKind, TyKind, TyVar};

struct Edge {
    from: usize,
    to: usize,
    grows: bool,
}

/// Returns, for each type constructor, whether one of its parameters is on a cycle with a growing edge. Equality compares references and
/// arrays by identity, so the graph has no edges for the types of their contents.
pub fn growing(layouts: &Layouts) -> Vec<bool> {
    let tycons = layouts.tycons();
    let mut graph = Graph {
        layouts,
        first: Vec::with_capacity(tycons.len()),
        edges: Vec::new(),
    };
    let mut owners = Vec::new();
    for (at, info) in tycons.iter().enumerate() {
        graph.first.push(owners.len());
        owners.extend(std::iter::repeat_n(at, info.params.len()));
    }
    for (at, info) in tycons.iter().enumerate() {
        let TyConKind::Data(cons) = &info.kind else {
            continue;
        };
        let first = graph.first[at];
        let params = info.params.iter().copied();
        let params: HashMap<TyVar, usize> = params.zip(first..).collect();
        for &con in cons {
            if let Some(arg) = layouts.con(con).arg {
                graph.walk(arg, &params);
            }
        }
    }
    let nodes = owners.len();
    let mut forward = vec![Vec::new(); nodes];
    let mut backward = vec![Vec::new(); nodes];
    for edge in &graph.edges {
        forward[edge.from].push(edge.to);
        backward[edge.to].push(edge.from);
    }
    let mut growing = vec![false; tycons.len()];
    for edge in graph.edges.iter().filter(|edge| edge.grows) {
        let after = reachable(&forward, edge.to);
        if after[edge.from] && !growing[owners[edge.from]] {
            let before = reachable(&backward, edge.from);
            for node in (0..nodes).filter(|&node| after[node] && before[node]) {
                growing[owners[node]] = true;
            }
        }
    }
    growing
}

struct Graph<'a> {
    layouts: &'a Layouts,
    /// For each type constructor, the node of its first parameter.
    first: Vec<usize>,
    edges: Vec<Edge>,
}

impl Graph<'_> {
    /// Adds the edges for a type that occurs in the declaration of a datatype. `params` are the nodes of the datatype's
    /// parameters.
    fn walk(&mut self, ty: Ty, params: &HashMap<TyVar, usize>) {
        match self.layouts.types.kind(ty) {
            // Functions cannot be compared.
            TyKind::Var(_) | TyKind::Arrow(..) => {}
            TyKind::Record(fields) => {
                for (_, field) in fields {
                    self.walk(*field, params);
                }
            }
            TyKind::Con(tycon, args) => {
                let kind = &self.layouts.tycon(*tycon).kind;
                if let TyConKind::Prim(PrimTy::Ref | PrimTy::Array) = kind {
                    return;
                }
                if let TyConKind::Data(_) = kind {
                    let first = self.first[tycon.index()];
                    for (to, &arg) in (first..).zip(args) {
                        let grows = !matches!(self.layouts.types.kind(arg), TyKind::Var(_));
                        self.edges_from(arg, to, grows, params);
                    }
                }
                for &arg in args {
                    self.walk(arg, params);
                }
            }
        }
    }

    /// Adds an edge to `to` for each parameter that occurs in a type argument.
    fn edges_from(&mut self, arg: Ty, to: usize, grows: bool, params: &HashMap<TyVar, usize>) {
        match self.layouts.types.kind(arg) {
            TyKind::Var(var) => {
                if let Some(&from) = params.get(var) {
                    self.edges.push(Edge { from, to, grows });
                }
            }
            TyKind::Con(_, args) => {
                for &arg in args {
                    self.edges_from(arg, to, grows, params);
                }
            }
            TyKind::Record(fields) => {
                for (_, field) in fields {
                    self.edges_from(*field, to, grows, params);
                }
            }
            TyKind::Arrow(a, b) => {
                self.edges_from(*a, to, grows, params);
                self.edges_from(*b, to, grows, params);
            }
        }
    }
}

/// Returns, for each node, whether a path of any length, including 0, leads from `from` to this node.
fn reachable(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    seen[from] = true;
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        for &next in &edges[node] {
            if !std::mem::replace(&mut seen[next], true) {
                stack.push(next);
            }
        }
    }
    seen
}
