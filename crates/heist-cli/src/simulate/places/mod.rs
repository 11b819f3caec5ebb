//! `heist simulate places` simulates places that balance a tree over a network.

mod args;
mod table;
mod units;

use heist_sim::{Cluster, Growth, Kind, PlaceCosts, PlacesOutcome, Tree, simulate_places};
use heist_suite::UtsNode;
use serde_json::json;

use super::args::named;
use super::costs;
use super::open;
use crate::failure::Failure;
use crate::outfile;
use crate::progress::Progress;
use crate::say;
use crate::select::nearest;
use crate::sheet;

pub(crate) use args::Places;

/// One simulated run.
struct Run {
    growth: (&'static str, Growth),
    places: usize,
    outcome: PlacesOutcome,
}

impl Run {
    fn seconds(&self) -> f64 {
        self.outcome.time as f64 * 1e-12
    }

    /// Returns the least and the greatest number of nodes that a place visited.
    fn extremes(&self) -> (u64, u64) {
        let nodes = || self.outcome.places.iter().map(|place| place.nodes);
        (nodes().min().unwrap_or(0), nodes().max().unwrap_or(0))
    }
}

/// Values that are the same for all simulated runs.
struct Subject<'a> {
    args: &'a Places,
    costs: PlaceCosts,
    nodes: u64,
    /// The time in which one worker would visit all nodes, in seconds, if only visits took time.
    serial: f64,
}

/// Grows the tree, and simulates the places that visit it.
pub(super) fn run(args: &Places) -> Result<(), Failure> {
    let growths = named("--growth", "growth", &args.growth, &Growth::ALL)?;
    let mut costs: PlaceCosts = costs::load(args.costs.as_deref())?;
    if let Some(node) = args.node {
        costs.node = node;
    }
    let cluster = |places, growth| Cluster {
        latency: args.latency,
        bandwidth: args.bandwidth,
        growth,
        costs: costs.clone(),
        ..Cluster::new(places, args.workers)
    };
    let refused = |error| Failure::Request(format!("no such places: {error}"));
    // All options are checked before the tree grows.
    for &places in &args.places.0 {
        let leaf = Tree::grow((), |()| 0, |(), _| ());
        simulate_places(&leaf, &cluster(places, Growth::Any), 0).map_err(refused)?;
    }
    let root = match UtsNode::root(&args.tree, args.size) {
        None => return Err(no_tree(&args.tree)),
        Some(root) => {
            root.map_err(|error| Failure::Request(format!("--size: {}: {error}", args.tree)))?
        }
    };
    let mut json = open("--json", args.json.as_deref())?;
    let tree = Tree::grow(root, UtsNode::children, UtsNode::child);
    let mut runs = Vec::new();
    let progress = Progress::new(growths.len() * args.places.0.len());
    for growth in growths {
        for &places in &args.places.0 {
            progress.running(&args.tree, growth.0, places);
            let outcome =
                simulate_places(&tree, &cluster(places, growth.1), args.seed).map_err(refused)?;
            runs.push(Run {
                growth,
                places,
                outcome,
            });
        }
    }
    drop(progress);
    let subject = Subject {
        args,
        nodes: tree.nodes(),
        serial: tree.nodes() as f64 * costs.node * 1e-9,
        costs,
    };
    if !outfile::is_standard_output(args.json.as_deref()) {
        say::out(&table::render(&subject, &runs, say::colours_on_stdout()))?;
    }
    if let Some(file) = &mut json {
        let serde_json::Value::Object(all) = as_json(&subject, &runs) else {
            unreachable!("an object")
        };
        let machine = crate::machine::Machine::detect()?;
        let sheet = table::sheet(&subject, &runs);
        file.fill(&sheet::render("simulate", &machine, &sheet, all)?)?;
    }
    Ok(())
}

fn no_tree(name: &str) -> Failure {
    let trees = UtsNode::TREES;
    let hint = match nearest(name, trees.into_iter()) {
        Some(near) => format!("did you mean {near}? "),
        None => String::new(),
    };
    Failure::Request(format!(
        "--tree: there is no tree '{}'; {hint}choose from {}",
        name.escape_debug(),
        trees.join(", ")
    ))
}

fn as_json(subject: &Subject, runs: &[Run]) -> serde_json::Value {
    let seconds = |time: u64| time as f64 * 1e-12;
    let runs: Vec<_> = runs
        .iter()
        .map(|run| {
            let outcome = &run.outcome;
            let total = |of: fn(&heist_sim::PlaceUse) -> u64| {
                seconds(outcome.places.iter().map(of).sum::<u64>())
            };
            let messages: serde_json::Map<String, serde_json::Value> = Kind::ALL
                .iter()
                .map(|&kind| (kind.name().to_owned(), outcome.count(kind).into()))
                .collect();
            let nodes: Vec<u64> = outcome.places.iter().map(|place| place.nodes).collect();
            json!({
                "growth": run.growth.0,
                "places": run.places,
                "seconds": run.seconds(),
                "speedup": subject.serial / run.seconds(),
                "utilisation": outcome.utilisation(),
                "busy": total(|place| place.busy),
                "lost": total(|place| place.lost),
                "progress": total(|place| place.progress),
                "messages": messages,
                "bytes": outcome.bytes,
                "random_gifts": outcome.random_gifts,
                "lifeline_gifts": outcome.lifeline_gifts,
                "inner": outcome.inner,
                "empty": outcome.empty,
                "hunger_median": outcome.hunger.quantile(0.5).map(seconds),
                "hunger_99": outcome.hunger.quantile(0.99).map(seconds),
                "nodes": nodes,
            })
        })
        .collect();
    json!({
        "format": 1,
        "heist": env!("CARGO_PKG_VERSION"),
        "optimised": !cfg!(debug_assertions),
        "tree": subject.args.tree,
        "nodes": subject.nodes,
        "workers": subject.args.workers,
        "latency_ns": subject.args.latency,
        // JSON has no infinity.
        "bandwidth": subject.args.bandwidth.is_finite().then_some(subject.args.bandwidth),
        "seed": subject.args.seed,
        "costs_ns": costs::as_json(&subject.costs),
        "serial": subject.serial,
        "runs": runs,
    })
}
