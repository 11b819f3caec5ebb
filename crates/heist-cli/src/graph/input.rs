//! The inputs of the algorithms: a file, a generated graph, or built-in data.

use std::path::Path;

use heist_suite::Data;
use heist_suite::graphs::read::{self, Weights};
use heist_suite::graphs::{Algo, Csr, Input, Program, generate, serial};

use super::shown;
use crate::failure::Failure;

/// The seed of generated graphs and weights. The seed is constant, so every run has the same graph.
const SEED: u64 = 1;
/// The largest weight of an arc that is generated for a graph without weights.
const MOST_WEIGHT: u32 = 255;
/// The maximum number of vertices of an input. More vertices would take tens of gigabytes.
const MOST_VERTICES: usize = 1 << 28;
/// The maximum number of edges of an input.
const MOST_EDGES: usize = 1 << 28;

/// An input with its description.
pub(crate) struct Loaded {
    pub(crate) input: Input,
    pub(crate) about: String,
    /// The number of the first vertex in the file.
    first: u32,
    /// The original number of each vertex, if the vertices have been renumbered.
    names: Option<Vec<u32>>,
    /// Whether arcs were added, so that each arc has a counterpart in the opposite direction.
    symmetric: bool,
}

impl Loaded {
    /// Returns true if another algorithm can use the input unchanged.
    pub(crate) fn fits(&self, algo: Algo) -> bool {
        match &self.input {
            Input::Program(_) => algo.needs_program(),
            Input::Graph(graph) => {
                !algo.needs_program()
                    && algo.needs_weights() == graph.is_weighted()
                    && algo.needs_symmetry() == self.symmetric
            }
        }
    }

    /// Returns the name of a vertex in the file.
    pub(crate) fn name(&self, vertex: u32) -> u32 {
        match &self.names {
            Some(names) => names[vertex as usize],
            None => vertex + self.first,
        }
    }

