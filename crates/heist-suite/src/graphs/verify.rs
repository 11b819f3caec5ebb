//! Checks of results. Most checks compare a result with a solution of [`serial`]. The remaining checks test whether the result satisfies
//! its definition. Each check returns one line about the first fault as an error.

use std::fmt::Display;

use super::csr::Csr;
use super::dataflow::Program;
use super::serial;

/// Checks that two sequences are equal.
fn same<T: PartialEq + Copy>(
    what: &str,
    is: &[T],
    must: &[T],
    show: impl Fn(T) -> String,
) -> Result<(), String> {
    if is.len() != must.len() {
        return Err(format!("{what}: {} for {}", is.len(), must.len()));
    }
    match is.iter().zip(must).position(|(is, must)| is != must) {
        None => Ok(()),
        Some(v) => Err(format!(
            "{what} {v} is {}, not {}",
            show(is[v]),
            show(must[v])
        )),
    }
}

fn or_none<T: PartialEq + Display>(none: T) -> impl Fn(T) -> String {
    move |value| {
        if value == none {
            "none".to_owned()
        } else {
            value.to_string()
        }
    }
}

/// Checks that exactly the given vertices can be reached from the roots.
pub fn reached(graph: &Csr, roots: &[u32], reached: &[bool]) -> Result<(), String> {
    let must = serial::reached(graph, roots);
    same("the mark of vertex", reached, &must, |mark| {
        mark.to_string()
    })
}

/// Checks that the label of each vertex is the smallest vertex of its component.
pub fn components(graph: &Csr, labels: &[u32]) -> Result<(), String> {
    let must = serial::components(graph);
    same("the component of vertex", labels, &must, or_none(u32::MAX))
}

/// Checks that the level of each vertex is the smallest number of arcs from a root, or `u32::MAX` if no root reaches it.
pub fn levels(graph: &Csr, roots: &[u32], levels: &[u32]) -> Result<(), String> {
    let must = serial::levels(graph, roots);
    same("the level of vertex", levels, &must, or_none(u32::MAX))
}

/// Checks that the distance of each vertex is the smallest sum of weights from a root, or `u64::MAX` if no root reaches it.
pub fn distances(graph: &Csr, roots: &[u32], distances: &[u64]) -> Result<(), String> {
    let must = serial::distances(graph, roots);
    same(
        "the distance of vertex",
        distances,
        &must,
        or_none(u64::MAX),
    )
}

/// Checks that the set of each block contains exactly the places that are live at the beginning of the block.
pub fn live(program: &Program, live: &[u64]) -> Result<(), String> {
    let must = serial::live(program);
    same("what is live at block", live, &must, |set| {
        format!("{set:#x}")
    })
}

