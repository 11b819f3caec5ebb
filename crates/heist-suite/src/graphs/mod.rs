//! Graph algorithms on [`heist::worklist`], with input graphs and checks of the results. Each algorithm is generic over the
//! deque.
//!
//! All algorithms are correct in any order of evaluation. The algorithms are also correct if a deque delivers an item repeatedly, as the
//! deques of "Idempotent work stealing" do (Michael, Vechev, Saraswat, PPoPP 2009). The documentation of each algorithm explains why
//! repeated deliveries are harmless. [`Algo`] lists the algorithms.
//!
//! ```
//! use heist::worklist::{AtLeastOnce, Lifo, Worklist};
//! use heist_suite::graphs::{Algo, Input, generate, solve};
//!
//! let input = Input::Graph(generate::torus(30, 40));
//! let list = Worklist::<(AtLeastOnce, Lifo)>::on();
//! let outcome = solve(Algo::Bfs, &list, &input, &[0]).unwrap();
//! outcome.check(&input).unwrap();
//! assert_eq!(outcome.summary(), "reached=1200 deepest=35");
//! ```

pub mod bfs;
pub mod closure;
pub mod components;
pub mod csr;
pub mod dataflow;
mod entrants;
pub mod generate;
pub mod read;
pub mod serial;
pub mod spanning;
pub mod sssp;
pub mod verify;
mod windows;

use std::fmt;
use std::str::FromStr;

use heist::worklist::{Queue, Report, Worklist};

pub use csr::{Csr, Edges};
pub use dataflow::Program;
pub use entrants::{ENTRANTS, Entrant};

/// An algorithm on graphs or programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algo {
    /// [`closure`]: which vertices can be reached.
    Closure,
    /// [`spanning`]: a spanning forest.
    Spanning,
    /// [`components`]: connected components.
    Components,
    /// [`bfs`]: levels of breadth-first search.
    Bfs,
    /// [`sssp`]: shortest paths.
    Sssp,
    /// [`dataflow`]: liveness.
    Dataflow,
}

impl Algo {
    /// All algorithms.
    pub const ALL: &[Algo] = &[
        Algo::Closure,
        Algo::Spanning,
        Algo::Components,
        Algo::Bfs,
        Algo::Sssp,
        Algo::Dataflow,
    ];

    /// Returns the algorithm's name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Algo::Closure => "closure",
            Algo::Spanning => "spanning",
            Algo::Components => "components",
            Algo::Bfs => "bfs",
            Algo::Sssp => "sssp",
            Algo::Dataflow => "dataflow",
        }
    }

    /// Returns one line that describes the computation.
    pub fn about(self) -> &'static str {
        match self {
            Algo::Closure => "which vertices can be reached from the roots",
            Algo::Spanning => "a spanning forest, after Bader and Cong",
            Algo::Components => "connected components, by propagation of the least label",
            Algo::Bfs => "the fewest arcs from a root, by label correction",
            Algo::Sssp => "the least sum of weights from a root, by label correction",
            Algo::Dataflow => "which registers are live at each block of a program",
        }
    }

    /// Returns true if the arcs must have weights.
    pub fn needs_weights(self) -> bool {
        self == Algo::Sssp
    }

    /// Returns true if the graph must be undirected.
    pub fn needs_symmetry(self) -> bool {
        matches!(self, Algo::Spanning | Algo::Components)
    }

    /// Returns true if the algorithm starts from roots. [`Algo::Spanning`] can also run without roots.
    pub fn needs_roots(self) -> bool {
        matches!(self, Algo::Closure | Algo::Bfs | Algo::Sssp)
    }

    /// Returns true if the algorithm needs a program instead of a graph.
    pub fn needs_program(self) -> bool {
        self == Algo::Dataflow
    }
}

impl fmt::Display for Algo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algo {
    type Err = String;

    fn from_str(word: &str) -> Result<Algo, String> {
        let known = Algo::ALL.iter().find(|algo| algo.name() == word);
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = Algo::ALL.iter().map(|algo| algo.name()).collect();
            format!("'{word}' is no algorithm; there are {}", names.join(", "))
        })
    }
}

/// The input of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A graph, for all algorithms except [`Algo::Dataflow`].
    Graph(Csr),
    /// A program, for [`Algo::Dataflow`].
    Program(Program),
}

/// The result of an algorithm. The documentation of the function `run` in the algorithm's module describes the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The result of [`closure`].
    Reached(Vec<bool>),
    /// The result of [`spanning`].
    Parents(Vec<u32>),
    /// The result of [`components`].
    Labels(Vec<u32>),
    /// The result of [`bfs`].
    Levels(Vec<u32>),
    /// The result of [`sssp`].
    Distances(Vec<u64>),
    /// The result of [`dataflow`].
    Live(Vec<u64>),
}

/// The result and the report of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result.
    pub found: Found,
    /// The sum of the reports of all worklists of the run.
    pub report: Report,
    /// The roots from which the algorithm started.
    pub roots: Vec<u32>,
}