    /// Returns the requested vertices, each once. `asked` has their numbers in the file. If `asked` is empty, returns a vertex of the
    /// largest degree. If the algorithm needs no vertices, returns an empty list.
    pub(crate) fn roots(&self, algo: Algo, asked: &[u32]) -> Result<Vec<u32>, Failure> {
        let Input::Graph(graph) = &self.input else {
            return Ok(Vec::new());
        };
        if !algo.needs_roots() && algo != Algo::Spanning {
            return Ok(Vec::new());
        }
        if asked.is_empty() {
            let hub = hub(graph);
            return Ok(if algo.needs_roots() {
                hub.into_iter().collect()
            } else {
                Vec::new()
            });
        }
        let place = |&root: &u32| match &self.names {
            Some(names) => names.binary_search(&root).ok().map(|place| place as u32),
            None => root
                .checked_sub(self.first)
                .filter(|&root| (root as usize) < graph.vertices()),
        };
        let found = |root: &u32| {
            place(root).ok_or_else(|| {
                Failure::Request(format!("--root {root}: {} has no such vertex", self.about))
            })
        };
        let mut roots = Vec::new();
        for root in asked.iter().map(found) {
            let root = root?;
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        Ok(roots)
    }
}

/// Reads or generates the input, or takes the built-in input.
pub(crate) fn load(name: Option<&str>, algo: Algo) -> Result<Loaded, Failure> {
    if algo.needs_program() {
        return program(name);
    }
    if let Some((kind, sizes)) = name.and_then(|name| name.split_once(':'))
        && let Some(graph) = generated(kind, sizes)?
    {
        return Ok(weighted(
            algo,
            graph,
            name.unwrap_or_default().to_owned(),
            0,
            None,
        ));
    }
    let weights = if algo.needs_weights() {
        Weights::Read
    } else {
        Weights::Ignore
    };
    let (read, about) = match name {
        Some(name) => (read::file(Path::new(name), weights), shown(Path::new(name))),
        None => (
            read::built_in(&Data::locate()),
            "packages of Debian 12 (built in)".to_owned(),
        ),
    };
    let graph = read.map_err(Failure::Request)?;
    let both_ways = graph.directed && algo.needs_symmetry();
    let csr = if both_ways {
        Csr::symmetric(&graph.edges).simple()
    } else {
        graph.csr()
    };
    let about = if both_ways {
        format!("{about}, arcs taken both ways")
    } else {
        about
    };
    if csr.vertices() == 0 {
        return Err(Failure::Request(format!("{about}: there are no vertices")));
    }
    Ok(weighted(algo, csr, about, graph.first, graph.names))
}

/// Adds weights if the algorithm needs weights and the graph has none.
fn weighted(algo: Algo, graph: Csr, about: String, first: u32, names: Option<Vec<u32>>) -> Loaded {
    let lacks = algo.needs_weights() && !graph.is_weighted();
    let graph = if lacks {
        generate::with_random_weights(graph, MOST_WEIGHT, SEED)
    } else {
        graph
    };
    let note = if lacks {
        format!(", random weights from 1 to {MOST_WEIGHT}")
    } else {
        String::new()
    };
    let about = format!(
        "{about}: {} vertices, {} arcs{note}",
        graph.vertices(),
        graph.arcs()
    );
    Loaded {
        input: Input::Graph(graph),
        about,
        first,
        names,
        symmetric: algo.needs_symmetry(),
    }
}

fn program(name: Option<&str>) -> Result<Loaded, Failure> {
    let (program, about) = match name {
        None => (
            Program::load(&Data::locate()),
            "SQLite's library (built in)".to_owned(),
        ),
        Some(name) => {
            let text = std::fs::read_to_string(name).map_err(|error| {
                Failure::Request(format!(
                    "{}: cannot be read: {error}",
                    shown(Path::new(name))
                ))
            })?;
            (Program::parse(name, &text), shown(Path::new(name)))
        }
    };
    let program = program.map_err(Failure::Request)?;
    let about = format!("{about}: {} blocks", program.blocks());
    Ok(Loaded {
        input: Input::Program(program),
        about,
        first: 0,
        names: None,
        symmetric: false,
    })
}

/// Generates a graph: `kgraph:1000000`, `torus:1000x1000`, `random:1000000,3000000` or `rmat:20,16`. Returns `None` for any other `kind`.
fn generated(kind: &str, sizes: &str) -> Result<Option<Csr>, Failure> {
    let wrong = |form: &str| {
        Failure::Request(format!(
            "'{}:{}': give {form}, with at most {MOST_VERTICES} vertices and as many edges",
            kind.escape_debug(),
            sizes.escape_debug()
        ))
    };
    let numbers = |count: usize, form: &str| {
        let numbers: Option<Vec<usize>> = sizes
            .split(['x', ','])
            .map(|number| number.trim().parse().ok())
            .collect();
        numbers
            .filter(|numbers| numbers.len() == count)
            .ok_or_else(|| wrong(form))
    };
    let few = |vertices: usize| (1..=MOST_VERTICES).contains(&vertices);
    Ok(Some(match kind {
        "kgraph" => {
            let form = "kgraph:VERTICES (above 3)";
            let numbers = numbers(1, form)?;
            if !few(numbers[0]) || numbers[0] < 4 {
                return Err(wrong(form));
            }
            generate::k_graph(numbers[0], 3, SEED)
        }
        "torus" => {
            let form = "torus:ROWSxCOLUMNS";
            let numbers = numbers(2, form)?;
            if !few(numbers[0].saturating_mul(numbers[1])) {
                return Err(wrong(form));
            }
            generate::torus(numbers[0], numbers[1])
        }
        "random" => {
            let form = "random:VERTICES,EDGES (no more edges than a quarter of the pairs)";
            let numbers = numbers(2, form)?;
            let (n, m) = (numbers[0], numbers[1]);
            if !few(n) || m > n.saturating_mul(n) / 8 || m > MOST_EDGES {
                return Err(wrong(form));
            }
            generate::random(n, m, SEED)
        }
        "rmat" => {
            let form = "rmat:SCALE,FACTOR (2^SCALE vertices, FACTOR edges for each)";
            let numbers = numbers(2, form)?;
            let (scale, factor) = (numbers[0], numbers[1]);
            if scale > 28 || factor == 0 || factor.saturating_mul(1 << scale) > MOST_EDGES {
                return Err(wrong(form));
            }
            generate::rmat(scale as u32, factor, SEED)
        }
        _ => return Ok(None),
    }))
}

/// Returns a vertex of the largest degree. In an undirected graph, the vertex is in the largest component.
fn hub(graph: &Csr) -> Option<u32> {
    let vertices = || 0..graph.vertices() as u32;
    if !graph.is_symmetric() {
        return vertices().max_by_key(|&v| graph.degree(v));
    }
    let labels = serial::components(graph);
    let mut sizes = vec![0_u32; labels.len()];
    for &label in &labels {
        sizes[label as usize] += 1;
    }
    let largest = vertices().max_by_key(|&v| sizes[v as usize])?;
    vertices()
        .filter(|&v| labels[v as usize] == largest)
        .max_by_key(|&v| graph.degree(v))
}

/// Returns the least vertex of each component. All vertices can be reached from the returned vertices.
pub(crate) fn a_root_in_each_component(graph: &Csr) -> Vec<u32> {
    let labels = serial::components(graph);
    (0..)
        .zip(labels)
        .filter(|&(v, label)| v == label)
        .map(|(v, _)| v)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heist_suite::graphs::Edges;

    #[test]
    fn one_root_reaches_each_component() {
        let graph = Csr::symmetric(&Edges::new(6, vec![(4, 2), (2, 5), (1, 3)]));
        assert_eq!(a_root_in_each_component(&graph), [0, 1, 2]);
    }

    #[test]
    fn generated_graphs_have_their_sizes() {
        let vertices = |kind, sizes| {
            generated(kind, sizes)
                .ok()
                .flatten()
                .map(|graph| graph.vertices())
        };
        assert_eq!(vertices("torus", "10x20"), Some(200));
        assert_eq!(vertices("random", "100,300"), Some(100));
        assert_eq!(vertices("kgraph", "50"), Some(50));
        assert_eq!(vertices("rmat", "6,4"), Some(64));
        for (kind, sizes) in [
            ("torus", "10"),
            ("torus", "0x3"),
            ("random", "10,90"),
            ("kgraph", "3"),
            ("kgraph", "x"),
            ("rmat", "40,1"),
            ("rmat", "5,0"),
        ] {
            assert!(generated(kind, sizes).is_err(), "{kind}:{sizes}");
        }
        assert!(generated("C", "/graph.txt").is_ok_and(|graph| graph.is_none()));
    }
}
