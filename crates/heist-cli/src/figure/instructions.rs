//! Counts the instructions of an operation with valgrind. Unlike nanoseconds, instruction counts are the same in each run.

use std::process::{Command, Stdio};

use heist_suite::deques::{Deque, Solo, deques};

use crate::failure::Failure;
use crate::figure::args::DequeOperations;

/// The number of operations in the shorter of the two runs whose instructions are counted. Some deques free their buffers, and grow again
/// in each run. With this number of operations, the difference between the two runs contains a typical share of the cost of this growth.
const FEWER: usize = 20_000;
const MORE: usize = 100_000;

/// Returns the number of instructions of one operation of `workload`. This number is the difference in instructions between two runs,
/// divided by the difference in operations between these runs. So costs that are the same in both runs, such as the start of the program,
/// cancel out.
pub(super) fn per_operation(deque: &Deque, workload: Solo) -> Result<f64, String> {
    let fewer = counted(deque, workload, FEWER)?;
    let more = counted(deque, workload, MORE)?;
    Ok((more - fewer) / (MORE - FEWER) as f64)
}

/// Returns a message if a tool for counting instructions is missing.
pub(super) fn missing() -> Option<String> {
    let probe = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match probe {
        Ok(status) if status.success() => None,
        Ok(status) => Some(format!("valgrind does not start ({status})")),
        Err(error) => Some(format!("valgrind cannot be started ({error}); install it")),
    }
}

/// Returns the number of instructions of a run of this program with `items` operations.
fn counted(deque: &Deque, workload: Solo, items: usize) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args(["deque-operations", deque.name, workload.name()])
        .args([items.to_string(), MORE.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    count(&text)
        .filter(|_| output.status.success())
        .ok_or_else(|| format!("valgrind reported no count: {text}"))
}

/// Returns the number of instructions in the output of callgrind.
fn count(text: &str) -> Option<f64> {
    text.lines()
        .find_map(|line| line.split("refs:").nth(1))
        .and_then(|count| count.trim().replace(',', "").parse().ok())
}

/// Runs `heist deque-operations`: the operations whose instructions valgrind counts.
pub(crate) fn operate(args: &DequeOperations) -> Result<(), Failure> {
    let deque = deques().iter().find(|deque| deque.name == args.deque);
    let workload = Solo::ALL
        .into_iter()
        .find(|workload| workload.name() == args.workload);
    let (Some(deque), Some(workload)) = (deque, workload) else {
        return Err(Failure::Request(format!(
            "there is no deque '{}' or no workload '{}'",
            args.deque, args.workload
        )));
    };
    if args.items > args.most {
        return Err(Failure::Request(format!(
            "{} operations are more than the {} that the deque is made for",
            args.items, args.most
        )));
    }
    deque
        .solo(workload.depth(args.most))
        .operate(workload, args.items, args.most)
        .map_err(|wrong| {
            Failure::WrongResult(format!("{}, {}: {wrong}", deque.name, workload.name()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found() {
        let text = "==7== Events    : Ir\n==7== Collected : 81\n==7== I   refs:      1,234,567\n";
        assert_eq!(count(text), Some(1_234_567.0));
        assert_eq!(count("==7== error: no such file\n"), None);
    }
}
