//! `heist graph` runs graph algorithms on worklists, and compares the deques.

mod args;
mod input;
mod measure;
mod table;

use std::path::Path;

use heist_suite::graphs::{Algo, ENTRANTS, Entrant};
use serde_json::json;

use crate::failure::Failure;
use crate::machine::Machine;
use crate::outfile::{self, Outfile};
use crate::say;
use crate::select::unknown;
use crate::sheet;
use crate::version::VERSION;

pub(crate) use args::Graph;
pub(crate) use input::a_root_in_each_component;
pub(crate) use measure::{Plan, Row, cpus, measure, pools};

/// Measures the requested algorithms.
pub(crate) fn run(args: &Graph) -> Result<(), Failure> {
    let deques = entrants(&args.deque)?;
    let algos = algos(&args.algo, args.input.is_some())?;
    let plan = Plan {
        runs: args.runs,
        threads: args
            .threads
            .as_ref()
            .map_or_else(default_threads, |list| list.0.clone()),
        entrants: deques,
        seed: rand::random(),
    };
    let pools = pools(&plan.threads)?;
    // The command reads all inputs before it measures anything, so that it reports a malformed input at once.
    let mut inputs: Vec<input::Loaded> = Vec::new();
    let mut jobs = Vec::new();
    for algo in algos {
        // Two algorithms that need the same input share it, so the file is read only once.
        let place = match inputs.iter().position(|loaded| loaded.fits(algo)) {
            Some(place) => place,
            None => {
                inputs.push(input::load(args.input.as_deref(), algo)?);
                inputs.len() - 1
            }
        };
        jobs.push((algo, place, inputs[place].roots(algo, &args.root)?));
    }
    let mut json = args
        .json
        .as_deref()
        .map(|path| Outfile::open("--json", path))
        .transpose()?;
    let shows_tables = !outfile::is_standard_output(args.json.as_deref());
    let mut all = Vec::new();
    for (algo, place, roots) in jobs {
        let loaded = &inputs[place];
        let rows = measure(&plan, &pools, algo, &loaded.input, &roots)?;
        all.push(table::as_json(algo, loaded, &roots, &rows));
        if !shows_tables {
            continue;
        }
        let colours = say::colours_on_stdout();
        say::out(&table::render(&plan, algo, loaded, &roots, &rows, colours))?;
    }
    if let Some(file) = &mut json {
        let report = json!({
            "format": 1,
            "heist": VERSION,
            "optimised": !cfg!(debug_assertions),
            "date": sheet::date(),
            "command": sheet::command(),
            "machine": Machine::detect()?,
            "rounds": args.runs,
            "algorithms": all,
        });
        file.fill(&format!("{report:#}\n"))?;
    }
    if shows_tables {
        say::out(table::LEGEND)?;
    }
    Ok(())
}

fn default_threads() -> Vec<usize> {
    match cpus() {
        1 => vec![1],
        cpus => vec![1, cpus],
    }
}

/// Returns the algorithms with these names. `all` stands for all algorithms that suit the given
/// input, or the built-in inputs.
fn algos(names: &[String], one_input: bool) -> Result<Vec<Algo>, Failure> {
    let mut algos = Vec::new();
    for name in names {
        if name == "all" {
            let fits = |algo: &Algo| !(one_input && algo.needs_program());
            return Ok(Algo::ALL.iter().copied().filter(fits).collect());
        }
        let Ok(algo) = name.parse::<Algo>() else {
            let known = || Algo::ALL.iter().map(|algo| algo.name());
            return Err(unknown("--algo", "algorithm", name, known()));
        };
        if !algos.contains(&algo) {
            algos.push(algo);
        }
    }
    Ok(algos)
}

/// Returns the deques with these names and the baseline, in the order of the tables.
pub(crate) fn entrants(names: &[String]) -> Result<Vec<&'static Entrant>, Failure> {
    for name in names {
        if name != "all" && Entrant::find(name).is_none() {
            let known = ENTRANTS.iter().map(|entrant| entrant.name);
            return Err(unknown("--deque", "deque", name, known));
        }
    }
    let wanted = |entrant: &&Entrant| {
        entrant.name == ENTRANTS[0].name
            || names
                .iter()
                .any(|name| name == "all" || name == entrant.name)
    };
    Ok(ENTRANTS.iter().filter(wanted).collect())
}

/// Returns a file's name as text for output.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
