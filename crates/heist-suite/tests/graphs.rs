//! Runs every graph algorithm on every kind of graph, on every deque and with several numbers of threads.
//! Compares the results with the serial solutions and with the results of petgraph.

mod unruly;

use std::marker::PhantomData;
use std::sync::LazyLock;

use heist::Pool;
use heist::worklist::{AtLeastOnce, DoubleEnded, ExactlyOnce, Lifo, Queue, Worklist};
use heist_deque::{Delivery, Item, cilk5, double_ended, fifo};
use heist_suite::Data;
use heist_suite::graphs::read::{self, Weights};
use heist_suite::graphs::{Algo, Csr, Edges, Found, Input, Outcome, Program, generate, solve};
use petgraph::graph::DiGraph;
use petgraph::unionfind::UnionFind;
use petgraph::visit::{Bfs, EdgeRef, Walker};
use proptest::prelude::*;
use unruly::Unruly;

/// Runs an algorithm on one kind of deque.
type Solve = fn(Algo, &Input, &[u32]) -> Result<Outcome, String>;

fn on<Q: Queue<u32> + Queue<(u32, u32)>>(
    algo: Algo,
    input: &Input,
    roots: &[u32],
) -> Result<Outcome, String> {
    solve(algo, &Worklist::<Q>::on(), input, roots)
}

/// Deques for which `heist::worklist` has no type of its own.
struct On<D, K>(PhantomData<(D, K)>);
struct Fifo;
struct TwoEnded;
struct The;

impl<T: Item + Send, D: Delivery<T>> Queue<T> for On<D, Fifo> {
    type Owner = fifo::Owner<T, D>;
    fn make() -> Self::Owner {
        fifo::Owner::new()
    }
}

impl<T: Item + Send, D: Delivery<T>> Queue<T> for On<D, TwoEnded> {
    type Owner = double_ended::Owner<T, D>;
    fn make() -> Self::Owner {
        double_ended::Owner::new()
    }
}

impl<T: Send> Queue<T> for On<ExactlyOnce, The> {
    type Owner = cilk5::Owner<T>;
    fn make() -> Self::Owner {
        cilk5::Owner::new()
    }
}

/// Every deque: its name, a function that runs an algorithm on it, and true if each item leaves only once.
const DEQUES: &[(&str, Solve, bool)] = &[
    ("Chase-Lev", on::<(ExactlyOnce, DoubleEnded)>, true),
    ("LIFO", on::<(ExactlyOnce, Lifo)>, true),
    ("idempotent LIFO", on::<(AtLeastOnce, Lifo)>, false),
    ("FIFO", on::<On<ExactlyOnce, Fifo>>, true),
    ("idempotent FIFO", on::<On<AtLeastOnce, Fifo>>, false),
    ("double-ended", on::<On<ExactlyOnce, TwoEnded>>, true),
    (
        "idempotent double-ended",
        on::<On<AtLeastOnce, TwoEnded>>,
        false,
    ),
    ("THE", on::<On<ExactlyOnce, The>>, true),
    ("unruly", on::<Unruly>, false),
];

static POOLS: LazyLock<Vec<Pool>> = LazyLock::new(|| {
    let pool = |threads| Pool::new(threads).unwrap();
    [1, 2, 3, 8].map(pool).into()
});

/// Runs an algorithm, and checks its result and its report.
fn run(pool: &Pool, deque: usize, algo: Algo, input: &Input, roots: &[u32]) -> Outcome {
    let (name, solve, exactly) = DEQUES[deque];
    let outcome = pool.install(|| solve(algo, input, roots)).unwrap();
    let what = || format!("{algo} on {name}, {} threads", pool.threads());
    assert_eq!(outcome.check(input), Ok(()), "{}", what());
    let report = &outcome.report;
    assert!(!report.stopped, "{}", what());
    assert!(report.processed >= report.pushed, "{}: {report:?}", what());
    if exactly {
        assert_eq!(report.processed, report.pushed, "{}", what());
        assert_eq!(report.repeated, 0, "{}", what());
    }
    outcome
}

