//! `heist report` puts earlier results on one page.

mod args;
mod bench;
mod facts;
pub(crate) mod html;
mod page;
mod read;

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::outfile;
use crate::say;

pub(crate) use args::Report;

/// The folder in which the command searches for results by default.
const RESULTS: &str = "results";
/// The depth of the search below that folder.
const MOST_DEPTH: usize = 8;

/// Reads the files and writes the page.
pub(crate) fn run(args: &Report) -> Result<(), Failure> {
    let files = if args.files.is_empty() {
        below(Path::new(RESULTS))?
    } else {
        args.files.clone()
    };
    let runs = files
        .iter()
        .map(|path| read::run(path))
        .collect::<Result<Vec<_>, _>>()?;
    if let Ok(out) = fs::canonicalize(&args.out)
        && files
            .iter()
            .any(|file| fs::canonicalize(file).is_ok_and(|file| file == out))
    {
        return Err(Failure::Request(format!(
            "--out: '{}' is one of the files to be read; name another",
            args.out.display()
        )));
    }
    let page = page::render(&runs)?;
    outfile::in_its_folder(&args.out)?.fill(&page)?;
    let charts: usize = runs.iter().map(|run| run.sheet.charts.len()).sum();
    say::out(&format!(
        "Wrote '{}': {} runs, {charts} charts.\n",
        args.out.display(),
        runs.len()
    ))
}

/// Returns all JSON files below a folder, sorted by name.
fn below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let advice = "name the files of `heist bench --json`, `heist figure` or a heap profile";
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| {
            Failure::Request(format!(
                "cannot look into the folder '{}': {error}; {advice}",
                folder.display()
            ))
        })?;
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            // Links are not followed, because they may form a cycle.
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) && depth < MOST_DEPTH {
                folders.push((path, depth + 1));
            } else if path.extension().is_some_and(|ending| ending == "json") {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(Failure::Request(format!(
            "there are no JSON files below '{}'; {advice}",
            folder.display()
        )));
    }
    files.sort();
    Ok(files)
}