/// Runs an algorithm on the current pool.
///
/// # Errors
/// Returns a one-line error if the input is not of the kind that the algorithm needs, or if a root is not a vertex.
pub fn solve<Q>(
    algo: Algo,
    list: &Worklist<Q>,
    input: &Input,
    roots: &[u32],
) -> Result<Outcome, String>
where
    Q: Queue<u32> + Queue<(u32, u32)>,
{
    fn named<T>((result, report): (T, Report), name: fn(T) -> Found) -> (Found, Report) {
        (name(result), report)
    }
    if let Input::Graph(graph) = input {
        fits(algo, graph, roots)?;
    }
    let (found, report) = match (algo, input) {
        (Algo::Closure, Input::Graph(graph)) => {
            named(closure::run(list, graph, roots), Found::Reached)
        }
        (Algo::Spanning, Input::Graph(graph)) => {
            named(spanning::run(list, graph, roots), Found::Parents)
        }
        (Algo::Components, Input::Graph(graph)) => {
            named(components::run(list, graph), Found::Labels)
        }
        (Algo::Bfs, Input::Graph(graph)) => named(bfs::run(list, graph, roots), Found::Levels),
        (Algo::Sssp, Input::Graph(graph)) => named(sssp::run(list, graph, roots), Found::Distances),
        (Algo::Dataflow, Input::Program(program)) => {
            named(dataflow::run(list, program), Found::Live)
        }
        (Algo::Dataflow, Input::Graph(_)) => {
            return Err(format!("{algo} needs a program, not a graph"));
        }
        (_, Input::Program(_)) => return Err(format!("{algo} needs a graph, not a program")),
    };
    Ok(Outcome {
        found,
        report,
        roots: roots.to_vec(),
    })
}

/// Checks that the algorithm can run on the graph, starting from the given roots.
fn fits(algo: Algo, graph: &Csr, roots: &[u32]) -> Result<(), String> {
    if algo.needs_weights() && !graph.is_weighted() {
        return Err(format!("{algo} needs a graph with weights"));
    }
    if algo.needs_symmetry() && !graph.is_symmetric() {
        return Err(format!("{algo} needs an undirected graph"));
    }
    if algo.needs_roots() && roots.is_empty() {
        return Err(format!("{algo} needs a root"));
    }
    let n = graph.vertices();
    match roots.iter().find(|&&root| root as usize >= n) {
        None => Ok(()),
        Some(root) => Err(format!("the root {root} is none of the {n} vertices")),
    }
}

impl Outcome {
    /// Compares the result with the result of a serial algorithm on the same input, or checks that the result satisfies its definition.
    ///
    /// # Errors
    /// Returns a one-line error about the first fault if the result is wrong. Also returns an error if `input` is not the input of this
    /// result.
    pub fn check(&self, input: &Input) -> Result<(), String> {
        match (&self.found, input) {
            (Found::Reached(marks), Input::Graph(graph)) => {
                verify::reached(graph, &self.roots, marks)
            }
            (Found::Parents(parents), Input::Graph(graph)) => {
                verify::spanning_forest(graph, parents)
            }
            (Found::Labels(labels), Input::Graph(graph)) => verify::components(graph, labels),
            (Found::Levels(levels), Input::Graph(graph)) => {
                verify::levels(graph, &self.roots, levels)
            }
            (Found::Distances(distances), Input::Graph(graph)) => {
                verify::distances(graph, &self.roots, distances)
            }
            (Found::Live(live), Input::Program(program)) => verify::live(program, live),
            _ => Err("this was found on another input".to_owned()),
        }
    }

    /// Returns a summary of the result: one or two names with numbers.
    pub fn summary(&self) -> String {
        let roots = |parents: &[u32]| (0..).zip(parents).filter(|&(v, &to)| v == to).count();
        match &self.found {
            Found::Reached(marks) => {
                format!("reached={}", marks.iter().filter(|&&mark| mark).count())
            }
            // In both results, the vertices whose value is their own number stand for a tree or component each.
            Found::Parents(parents) => format!("trees={}", roots(parents)),
            Found::Labels(labels) => format!("components={}", roots(labels)),
            Found::Levels(levels) => extent("deepest", levels, u32::MAX),
            Found::Distances(distances) => extent("farthest", distances, u64::MAX),
            Found::Live(live) => {
                let places: u64 = live.iter().map(|set| u64::from(set.count_ones())).sum();
                format!("blocks={} live={places}", live.len())
            }
        }
    }
}

/// Returns a text with two numbers: the number of vertices with a value, and the largest value.
fn extent<T: Copy + Ord + fmt::Display>(what: &str, values: &[T], none: T) -> String {
    let known = values.iter().filter(|&&value| value != none);
    match known.clone().max() {
        None => "reached=0".to_owned(),
        Some(most) => format!("reached={} {what}={most}", known.count()),
    }
}