fn everywhere(algo: Algo, input: &Input, roots: &[u32]) {
    for pool in POOLS.iter() {
        for deque in 0..DEQUES.len() {
            run(pool, deque, algo, input, roots);
        }
    }
}

/// Checks every algorithm for graphs, with weights of several sizes.
fn all_on(graph: &Csr, roots: &[u32]) {
    let input = Input::Graph(graph.clone());
    for algo in [Algo::Closure, Algo::Spanning, Algo::Components, Algo::Bfs] {
        if graph.is_symmetric() || !algo.needs_symmetry() {
            everywhere(algo, &input, roots);
        }
    }
    for most in [1, 100, u32::MAX] {
        let weighted = generate::with_random_weights(graph.clone(), most, 7);
        everywhere(Algo::Sssp, &Input::Graph(weighted), roots);
    }
}

#[test]
fn generated_graphs() {
    all_on(&generate::k_graph(1500, 3, 1), &[0, 700]);
    all_on(&generate::torus(30, 45), &[17]);
    all_on(&generate::random(1200, 3600, 2), &[3]);
    all_on(&generate::random(1000, 400, 3), &[1, 1, 2, 3]);
    all_on(&generate::rmat(10, 8, 4), &[0, 5, 1023]);
}

#[test]
fn odd_graphs() {
    let path = |n: u32| (1..n).map(|v| (v - 1, v)).collect();
    all_on(&Csr::symmetric(&Edges::new(3000, path(3000))), &[1500]);
    all_on(&Csr::directed(&Edges::new(500, path(500))), &[200, 499]);
    all_on(&Csr::symmetric(&Edges::new(1, Vec::new())), &[0]);
    all_on(&Csr::symmetric(&Edges::new(700, Vec::new())), &[699]);
    let star = (1..2000).map(|v| (1999 - v, 1999)).collect();
    all_on(&Csr::symmetric(&Edges::new(2000, star)), &[3]);
    // The algorithms also run on graphs with loops and parallel edges.
    let tangle = vec![(0, 0), (0, 1), (1, 0), (0, 1), (2, 2), (3, 1)];
    all_on(&Csr::symmetric(&Edges::new(4, tangle.clone())), &[0]);
    all_on(&Csr::directed(&Edges::new(4, tangle)), &[3]);
    // The graph has two large components, with isolated vertices between them. So large trees are not always the first trees.
    let twice = generate::torus(40, 40);
    let pairs = twice
        .pairs()
        .map(|(a, b)| (a + 1700, b + 1700))
        .chain(twice.pairs());
    let twice = Csr::symmetric(&Edges::new(3300, pairs.collect())).simple();
    all_on(&twice, &[3299]);
    let nothing = Input::Graph(Csr::symmetric(&Edges::new(0, Vec::new())));
    everywhere(Algo::Components, &nothing, &[]);
    everywhere(Algo::Spanning, &nothing, &[]);
}

#[test]
fn the_real_graph() {
    let graph = read::built_in(&Data::default()).unwrap().csr();
    all_on(&graph, &[3863]);
}

#[test]
fn the_real_program() {
    let program = Input::Program(Program::load(&Data::default()).unwrap());
    everywhere(Algo::Dataflow, &program, &[]);
}

#[test]
#[ignore = "minutes without optimisation"]
fn the_paper_s_graphs() {
    for graph in [
        generate::k_graph(1_000_000, 3, 1),
        generate::torus(1000, 1000),
        generate::random(1_000_000, 3_000_000, 2),
        generate::rmat(17, 16, 3),
    ] {
        let input = Input::Graph(generate::with_random_weights(graph, 1000, 7));
        for &algo in Algo::ALL.iter().filter(|algo| !algo.needs_program()) {
            for deque in 0..DEQUES.len() {
                run(&POOLS[1], deque, algo, &input, &[0]);
            }
        }
    }
}

