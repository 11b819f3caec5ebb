//! Measurement of programs of Parallel ML in separate processes, in paired rounds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::Value;

use super::{Plan, Subject};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::stats::{median, paired_ratio};

/// The ways to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// `--sequential`
    Sequential,
    /// `--memory lazy`
    Lazy,
    /// `--memory eager-copying`, which the thesis calls eager
    Eager,
    /// `--memory flat`
    Flat,
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Way::Sequential => "sequential",
            Way::Lazy => "lazy",
            Way::Eager => "eager",
            Way::Flat => "flat",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Way::Sequential => &["--sequential"],
            Way::Lazy => &["--memory", "lazy"],
            Way::Eager => &["--memory", "eager-copying"],
            Way::Flat => &["--memory", "flat"],
        }
    }
}

/// The results of one run. Times are in seconds; times of collections are means over the workers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    pub(super) time: f64,
    pub(super) minor: f64,
    pub(super) promotion: f64,
    pub(super) global: f64,
    /// The number of allocated bytes.
    pub(super) allocated: f64,
    pub(super) promoted: f64,
    /// The number of misses of the last-level cache, in millions, if `perf` can count them.
    pub(super) misses: Option<f64>,
}

impl Sample {
    pub(super) fn collecting(&self) -> f64 {
        self.minor + self.promotion + self.global
    }
}

/// The runs of a program in one [`Way`] with one number of workers.
pub(super) struct Row {
    pub(super) subject: &'static Subject,
    pub(super) way: Way,
    pub(super) workers: usize,
    pub(super) samples: Vec<Sample>,
}

impl Row {
    pub(super) fn median(&self, value: impl Fn(&Sample) -> f64) -> f64 {
        let values: Vec<f64> = self.samples.iter().map(value).collect();
        median(&values).unwrap_or(0.0)
    }

    pub(super) fn seconds(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.time).collect()
    }

    /// For each round, divides the time of `base` by the time of this row. Returns the median of these ratios.
    pub(super) fn speed_up(&self, base: &Row) -> Option<f64> {
        paired_ratio(&base.seconds(), &self.seconds())
    }
}

/// Returns the row of a program, if it was measured.
pub(super) fn find<'a>(
    rows: &'a [Row],
    subject: &Subject,
    way: Way,
    workers: usize,
) -> Option<&'a Row> {
    rows.iter()
        .find(|row| row.subject.name == subject.name && row.way == way && row.workers == workers)
}

/// Runs all rounds, after one uncounted warm-up round. All runs of a program must print the same text.
pub(super) fn measure(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &subject in &plan.subjects {
        for &way in plan.ways() {
            let workers: &[usize] = match way {
                Way::Sequential => &[1],
                _ => &plan.workers,
            };
            rows.extend(workers.iter().map(|&workers| Row {
                subject,
                way,
                workers,
                samples: Vec::new(),
            }));
        }
    }
    let folder = std::env::temp_dir().join(format!("heist-promotion-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| {
        Failure::Request(format!("cannot write to {}: {error}", folder.display()))
    })?;
    let measured = rounds(plan, &mut rows, &folder);
    // No file of the folder is needed later, so an error does not matter.
    let _ = std::fs::remove_dir_all(&folder);
    measured.map(|()| rows)
}

fn rounds(plan: &Plan, rows: &mut [Row], folder: &Path) -> Result<(), Failure> {
    let mut outputs: Vec<(&str, Vec<u8>)> = Vec::new();
    let mut rng = StdRng::seed_from_u64(plan.seed);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let progress = Progress::new(rows.len() * (plan.runs + 1));
    for round in interrupt::rounds(plan.runs + 1) {
        order.shuffle(&mut rng);
        for &at in &order {
            let row = &mut rows[at];
            progress.running(row.subject.name, row.way.name(), row.workers);
            let (sample, output) = run(plan, row, folder)?;
            match outputs.iter().find(|(name, _)| *name == row.subject.name) {
                Some((_, before)) if *before != output => {
                    return Err(Failure::WrongResult(format!(
                        "{} ({}, {} workers) prints something else than before",
                        row.subject.name,
                        row.way.name(),
                        row.workers
                    )));
                }
                Some(_) => {}
                None => outputs.push((row.subject.name, output)),
            }
            if round > 0 {
                row.samples.push(sample);
            }
        }
    }
    progress.skip_to_program_end(rows.len() * (plan.runs + 1));
    Ok(())
}

fn run(plan: &Plan, row: &Row, folder: &Path) -> Result<(Sample, Vec<u8>), Failure> {
    let failed = |why: String| Failure::Request(format!("{}: {why}", row.subject.name));
    let itself = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let source = PathBuf::from("examples").join(format!("{}.pml", row.subject.name));
    if !source.exists() {
        return Err(Failure::Request(format!(
            "there is no {}: run this in Heist's repository",
            source.display()
        )));
    }
    let (stats, misses) = (folder.join("stats.json"), folder.join("misses.csv"));
    let mut command = if plan.counts {
        let mut perf = Command::new("perf");
        let events = "LLC-load-misses,LLC-store-misses";
        perf.args(["stat", "-x", ",", "-e", events, "-o"]);
        perf.arg(&misses).arg("--").arg(&itself);
        perf
    } else {
        Command::new(&itself)
    };
    command.arg("run").args(row.way.options());
    command.arg("--workers").arg(row.workers.to_string());
    command.arg("--stats-json").arg(&stats).arg(&source);
    command.args(row.subject.arguments(plan.size));
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(failed(format!("{}: {said}", done.status)));
    }
    let text = std::fs::read_to_string(&stats).map_err(|error| failed(error.to_string()))?;
    let stats: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let sum = |name: &str| -> f64 {
        let workers = stats["workers"].as_array().into_iter().flatten();
        workers.filter_map(|worker| worker[name].as_f64()).sum()
    };
    let each = |name: &str| sum(name) / row.workers as f64;
    let sample = Sample {
        time: stats["seconds"].as_f64().unwrap_or(0.0),
        minor: each("minor_s"),
        promotion: each("promotion_s"),
        global: each("global_s"),
        allocated: sum("allocated"),
        promoted: sum("promoted"),
        misses: plan.counts.then(|| counted(&misses)).flatten(),
    };
    Ok((sample, done.stdout))
}

/// Returns the sum of the counts in a file of `perf stat -x ,`, in millions, or `None` if some event was not counted.
fn counted(file: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let lines = text.lines().filter(|line| line.contains("LLC"));
    let counts: Option<Vec<f64>> = lines
        .map(|line| line.split(',').next()?.parse().ok())
        .collect();
    let counts = counts?;
    (!counts.is_empty()).then(|| counts.iter().sum::<f64>() / 1e6)
}

/// Returns true if this user can count misses of the last-level cache with `perf`.
pub(super) fn has_counters() -> bool {
    let file = std::env::temp_dir().join(format!("heist-perf-{}", std::process::id()));
    let events = "LLC-load-misses,LLC-store-misses";
    let done = Command::new("perf")
        .args(["stat", "-x", ",", "-e", events, "-o"])
        .arg(&file)
        .args(["--", "true"])
        .output();
    let has = done.is_ok_and(|done| done.status.success()) && counted(&file).is_some();
    // The file may not exist.
    let _ = std::fs::remove_file(&file);
    has
}
