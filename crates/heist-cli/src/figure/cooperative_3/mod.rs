//! `heist figure cooperative-3` compares different ways to wait in programs whose tasks wait for each other.

mod chart;
mod csv;
mod measure;
mod table;

use std::time::Instant;

use heist_suite::Size;
use heist_suite::cooperative::{Entrant, Input, MOST_THREADS, Pools};

use crate::failure::Failure;
use crate::figure::args;
use crate::graph::cpus;
use crate::machine::Machine;
use crate::outfile;
use crate::say;
use crate::sheet;
use crate::values::Threads;
use measure::Plan;

pub(super) const NAME: &str = "cooperative-3";

/// The contender with which all other contenders are compared.
const BASE: Entrant = Entrant::HeistAsync;

/// The contenders, in the order of the bars. The last two contenders have no bars, because their programs have no tasks that wait.
const CONTENDERS: [Entrant; 7] = [
    BASE,
    Entrant::HeistFiber,
    Entrant::HeistBlocking,
    Entrant::Tokio,
    Entrant::Threads,
    Entrant::Rayon,
    Entrant::Serial,
];
const BARS: usize = 5;

/// The number of nodes of the paper's graphs.
const PAPER_NODES: u64 = 512;
const MOST_NODES: u64 = MOST_THREADS as u64;

/// A group of bars in the figure, for one program.
struct Panel {
    /// The program's name in the paper.
    label: &'static str,
    /// The program's name in the suite.
    program: &'static str,
    input: Input,
    size: PanelSize,
    /// The statement of the paper about the program.
    published: &'static str,
    /// The only value that the text gives for the program, in milliseconds.
    published_ms: Option<f64>,
}

#[derive(Clone, Copy)]
enum PanelSize {
    Fixed(u64),
    /// The number of nodes that the user requests.
    Nodes,
}

impl Panel {
    const fn of_nodes(label: &'static str, program: &'static str) -> Panel {
        Panel {
            label,
            program,
            input: Input::Generated,
            size: PanelSize::Nodes,
            published: "X10 with SPMBarrier did not end; no value in the text",
            published_ms: None,
        }
    }

    fn size(&self, nodes: u64) -> Size {
        Size::N(match self.size {
            PanelSize::Fixed(n) => n,
            PanelSize::Nodes => nodes,
        })
    }
}

const PANELS: [Panel; 9] = [
    Panel {
        label: "BinTree",
        program: "binary-trees",
        input: Input::Generated,
        size: PanelSize::Fixed(10),
        published: "X10 more than ten times slower",
        published_ms: None,
    },
    Panel {
        label: "SmithWat",
        program: "smith-waterman-cells",
        input: Input::Real,
        size: PanelSize::Fixed(119),
        published: "blocking 3 times slower than cooperative; X10 failed: TOO MANY THREADS",
        published_ms: None,
    },
    Panel {
        published: "X10 with SPMBarrier and 512 threads: 76.39 ms, less than HJ cooperative",
        published_ms: Some(76.39),
        ..Panel::of_nodes("BFS-BF", "bfs-bf")
    },
    Panel {
        published: "X10 with SPMBarrier and 512 threads: 240.79 ms, less than HJ cooperative",
        published_ms: Some(240.79),
        ..Panel::of_nodes("BFS-Dijk", "bfs-dijkstra")
    },
    Panel::of_nodes("DomSet", "dominating-set"),
    Panel::of_nodes("MIS", "mis"),
    Panel::of_nodes("MST", "mst"),
    Panel {
        label: "SmithWat in tasks",
        program: "smith-waterman-tasks",
        input: Input::Real,
        size: PanelSize::Fixed(119),
        published: "nothing; a task for each cell in place of a row",
        published_ms: None,
    },
    Panel {
        label: "SmithWat in tiles",
        program: "smith-waterman",
        input: Input::Real,
        size: PanelSize::Fixed(119),
        published: "nothing; a future for 32 x 32 cells in place of one",
        published_ms: None,
    },
];