/// Checks that parents form no cycle. With plain stores of the parents, as in Bader and Cong's algorithm, a cycle occurs sometimes.
#[test]
#[ignore = "finds nothing without optimisation"]
fn no_circles_without_fences() {
    let input = Input::Graph(generate::torus(500, 500));
    let deque = DEQUES
        .iter()
        .position(|&(name, ..)| name == "idempotent LIFO");
    for _ in 0..300 {
        run(&POOLS[1], deque.unwrap(), Algo::Spanning, &input, &[0]);
    }
}

#[test]
fn repetition_is_counted() {
    let graph = generate::torus(20, 20);
    let unruly = DEQUES.len() - 1;
    let outcome = run(&POOLS[1], unruly, Algo::Closure, &Input::Graph(graph), &[0]);
    let report = outcome.report;
    assert!(report.repeated * 4 > report.pushed, "{report:?}");
}

/// Converts a graph to a graph of petgraph.
fn petgraph(graph: &Csr) -> DiGraph<(), u64> {
    let mut other = DiGraph::new();
    for _ in 0..graph.vertices() {
        other.add_node(());
    }
    for v in 0..graph.vertices() as u32 {
        for (&w, &weight) in graph.neighbours(v).iter().zip(graph.weights(v)) {
            other.add_edge(v.into(), w.into(), weight.into());
        }
    }
    other
}

fn distances(of: &DiGraph<(), u64>, root: u32, weight: impl Fn(u64) -> u64) -> Vec<u64> {
    let known = petgraph::algo::dijkstra(of, root.into(), None, |edge| weight(*edge.weight()));
    let distance = |v| known.get(&v).copied().unwrap_or(u64::MAX);
    of.node_indices().map(distance).collect()
}

/// Compares petgraph's results with those on each deque.
fn against_petgraph(graph: &Csr, root: u32) {
    let other = petgraph(graph);
    let input = Input::Graph(graph.clone());
    let far = distances(&other, root, |weight| weight);
    let levels = distances(&other, root, |_| 1).into_iter();
    let levels: Vec<u32> = levels.map(|l| l.try_into().unwrap_or(u32::MAX)).collect();
    let mut reached = vec![false; graph.vertices()];
    for v in Bfs::new(&other, root.into()).iter(&other) {
        reached[v.index()] = true;
    }
    let mut sets = UnionFind::new(graph.vertices());
    for edge in other.edge_references() {
        sets.union(edge.source().index(), edge.target().index());
    }
    let components = petgraph::algo::connected_components(&other);
    for deque in 0..DEQUES.len() {
        let found = |algo| run(&POOLS[1], deque, algo, &input, &[root]).found;
        assert_eq!(found(Algo::Closure), Found::Reached(reached.clone()));
        assert_eq!(found(Algo::Bfs), Found::Levels(levels.clone()));
        assert_eq!(found(Algo::Sssp), Found::Distances(far.clone()));
        if !graph.is_symmetric() {
            continue;
        }
        let Found::Labels(labels) = found(Algo::Components) else {
            panic!("components finds labels")
        };
        let mut least = vec![u32::MAX; graph.vertices()];
        for v in 0..graph.vertices() {
            let set = sets.find(v);
            least[set] = least[set].min(v as u32);
        }
        for v in 0..graph.vertices() {
            assert_eq!(labels[v], least[sets.find(v)]);
        }
        let Found::Parents(parents) = found(Algo::Spanning) else {
            panic!("spanning finds parents")
        };
        let mut forest = UnionFind::new(graph.vertices());
        let mut trees = 0;
        for (v, &parent) in parents.iter().enumerate() {
            if parent as usize == v {
                trees += 1;
            } else {
                assert!(other.find_edge(parent.into(), (v as u32).into()).is_some());
                assert!(forest.union(v, parent as usize), "a circle at {v}");
            }
        }
        assert_eq!(trees, components);
    }
}

