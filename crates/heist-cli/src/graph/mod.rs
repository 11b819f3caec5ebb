//! `heist graph`: graph algorithms on worklists, a deque beside the other.

mod input;
mod measure;
mod table;

use std::path::Path;

use heist_suite::graphs::{Algo, ENTRANTS, Entrant};

use crate::args;
use crate::failure::Failure;
use crate::say;
use crate::select;

pub(crate) use input::a_root_in_each_component;
pub(crate) use measure::{Plan, Row, cpus, measure, pools};

/// Measures what was asked for.
pub(crate) fn run(args: &args::Graph) -> Result<(), Failure> {
    let deques = entrants(&args.deque)?;
    let algos = algos(&args.algo)?;
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
    let mut told = String::new();
    let mut before: Option<input::Loaded> = None;
    for algo in algos {
        // The same file is not read twice for two algorithms that need the same of it.
        let loaded = match before.take().filter(|loaded| loaded.fits(algo)) {
            Some(loaded) => loaded,
            None => input::load(args.input.as_deref(), algo)?,
        };
        let roots = loaded.roots(algo, &args.root)?;
        let rows = measure(&plan, &pools, algo, &loaded.input, &roots)?;
        told.push_str(&table::render(
            &plan,
            algo,
            &loaded,
            &roots,
            &rows,
            say::colours_on_stdout(),
        ));
        before = Some(loaded);
    }
    say::out(&told)
}

fn default_threads() -> Vec<usize> {
    match cpus() {
        1 => vec![1],
        cpus => vec![1, cpus],
    }
}

fn algos(names: &[String]) -> Result<Vec<Algo>, Failure> {
    let mut algos = Vec::new();
    for name in names {
        if name == "all" {
            return Ok(Algo::ALL.to_vec());
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

/// The deques of these names, in the order of the tables, with the one they are compared with.
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

fn unknown(
    option: &str,
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Failure {
    let hint = match select::nearest(name, known.clone()) {
        Some(near) => format!("did you mean {near}? "),
        None => String::new(),
    };
    let known: Vec<&str> = known.collect();
    Failure::Request(format!(
        "{option}: there is no {kind} '{}'; {hint}choose from all, {}",
        name.escape_debug(),
        known.join(", ")
    ))
}

/// A file's name, for people.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