/// Checks that the parents form a spanning forest of an undirected graph. One vertex of each component must be its own parent,
/// the parent of every other vertex must be a neighbour, and parents must not form a cycle.
pub fn spanning_forest(graph: &Csr, parents: &[u32]) -> Result<(), String> {
    let n = graph.vertices();
    if parents.len() != n {
        return Err(format!("{} parents for {n} vertices", parents.len()));
    }
    for (v, &parent) in parents.iter().enumerate() {
        if parent != v as u32 && graph.neighbours(v as u32).binary_search(&parent).is_err() {
            return Err(format!(
                "the parent of vertex {v}: {} is no neighbour",
                or_none(u32::MAX)(parent)
            ));
        }
    }
    // The value 0 means that no walk has seen the vertex yet. Any other value identifies the start of the walk that has seen the vertex.
    let mut seen = vec![0; n];
    for start in 0..n {
        let mut v = start;
        while seen[v] == 0 && parents[v] as usize != v {
            seen[v] = start + 1;
            v = parents[v] as usize;
        }
        if seen[v] == start + 1 && parents[v] as usize != v {
            return Err(format!("vertex {v} is its own ancestor"));
        }
    }
    // Each tree lies within a component, because its edges are edges of the graph. So if no component has two roots, each component has one
    // tree.
    let of = serial::components(graph);
    let mut root_of = vec![None; n];
    for v in 0..n {
        if parents[v] as usize == v
            && let Some(other) = root_of[of[v] as usize].replace(v)
        {
            return Err(format!(
                "vertices {other} and {v} are roots in one component"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::csr::Edges;

    const NO: u32 = u32::MAX;

    /// Returns a graph of a square 0-1-2-3 with a diagonal 0-2, an edge 4-5, and a single vertex 6.
    fn graph() -> Csr {
        let pairs = vec![(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (4, 5)];
        Csr::symmetric(&Edges::new(7, pairs).weighted(vec![1, 1, 1, 5, 9, 2]))
    }

    #[test]
    fn forests() {
        let check = |parents: [u32; 7]| spanning_forest(&graph(), &parents);
        assert_eq!(check([0, 0, 1, 2, 5, 5, 6]), Ok(()));
        assert_eq!(check([2, 2, 3, 3, 4, 4, 6]), Ok(()));
        let wrong = |parents, must: &str| assert_eq!(check(parents), Err(must.to_owned()));
        wrong(
            [0, 3, 1, 2, 5, 5, 6],
            "the parent of vertex 1: 3 is no neighbour",
        );
        wrong(
            [0, 0, 1, NO, 5, 5, 6],
            "the parent of vertex 3: none is no neighbour",
        );
        wrong([1, 2, 0, 3, 5, 5, 6], "vertex 0 is its own ancestor");
        wrong([0, 0, 1, 2, 5, 4, 6], "vertex 4 is its own ancestor");
        wrong(
            [0, 0, 1, 3, 5, 5, 6],
            "vertices 0 and 3 are roots in one component",
        );
        wrong(
            [0, 0, 1, 2, 4, 5, 6],
            "vertices 4 and 5 are roots in one component",
        );
        assert_eq!(
            spanning_forest(&graph(), &[0]),
            Err("1 parents for 7 vertices".to_owned())
        );
    }

    #[test]
    fn a_cut_edge_shows() {
        let cut = Csr::symmetric(&Edges::new(7, vec![(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]));
        assert!(components(&graph(), &serial::components(&cut)).is_err());
        assert!(spanning_forest(&cut, &[0, 0, 1, 2, 5, 5, 6]).is_err());
        assert!(spanning_forest(&graph(), &[0, 0, 1, 2, 4, 5, 6]).is_err());
        assert!(reached(&graph(), &[4], &serial::reached(&cut, &[4])).is_err());
        assert!(levels(&graph(), &[4], &serial::levels(&cut, &[4])).is_err());
    }

    #[test]
    fn one_wrong_value_shows() {
        let graph = graph();
        let must = serial::levels(&graph, &[1]);
        assert_eq!(levels(&graph, &[1], &must), Ok(()));
        for v in 0..7 {
            for wrong in [0, 1, 2, 3, NO].into_iter().filter(|&l| l != must[v]) {
                let mut is = must.clone();
                is[v] = wrong;
                let said = levels(&graph, &[1], &is).unwrap_err();
                assert!(
                    said.starts_with(&format!("the level of vertex {v} is ")),
                    "{said}"
                );
            }
        }
        assert_eq!(
            levels(&graph, &[1], &[1, 0, 1, 2, 0, NO, NO]),
            Err("the level of vertex 4 is 0, not none".to_owned())
        );
        let mut labels = serial::components(&graph);
        assert_eq!(components(&graph, &labels), Ok(()));
        labels[3] = 4;
        assert_eq!(
            components(&graph, &labels),
            Err("the component of vertex 3 is 4, not 0".to_owned())
        );
        let mut far = serial::distances(&graph, &[0]);
        assert_eq!(far, [0, 1, 2, 3, u64::MAX, u64::MAX, u64::MAX]);
        far[3] = 5;
        assert_eq!(
            distances(&graph, &[0], &far),
            Err("the distance of vertex 3 is 5, not 3".to_owned())
        );
        let mut marks = serial::reached(&graph, &[0]);
        assert_eq!(reached(&graph, &[0], &marks), Ok(()));
        marks[6] = true;
        assert_eq!(
            reached(&graph, &[0], &marks),
            Err("the mark of vertex 6 is true, not false".to_owned())
        );
        assert_eq!(
            reached(&graph, &[0], &[]),
            Err("the mark of vertex: 0 for 7".to_owned())
        );
        let program = Program::parse("a test", "0: 1 2 1\n1: 4 0\n").unwrap();
        assert_eq!(live(&program, &[5, 4]), Ok(()));
        assert_eq!(
            live(&program, &[1, 4]),
            Err("what is live at block 0 is 0x1, not 0x5".to_owned())
        );
    }
}
