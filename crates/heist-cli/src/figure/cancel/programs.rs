//! Runs of the programs of Parallel ML, each in a separate process.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Plan, SEARCH, Sample};
use crate::failure::Failure;

const FIB: &str = include_str!("fib.pml");
const QUEENS: &str = include_str!("queens.pml");

/// A folder that is removed when this value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Relaxed is enough, because the number only has to be unique.
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heist-cancel-{}-{next}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| {
            Failure::Request(format!("cannot write to {}: {error}", path.display()))
        })?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // No file of the folder is needed later, so an error does not matter.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program, and returns the numbers in each line that it prints. `workers` is `None` for sequential code.
fn run(
    name: &str,
    text: &str,
    workers: Option<usize>,
    arguments: &[String],
) -> Result<Vec<Vec<f64>>, Failure> {
    let failed = |why: String| Failure::Request(format!("{name}: {why}"));
    let folder = Folder::new()?;
    let source = folder.0.join(name);
    std::fs::write(&source, text).map_err(|error| failed(error.to_string()))?;
    let itself = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(itself);
    command.args(["run", "--dialect", "manticore"]);
    match workers {
        Some(workers) => command.args(["--workers", &workers.to_string()]),
        None => command.arg("--sequential"),
    };
    let done = command
        .arg(&source)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(failed(format!("{}: {said}", done.status)));
    }
    let text = String::from_utf8_lossy(&done.stdout);
    numbers(&text).ok_or_else(|| Failure::WrongResult(format!("{name} printed {}", text.trim())))
}

fn numbers(text: &str) -> Option<Vec<Vec<f64>>> {
    let line = |line: &str| line.split(' ').map(|word| word.parse().ok()).collect();
    text.lines().map(line).collect()
}

/// Returns the lines without the first line, which belongs to the warm-up. Fails if the program did not print a line for each round, or if
/// a line has more or fewer numbers than expected.
fn counted(
    name: &str,
    lines: Vec<Vec<f64>>,
    runs: usize,
    columns: usize,
) -> Result<Vec<Vec<f64>>, Failure> {
    if lines.len() != runs + 1 || lines.iter().any(|line| line.len() != columns) {
        let count = lines.len();
        return Err(Failure::WrongResult(format!(
            "{name} printed {count} lines for {runs} rounds"
        )));
    }
    Ok(lines.into_iter().skip(1).collect())
}

/// Returns the seconds of each round. The first list has the rounds without cancellation, and the second list has the rounds with
/// cancellation. If `workers` is `None`, the only list has the rounds of sequential code.
pub(super) fn fib(plan: &Plan, workers: Option<usize>) -> Result<Vec<Vec<f64>>, Failure> {
    let (how, columns) = match workers {
        Some(_) => ("both", 2),
        None => ("plain", 1),
    };
    let arguments = [
        plan.n.to_string(),
        (plan.runs + 1).to_string(),
        how.to_owned(),
    ];
    let mut lines = counted(
        "fib.pml",
        run("fib.pml", FIB, workers, &arguments)?,
        plan.runs,
        columns,
    )?;
    for time in lines.iter_mut().flatten() {
        // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
        *time = time.max(0.5) * 1e-6;
    }
    Ok(lines)
}

/// Returns the result of each round.
pub(super) fn queens(plan: &Plan, workers: usize) -> Result<Vec<Sample>, Failure> {
    let arguments = [
        plan.n.to_string(),
        (plan.runs + 1).to_string(),
        SEARCH.as_micros().to_string(),
    ];
    let lines = counted(
        "queens.pml",
        run("queens.pml", QUEENS, Some(workers), &arguments)?,
        plan.runs,
        2,
    )?;
    let sample = |line: Vec<f64>| Sample {
        seconds: line[0] * 1e-6,
        tasks: line[1],
    };
    Ok(lines.into_iter().map(sample).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_results() {
        assert_eq!(
            numbers("3 4\n5 6\n"),
            Some(vec![vec![3.0, 4.0], vec![5.0, 6.0]])
        );
        assert_eq!(numbers("wrong 3\n"), None);
        assert_eq!(numbers(""), Some(Vec::new()));
    }

    #[test]
    fn a_line_for_each_round_and_one_before() {
        let lines = || vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        assert_eq!(counted("p", lines(), 1, 2).unwrap(), [[3.0, 4.0]]);
        assert!(counted("p", lines(), 2, 2).is_err());
        assert!(counted("p", lines(), 1, 1).is_err());
    }
}
