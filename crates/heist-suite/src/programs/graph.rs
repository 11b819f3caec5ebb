//! Triangles of a real graph.

use std::collections::HashSet;
use std::sync::Arc;

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::{Ctx, fold};
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::Kernel;
use crate::value::Value;

pub(super) const PROGRAM: Program = Program {
    name: "graph",
    about: "counts the triangles of a real graph, a fork down to each edge",
    source: "real input: dependencies between packages of Debian 12",
    contenders: Contender::JOINS,
    prepare,
};

/// The largest accepted vertex. Because of this limit, a typing error in the file cannot make the program request all memory.
const MOST: usize = 1 << 26;

/// A graph that contains each edge once. Each edge is in the list of the end with fewer neighbours, so vertices with many neighbours have
/// short lists.
struct Graph {
    /// The targets of `v` are `targets[starts[v]..starts[v + 1]]`, in order.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    fn new(vertices: usize, edges: &HashSet<(u32, u32)>) -> Graph {
        let mut degrees = vec![0; vertices];
        for &(a, b) in edges {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        let rank = |v: u32| (degrees[v as usize], v);
        let mut directed: Vec<(u32, u32)> = edges
            .iter()
            .map(|&(a, b)| if rank(a) < rank(b) { (a, b) } else { (b, a) })
            .collect();
        directed.sort_unstable();
        let mut starts = vec![0; vertices + 1];
        for &(a, _) in &directed {
            starts[a as usize + 1] += 1;
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        Graph {
            starts,
            targets: directed.into_iter().map(|(_, b)| b).collect(),
        }
    }

    #[inline]
    fn targets(&self, v: usize) -> &[u32] {
        &self.targets[self.starts[v]..self.starts[v + 1]]
    }
}

/// Returns the number of vertices that two ordered lists share.
fn shared(mut a: &[u32], mut b: &[u32]) -> u64 {
    let mut count = 0;
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        count += u64::from(x == y);
        if x <= y {
            a = rest_a;
        }
        if y <= x {
            b = rest_b;
        }
    }
    count
}

fn triangles<C: Ctx>(ctx: C, graph: &Graph, v: usize) -> u64 {
    let targets = graph.targets(v);
    if targets.len() < 2 {
        return 0;
    }
    let edge = |_, i: usize| shared(targets, graph.targets(targets[i] as usize));
    fold(ctx, 0..targets.len(), &edge, &|a, b| a + b)
}

#[derive(Clone)]
struct Run(Arc<Graph>);

impl Kernel for Run {
    type Out = u64;

    fn call<C: Ctx>(self, ctx: C) -> u64 {
        fold(
            ctx,
            0..self.0.starts.len() - 1,
            &|c, v| triangles(c, &self.0, v),
            &|a, b| a + b,
        )
    }
}

/// Returns the number of vertices in the file, and all edges. Each edge has its smaller end first.
fn load(data: &Data) -> Result<(usize, HashSet<(u32, u32)>), String> {
    let source = data.graph()?;
    let mut edges = HashSet::new();
    let mut vertices = 0;
    for (line, text) in source.lines() {
        let vertex = |text: &str| match text.parse::<u32>() {
            Ok(v) if (v as usize) < MOST => Ok(v),
            _ => Err(source.wrong(
                line,
                format_args!("'{text}' is no vertex from 0 to {}", MOST - 1),
            )),
        };
        let Some((from, to)) = text.split_once(':') else {
            return Err(source.wrong(line, "there is no ':' after a vertex"));
        };
        let from = vertex(from.trim())?;
        vertices = vertices.max(from as usize + 1);
        for to in to.split_whitespace() {
            let to = vertex(to)?;
            if to == from {
                return Err(source.wrong(line, format_args!("{from} is its own neighbour")));
            }
            vertices = vertices.max(to as usize + 1);
            edges.insert((from.min(to), from.max(to)));
        }
    }
    if edges.is_empty() {
        return Err(format!("{}: there are no edges", source.name));
    }
    Ok((vertices, edges))
}

/// Counts the triangles for the check, with unordered sets of neighbours. The function finds each triangle three times, once for each edge
/// of the triangle, so it divides the count by three.
fn recount(vertices: usize, edges: &HashSet<(u32, u32)>) -> u64 {
    let mut neighbours = vec![HashSet::new(); vertices];
    for &(a, b) in edges {
        neighbours[a as usize].insert(b);
        neighbours[b as usize].insert(a);
    }
    let meet = |&(a, b): &(u32, u32)| {
        let (a, b) = (&neighbours[a as usize], &neighbours[b as usize]);
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().filter(|v| many.contains(v)).count() as u64
    };
    edges.iter().map(meet).sum::<u64>() / 3
}

fn prepare(size: Size, data: &Data) -> Result<Box<dyn Instance>, String> {
    let (all, mut edges) = load(data)?;
    let n = within(
        "the number of vertices",
        size.pick(all as u64, all as u64),
        1..=all as u64,
    )?;
    edges.retain(|&(_, b)| (b as usize) < n);
    let expected = recount(n, &edges);
    let params = format!("vertices={n} edges={} triangles={expected}", edges.len());
    Ok(Box::new(Value::new(
        params,
        Run(Arc::new(Graph::new(n, &edges))),
        expected,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Serial;

    #[test]
    fn a_complete_graph() {
        let edges: HashSet<(u32, u32)> = (0..9).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        assert_eq!(recount(9, &edges), 84);
        assert_eq!(Run(Arc::new(Graph::new(9, &edges))).call(Serial), 84);
    }

    #[test]
    fn a_missing_edge_shows() {
        let (vertices, mut edges) = load(&Data::default()).unwrap();
        let all = recount(vertices, &edges);
        let some = edges.iter().copied().find(|&(a, b)| {
            let near = |v, w: u32| edges.contains(&(w.min(v), w.max(v)));
            (0..vertices as u32).any(|w| w != a && w != b && near(a, w) && near(b, w))
        });
        edges.remove(&some.unwrap());
        assert!(Run(Arc::new(Graph::new(vertices, &edges))).call(Serial) < all);
    }

    #[test]
    fn faults_of_a_file_are_named() {
        let path = std::env::temp_dir().join(format!("heist-suite-graph-{}", std::process::id()));
        let data = Data {
            graph: Some(path.clone()),
            ..Data::default()
        };
        let fault = |text: &str| {
            std::fs::write(&path, text).unwrap();
            load(&data).unwrap_err()
        };
        let faults = [
            fault("0: 1\n2 3\n"),
            fault("0: x\n"),
            fault("0: 99999999999\n"),
            fault("3: 3\n"),
            fault("1:\n"),
        ];
        std::fs::remove_file(&path).unwrap();
        assert!(
            faults[0].ends_with(", line 2: there is no ':' after a vertex"),
            "{}",
            faults[0]
        );
        assert!(
            faults[1].contains(", line 1: 'x' is no vertex"),
            "{}",
            faults[1]
        );
        assert!(
            faults[2].contains(", line 1: '99999999999' is no vertex"),
            "{}",
            faults[2]
        );
        assert!(
            faults[3].ends_with(", line 1: 3 is its own neighbour"),
            "{}",
            faults[3]
        );
        assert!(faults[4].ends_with("there are no edges"), "{}", faults[4]);
    }
}
