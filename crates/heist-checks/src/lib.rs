//! Counts instructions with valgrind. Valgrind counts the same number of instructions in each run, so a check can compare counts exactly.

use std::process::Command;

/// Runs the current program under callgrind with the arguments `run`, `name` and `count`, and returns the number of instructions.
///
/// # Errors
/// Returns an error if valgrind cannot be started, or reports no count.
///
/// ```no_run
/// // The difference of two runs has no start-up in it.
/// let (small, large) = (heist_checks::instructions("fib", 18)?, heist_checks::instructions("fib", 24)?);
/// println!("{}", large - small);
/// # Ok::<(), String>(())
/// ```
pub fn instructions(name: &str, count: u64) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args(["run", name, &count.to_string()])
        .output()
        .map_err(|error| format!("valgrind could not be started ({error}); install it"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines()
        .find_map(|line| line.split("refs:").nth(1))
        .and_then(|count| count.trim().replace(',', "").parse().ok())
        .ok_or_else(|| format!("valgrind reported no count: {text}"))
}
