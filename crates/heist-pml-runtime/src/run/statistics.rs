//! Reports of the costs of a run.

use std::fmt::Write;

use crate::measure::stats::{Stats, mib};
use crate::state::worker::Worker;

/// Returns a readable report of the costs of a run: the totals, and a row for each worker if there are several.
#[must_use]
pub fn report(worker: &Worker) -> String {
    let each = by_worker(worker);
    let mut all = Stats::default();
    each.iter().for_each(|stats| all.add(stats));
    let mut text = format!(
        "{all}heap         {:10.1} MiB at most\n",
        mib(worker.peak() as u64)
    );
    if each.len() > 1 {
        let _ = writeln!(
            text,
            "forks        {:10} published, {} stolen",
            all.published, all.stolen
        );
        text += Stats::HEADER;
        for (at, stats) in each.iter().enumerate() {
            text += &stats.row(at + 1);
        }
    }
    text
}

/// Returns the costs of a run as JSON: the time in seconds since the world was made, the largest number of bytes of the heap, and each
/// worker's costs.
#[must_use]
pub fn json(worker: &Worker) -> String {
    let workers: Vec<String> = by_worker(worker).iter().map(Stats::json).collect();
    format!(
        "{{\"seconds\": {:.6}, \"heap\": {}, \"workers\": [\n{}\n]}}\n",
        worker.world().began.elapsed().as_secs_f64(),
        worker.peak(),
        workers.join(",\n")
    )
}

/// Returns the costs of each worker that has allocated.
fn by_worker(worker: &Worker) -> Vec<Stats> {
    let mut each = Vec::new();
    worker.world().each_worker(|worker| {
        // SAFETY: the program has ended, or its end is under way and `exit` has stopped all other workers.
        let stats = unsafe {
            let mut stats = (*worker).stats.clone();
            stats.allocated += ((*worker).alloc - (*worker).filled_from) as u64;
            stats
        };
        if stats.allocated > 0 || stats.minor > 0 {
            each.push(stats);
        }
    });
    each
}