/// The note about those bars of the paper that the chart leaves out.
const UNREADABLE: &str = "The paper's bars for HJ and X10 are in a drawing only and cannot be read from its text; \
                          what the text says is quoted";

pub(super) fn about() -> String {
    "futures and barriers of tasks that suspend, beside tasks that block: the paper's seven programs".to_owned()
}

/// Measures and writes the figure.
pub(crate) fn run(args: &args::Figure) -> Result<(), Failure> {
    let plan = plan(args)?;
    let names = ["csv", "json", "svg"].map(|ending| format!("{NAME}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    let machine = Machine::detect()?;
    let pools = Pools::new(plan.workers).map_err(|error| {
        Failure::Request(format!(
            "cannot start pools of {} threads: {error}; lower --threads",
            plan.workers
        ))
    })?;
    let start = Instant::now();
    let groups = measure::measure(&plan, pools)?;
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&table::render(&plan, &groups, say::colours_on_stdout()));
    let csv = csv::render(&plan, &groups)?;
    let chart = chart::render(&plan, &groups);
    csv_file.fill(&csv)?;
    json_file.fill(&sheet::of_figure(
        NAME,
        origin(),
        &machine,
        &[(NAME, &chart)],
        &csv,
    )?)?;
    svg_file.fill(&chart.svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

fn plan(args: &args::Figure) -> Result<Plan, Failure> {
    let refused = |line: String| Err(Failure::Request(line));
    if args.instructions {
        return refused(format!(
            "--instructions is for idempotent-4; {NAME} has none"
        ));
    }
    if let Size::N(n) = args.size() {
        return refused(format!(
            "--size {n}: {NAME} has the paper's sizes; --nodes changes that of its graphs"
        ));
    }
    let nodes = args.nodes.unwrap_or(PAPER_NODES);
    if !(2..=MOST_NODES).contains(&nodes) {
        return refused(format!(
            "--nodes {nodes}: {NAME} takes graphs of 2 to {MOST_NODES} nodes, as many as there may be threads"
        ));
    }
    let workers = match &args.threads {
        None => cpus(),
        Some(Threads(list)) if list.len() == 1 => list[0],
        Some(Threads(list)) => {
            return refused(format!(
                "--threads: {NAME} takes one number of workers, not {}",
                list.len()
            ));
        }
    };
    Ok(Plan {
        runs: args.runs(),
        workers,
        nodes,
        seed: rand::random(),
    })
}

/// Returns a line that names the source of the figure.
fn origin() -> &'static str {
    "After figure 3 of Imam and Sarkar, A Case for Cooperative Scheduling in X10's Managed Runtime (X10 2014): there on \
     a JVM with 12 cores"
}

#[cfg(test)]
mod tests {
    use heist_suite::cooperative::programs;

    use super::*;

    #[test]
    fn panels_are_programs_with_that_input() {
        for panel in &PANELS {
            let program = programs()
                .iter()
                .find(|program| program.name == panel.program);
            let program = program.unwrap_or_else(|| panic!("no {}", panel.program));
            assert!(program.inputs.contains(&panel.input));
            assert!(program.entrants.contains(&BASE));
        }
    }

    #[test]
    fn everybody_takes_part() {
        for entrant in Entrant::ALL {
            assert!(CONTENDERS.contains(entrant), "{entrant}");
        }
        assert!(CONTENDERS[..BARS].contains(&Entrant::Threads));
    }

    /// Checks the two published values. Section 4.2 of the paper has no other values.
    #[test]
    fn published_values() {
        let values = PANELS.iter().filter_map(|panel| panel.published_ms);
        assert_eq!(values.collect::<Vec<_>>(), [76.39, 240.79]);
        // These texts stand in a line above panels of 700 pixels.
        assert!(PANELS.iter().all(|panel| panel.published.len() < 80));
    }
}
