//! `heist figure idempotent-5` to `-10` measure transitive closure on the paper's graphs, with a line for each
//! deque.

mod chart;
mod csv;
mod table;

use std::time::Instant;

use heist_suite::Size;
use heist_suite::graphs::{Algo, Csr, Input, generate};

use crate::failure::Failure;
use crate::figure::args;
use crate::graph::{self, Plan, a_root_in_each_component, cpus};
use crate::machine::Machine;
use crate::outfile;
use crate::say;
use crate::sheet;

/// A figure that this module measures.
pub(crate) struct Panel {
    pub(crate) name: &'static str,
    about: &'static str,
    /// The number of vertices in the paper and with the size `paper`. The size `quick` has a tenth of these vertices.
    vertices: usize,
    graph: fn(usize) -> Csr,
    /// The statement of the paper about the figure (section 4.2.2). The paper gives the curves of the figure only as drawings.
    published: &'static str,
}

/// The number of processors of the paper's machine.
const MOST_THREADS: usize = 8;
/// The seed of generated graphs.
const SEED: u64 = 1;
/// The maximum number of vertices. More vertices would take tens of gigabytes.
const MOST_VERTICES: u64 = 1 << 27;

/// The average and the maximum share of redundant work that the paper states.
const PUBLISHED_REDUNDANT: [f64; 2] = [0.02, 0.06];

pub(crate) const PANELS: [Panel; 6] = [
    Panel {
        name: "idempotent-5",
        about: "transitive closure of a k-graph, k = 3",
        vertices: 1_000_000,
        graph: |n| generate::k_graph(n, 3, SEED),
        published: "LIFO faster than Chase-Lev and THE by 15 to 20 %, scaling up to 5 or 6 threads",
    },
    Panel {
        name: "idempotent-6",
        about: "transitive closure of a k-graph, k = 3",
        vertices: 2_000_000,
        graph: |n| generate::k_graph(n, 3, SEED),
        published: "LIFO faster than Chase-Lev and THE by 15 to 20 %, by 50 % with 7 threads",
    },
    Panel {
        name: "idempotent-7",
        about: "transitive closure of a 2D torus",
        vertices: 1_000_000,
        graph: torus,
        published: "LIFO faster than all others, often by a factor of 3; no scaling beyond 2 threads",
    },
    Panel {
        name: "idempotent-8",
        about: "transitive closure of a 2D torus",
        vertices: 2_000_000,
        graph: torus,
        published: "LIFO faster than all others, often by a factor of 3; no scaling beyond 2 threads",
    },
    Panel {
        name: "idempotent-9",
        about: "transitive closure of a random graph, three edges a vertex",
        vertices: 1_000_000,
        graph: |n| generate::random(n, 3 * n, SEED),
        published: "LIFO faster than the rest by 2 to 10 %, rarely by more than 15 %",
    },
    Panel {
        name: "idempotent-10",
        about: "transitive closure of a random graph, three edges a vertex",
        vertices: 2_000_000,
        graph: |n| generate::random(n, 3 * n, SEED),
        published: "LIFO faster than the rest by 2 to 10 %, rarely by more than 15 %",
    },
];

impl Panel {
    /// Returns a description of the figure, with the paper's size.
    pub(crate) fn description(&self) -> String {
        let vertices = super::thousands(self.vertices as u64);
        format!("{}; {vertices} vertices in the paper", self.about)
    }
}

/// Returns a torus with about `vertices` vertices, as square as possible.
fn torus(vertices: usize) -> Csr {
    let side = vertices.isqrt().max(1);
    generate::torus(side, vertices / side)
}

/// Measures and writes the figure with the given name.
pub(crate) fn run(name: &str, args: &args::Figure) -> Result<(), Failure> {
    let Some(panel) = PANELS.iter().find(|panel| panel.name == name) else {
        unreachable!("only figures of the list are run");
    };
    if args.instructions {
        let line = format!("--instructions is for idempotent-4; {name} has none");
        return Err(Failure::Request(line));
    }
    let vertices = match args.size() {
        Size::Quick => panel.vertices / 10,
        Size::Paper => panel.vertices,
        Size::N(n) if (100..=MOST_VERTICES).contains(&n) => n as usize,
        Size::N(n) => {
            return Err(Failure::Request(format!(
                "--size {n}: {name} takes that as a number of vertices, from 100 to {MOST_VERTICES}"
            )));
        }
    };
    let names = ["csv", "json", "svg"].map(|ending| format!("{name}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    let machine = Machine::detect()?;
    let plan = Plan {
        runs: args.runs(),
        threads: match &args.threads {
            Some(list) => list.0.clone(),
            None => (1..=cpus().min(MOST_THREADS)).collect(),
        },
        entrants: graph::entrants(&["all".to_owned()])?,
        seed: rand::random(),
    };
    let pools = graph::pools(&plan.threads)?;
    let start = Instant::now();
    let input = Input::Graph((panel.graph)(vertices));
    let Input::Graph(graph) = &input else {
        unreachable!("made in the line above");
    };
    let roots = a_root_in_each_component(graph);
    let about = format!(
        "{} vertices, {} edges, {} components with a starting root in each",
        super::thousands(graph.vertices() as u64),
        super::thousands(graph.arcs() as u64 / 2),
        super::thousands(roots.len() as u64),
    );
    let rows = graph::measure(&plan, &pools, Algo::Closure, &input, &roots)?;
    let told = say::out(&table::render(
        panel,
        &plan,
        &about,
        &rows,
        say::colours_on_stdout(),
    ));
    let csv = csv::render(panel, graph, &rows)?;
    csv_file.fill(&csv)?;
    let chart = chart::render(
        panel,
        &plan,
        &about,
        &super::thousands(graph.vertices() as u64),
        &rows,
    );
    let source =
        "After Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009), section 4.2.2";
    json_file.fill(&sheet::of_figure(
        name,
        source,
        &machine,
        &[(name, &chart)],
        &csv,
    )?)?;
    svg_file.fill(&chart.svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}