#[test]
fn petgraph_finds_the_same() {
    let weigh = |graph| generate::with_random_weights(graph, 1000, 9);
    let real = read::built_in(&Data::default()).unwrap();
    against_petgraph(&weigh(real.csr()), 3863);
    // The graph has the same edges, but each edge is only one arc.
    against_petgraph(&weigh(Csr::directed(&real.edges)), 0);
    for seed in 0..5 {
        against_petgraph(&weigh(generate::random(800, 1000, seed)), 1);
        against_petgraph(&weigh(generate::k_graph(800, 2, seed)), 1);
        let rmat: Vec<(u32, u32)> = generate::rmat(9, 3, seed).pairs().step_by(2).collect();
        against_petgraph(&weigh(Csr::directed(&Edges::new(512, rmat))), 1);
    }
    let flow = Program::load(&Data::default()).unwrap().flow().clone();
    against_petgraph(&weigh(flow), 2);
}

prop_compose! {
    fn small_graph()(n in 1..24usize)(
        n in Just(n),
        edges in prop::collection::vec((0..n as u32, 0..n as u32, 0..20u32), 0..60),
        roots in prop::collection::vec(0..n as u32, 1..4),
        undirected in any::<bool>(),
    ) -> (Csr, Vec<u32>) {
        let pairs = edges.iter().map(|&(a, b, _)| (a, b)).collect();
        let weights = edges.iter().map(|&(.., weight)| weight).collect();
        let edges = Edges::new(n, pairs).weighted(weights);
        let graph = if undirected { Csr::symmetric(&edges) } else { Csr::directed(&edges) };
        (graph, roots)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_graphs((graph, roots) in small_graph()) {
        let symmetric = graph.is_symmetric();
        let input = Input::Graph(graph);
        for &algo in Algo::ALL {
            if algo.needs_program() || (algo.needs_symmetry() && !symmetric) {
                continue;
            }
            for deque in 0..DEQUES.len() {
                run(&POOLS[2], deque, algo, &input, &roots);
            }
        }
    }

    #[test]
    fn small_programs(
        blocks in prop::collection::vec(
            (any::<u64>(), any::<u64>(), prop::collection::vec(0..30u32, 0..4)), 30
        )
    ) {
        let line = |(b, (reads, writes, next)): (usize, &(u64, u64, Vec<u32>))| {
            let next: Vec<String> = next.iter().map(u32::to_string).collect();
            format!("{b}: {:x} {writes:x} {}\n", reads & writes, next.join(" "))
        };
        let text: String = blocks.iter().enumerate().map(line).collect();
        let input = Input::Program(Program::parse("a test", &text).unwrap());
        for deque in 0..DEQUES.len() {
            run(&POOLS[2], deque, Algo::Dataflow, &input, &[]);
        }
    }

    #[test]
    fn no_text_is_a_panic(text in "[%#MatrixMarket coordinatepatterngeneral0-9:,. \n-]{0,80}") {
        for text in [&text, &format!("%%MatrixMarket matrix coordinate pattern general\n{text}")] {
            for weights in [Weights::Read, Weights::Ignore] {
                match read::text("F", text, weights) {
                    Ok(graph) => prop_assert!(graph.csr().arcs() <= 2 * graph.edges.pairs().len()),
                    Err(line) => prop_assert!(line.starts_with('F') && !line.contains('\n'), "{line}"),
                }
            }
            if let Err(line) = Program::parse("F", text) {
                prop_assert!(line.starts_with('F') && !line.contains('\n'), "{line}");
            }
        }
    }
}

#[test]
fn inputs_that_an_algorithm_cannot_use_are_refused() {
    let program = Input::Program(Program::parse("a test", "0: 0 0\n").unwrap());
    let edges = Edges::new(3, vec![(0, 1), (1, 2)]);
    let directed = Input::Graph(Csr::directed(&edges));
    let undirected = Input::Graph(Csr::symmetric(&edges));
    let no =
        |algo, input, roots: &[u32]| on::<(ExactlyOnce, Lifo)>(algo, input, roots).unwrap_err();
    for (said, must) in [
        (
            no(Algo::Dataflow, &directed, &[]),
            "dataflow needs a program, not a graph",
        ),
        (
            no(Algo::Bfs, &program, &[0]),
            "bfs needs a graph, not a program",
        ),
        (
            no(Algo::Sssp, &undirected, &[0]),
            "sssp needs a graph with weights",
        ),
        (
            no(Algo::Spanning, &directed, &[0]),
            "spanning needs an undirected graph",
        ),
        (
            no(Algo::Components, &directed, &[]),
            "components needs an undirected graph",
        ),
        (no(Algo::Closure, &directed, &[]), "closure needs a root"),
        (
            no(Algo::Closure, &directed, &[0, 3]),
            "the root 3 is none of the 3 vertices",
        ),
        (
            no(Algo::Spanning, &undirected, &[7]),
            "the root 7 is none of the 3 vertices",
        ),
    ] {
        assert_eq!(said, must);
    }
    let outcome = on::<(ExactlyOnce, Lifo)>(Algo::Closure, &directed, &[1]).unwrap();
    assert_eq!(
        outcome.check(&program),
        Err("this was found on another input".to_owned())
    );
}

#[test]
fn a_planted_fault_is_found() {
    let graph = generate::with_random_weights(generate::torus(9, 9), 9, 3);
    let input = Input::Graph(graph);
    for &algo in Algo::ALL.iter().filter(|algo| !algo.needs_program()) {
        for v in [0, 17, 80] {
            let mut outcome = run(&POOLS[1], 0, algo, &input, &[40]);
            match &mut outcome.found {
                Found::Reached(marks) => marks[v] = false,
                // A vertex that is its own parent is the root of a second tree.
                Found::Parents(parents) => parents[v] = v as u32,
                Found::Labels(labels) => labels[v] = 1,
                Found::Levels(levels) => levels[v] += 1,
                Found::Distances(distances) => distances[v] -= 1,
                Found::Live(_) => unreachable!("no program here"),
            }
            assert!(outcome.check(&input).is_err(), "{algo} at {v}");
        }
    }
}

#[test]
fn names_lead_back() {
    for &algo in Algo::ALL {
        assert_eq!(algo.name().parse(), Ok(algo));
        assert_eq!(format!("{algo:>12}").trim_start(), algo.name());
        assert!(!algo.about().is_empty());
    }
    assert_eq!(
        "BFS".parse::<Algo>(),
        Err(
            "'BFS' is no algorithm; there are closure, spanning, components, bfs, sssp, dataflow"
                .to_owned()
        )
    );
}

#[test]
fn summaries() {
    let graph = Csr::symmetric(&Edges::new(5, vec![(0, 1), (1, 2), (3, 4)]));
    let input = Input::Graph(graph.with_weights(|_, _| 5));
    let said = |algo| run(&POOLS[0], 0, algo, &input, &[0]).summary();
    assert_eq!(said(Algo::Closure), "reached=3");
    assert_eq!(said(Algo::Spanning), "trees=2");
    assert_eq!(said(Algo::Components), "components=2");
    assert_eq!(said(Algo::Bfs), "reached=3 deepest=2");
    assert_eq!(said(Algo::Sssp), "reached=3 farthest=10");
    let program = Input::Program(Program::parse("a test", "0: 1 0 1\n1: 6 0\n").unwrap());
    let outcome = run(&POOLS[0], 0, Algo::Dataflow, &program, &[]);
    assert_eq!(outcome.summary(), "blocks=2 live=5");
}
