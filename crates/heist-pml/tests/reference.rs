//! Runs the examples of the language reference, `docs/pml/`. The README of that folder describes how pages mark examples.
//!
//! Examples in Parallel ML run a second time, on three workers, with forks published at every poll.
//!
//! `cargo test -p heist-pml --test reference -- PAGE` runs the examples of some pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use heist_pml::driver::{self, Dialect, Settings};

/// The environment variable with the dialect for a process that runs one example.
const CHILD: &str = "HEIST_REFERENCE_CHILD";

/// The environment variable with the number of workers for a process that runs one example.
const WORKERS: &str = "HEIST_REFERENCE_WORKERS";

fn main() -> ExitCode {
    if let Ok(dialect) = std::env::var(CHILD) {
        child(&dialect);
    }
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let filters: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    planted();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pml");
    let mut pages: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of the reference")
        .map(|entry| entry.expect("a page").path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    let mut examples = Vec::new();
    let mut broken = Vec::new();
    for page in &pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(page).expect("a page is text");
        broken.extend(dead_links(&folder, &name, &text));
        if filters.is_empty() || filters.iter().any(|part| name.contains(part.as_str())) {
            examples.extend(extract(&name, &text));
        }
    }
    let again: Vec<Example> = examples
        .iter()
        .filter(|example| example.dialect == "pml")
        .map(|example| Example {
            publish: true,
            ..example.clone()
        })
        .collect();
    examples.extend(again);
    let mut failures = run_all(&examples);
    failures.extend(broken);
    for failure in &failures {
        println!("{failure}\n");
    }
    println!(
        "{} examples of {} pages, {} failed",
        examples.len(),
        pages.len(),
        failures.len()
    );
    if failures.is_empty() && !examples.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs the file that the arguments name, and ends the process.
fn child(dialect: &str) -> ! {
    let file = PathBuf::from(std::env::args().nth(1).expect("a file"));
    let settings = Settings {
        dialect: if dialect == "manticore" {
            Dialect::Manticore
        } else {
            Dialect::Auto
        },
        workers: std::env::var(WORKERS)
            .ok()
            .and_then(|workers| workers.parse().ok()),
        ..Settings::default()
    };
    std::process::exit(driver::run(&[file], &settings))
}

/// A program of a page, and the result of the program according to the page.
#[derive(Clone, Debug, Default)]
struct Example {
    /// Whether to run the program on three workers, with forks published at every poll.
    publish: bool,
    page: String,
    line: usize,
    /// The language of the program: `sml`, `pml` or `manticore`.
    dialect: String,
    text: String,
    /// The expected output, if the block after the program on the page shows it.
    output: Option<String>,
}

impl Example {
    /// Returns the value of a mark in the first line of the program. For the line `(* error: E0302 *)` and the word `error`, returns
    /// `E0302`.
    fn mark(&self, what: &str) -> Option<&str> {
        let line = self.text.lines().next()?;
        let rest = line.strip_prefix("(* ")?.strip_prefix(what)?;
        rest.strip_prefix(": ")?.strip_suffix(" *)")
    }
}

/// Returns the programs of a page, in order.
fn extract(page: &str, text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    // The kind of the open block, and the number of lines after the last program's block.
    let mut open: Option<String> = None;
    let mut apart = usize::MAX;
    for (at, line) in text.lines().enumerate() {
        if let Some(kind) = &open {
            if line == "```" {
                apart = if kind == "text" { usize::MAX } else { 0 };
                open = None;
            } else if let Some(example) = examples.last_mut() {
                let into = match kind.as_str() {
                    "sml" | "pml" | "manticore" => &mut example.text,
                    "text" if apart != usize::MAX => example.output.get_or_insert_default(),
                    _ => continue,
                };
                into.push_str(line);
                into.push('\n');
            }
        } else if let Some(kind) = line.strip_prefix("```") {
            match kind {
                "sml" | "pml" | "manticore" => examples.push(Example {
                    page: page.to_owned(),
                    line: at + 1,
                    dialect: kind.to_owned(),
                    ..Example::default()
                }),
                "text" => {}
                _ => apart = usize::MAX,
            }
            open = Some(kind.to_owned());
        } else if !line.trim().is_empty() {
            apart = usize::MAX;
        }
    }
    examples
}

/// Returns the links of a page to pages that do not exist.
fn dead_links(folder: &Path, page: &str, text: &str) -> Vec<String> {
    text.match_indices("](")
        .filter_map(|(at, _)| text[at + 2..].split_once(')'))
        .map(|(target, _)| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .filter(|target| !folder.join(target).exists())
        .map(|target| format!("{page}: a link to {target}, which is not there"))
        .collect()
}

fn run_all(examples: &[Example]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(example) = examples.get(index) else {
                        break;
                    };
                    let own = folder.path().join(index.to_string());
                    fs::create_dir(&own).expect("a folder");
                    if let Err(why) = run(example, &own) {
                        let text =
                            format!("{}:{}: {why}\n{}", example.page, example.line, example.text);
                        failures.lock().unwrap().push((index, text));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    failures.into_iter().map(|(_, text)| text).collect()
}

fn run(example: &Example, folder: &Path) -> Result<(), String> {
    let extension = if example.dialect == "sml" {
        "sml"
    } else {
        "pml"
    };
    let name = format!("program.{extension}");
    fs::write(folder.join(&name), &example.text).map_err(|error| error.to_string())?;
    let myself = std::env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new(myself)
        .arg(&name)
        .current_dir(folder)
        .env(CHILD, &example.dialect)
        .envs(
            if example.publish {
                &[(WORKERS, "3"), ("HEIST_PUBLISH", "1")][..]
            } else {
                &[]
            }
            .iter()
            .copied(),
        )
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let out = String::from_utf8_lossy(&done.stdout);
    let err = String::from_utf8_lossy(&done.stderr);
    let code = done.status.code();
    let same = |found: &str| {
        let expected = example.output.as_deref().unwrap_or("");
        let (expected_lines, found_lines) = (lines(expected), lines(found));
        let fits = match expected_lines.split_last() {
            // A last line `...` stands for the rest of the output.
            Some((&"...", first)) => !first.is_empty() && found_lines.starts_with(first),
            _ => expected_lines == found_lines,
        };
        if fits {
            Ok(())
        } else {
            Err(format!("expected\n{expected}\nfound\n{found}"))
        }
    };
    if let Some(wanted) = example.mark("error") {
        if code != Some(driver::REFUSED) || first_code(&err, "error[") != Some(wanted) {
            return Err(format!("not refused for {wanted}: {}\n{err}", done.status));
        }
        return if example.output.is_some() {
            same(&err)
        } else {
            Ok(())
        };
    }
    if let Some(wanted) = example.mark("exit") {
        if wanted.parse() != Ok(code.unwrap_or(-1)) {
            return Err(format!("{}, not {wanted}\n{err}", done.status));
        }
        // The page shows the output, and then the message about the end of the program.
        return same(&format!("{out}{err}"));
    }
    if code != Some(driver::ACCEPTED) {
        return Err(format!("{}\n{err}", done.status));
    }
    match example.mark("warning") {
        Some(wanted) if first_code(&err, "warning[") != Some(wanted) => {
            return Err(format!("no warning {wanted}:\n{err}"));
        }
        None if !err.is_empty() => return Err(format!("not silent:\n{err}")),
        _ => {}
    }
    same(&out)
}

/// Returns the lines of a text without the white space at their ends. A page cannot show such white
/// space.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

/// Returns the error code after the first occurrence of `before`, a text such as `error[`.
fn first_code<'a>(report: &'a str, before: &str) -> Option<&'a str> {
    let (_, rest) = report.split_once(before)?;
    Some(rest.split_once(']')?.0)
}

/// Checks the test itself: examples with wrong results must fail.
fn planted() {
    let page = "
```sml
val () = print \"right\\n\"
```

```text
right
```

```sml
val () = print \"right\\n\"
```
```text
wrong
```

```sml
val () = print \"unexpected\\n\"
```

```sml
(* error: E0302 *)
val x = 1
```

```sml
(* error: E0302 *)
val x = y
```

```sml
val x = y
```

```sml
(* warning: W0601 *)
fun f x = x
```

```sml
fun f 1 = 2
```

```sml
(* exit: 1 *)
val x = 1
```

```sml
(* error: E0311 *)
val x = y
```
```text
error[E0311]: something else
...
```
";
    let examples = extract("planted", page);
    let failed: Vec<String> = run_all(&examples)
        .iter()
        .map(|failure| failure.lines().next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(examples.len(), 10);
    assert_eq!(failed.len(), 9, "{failed:#?}");
    assert!(
        !failed[0].starts_with("planted:2:"),
        "the right one failed: {failed:#?}"
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let links = "[a](Cargo.toml) [b](https://example.org/x) [c](nothing.md#part)";
    assert_eq!(dead_links(folder, "planted", links).len(), 1);
}
