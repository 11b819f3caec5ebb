//! Counts the words of all text files below a folder, and shows progress: a scope finds the files,
//! a parallel fold counts the words, and a thread prints the progress.
//!
//! ```text
//! cargo run --release -p heist --example word_count -- docs md
//! ```

use heist::par::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Collects the files with extension `extension`, in a task for each folder.
fn find<'s>(
    scope: &heist::Finish<'s>,
    folder: &Path,
    extension: &'s str,
    found: &'s Mutex<Vec<PathBuf>>,
) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return; // gone, or not ours to read
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            scope.spawn(move |scope| find(scope, &path, extension, found));
        } else if path.extension().is_some_and(|it| it == extension) {
            found.lock().unwrap().push(path);
        }
    }
}

/// Returns the words of the files below the folder, each with its number of occurrences. Increments
/// `done` after each file.
pub fn count(folder: &Path, extension: &str, done: &AtomicUsize) -> HashMap<String, usize> {
    let found = Mutex::new(Vec::new());
    heist::finish(|scope| find(scope, folder, extension, &found));
    let add = |counts: &mut HashMap<String, usize>, path: PathBuf| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        for word in text.split_whitespace() {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        done.fetch_add(1, Relaxed);
    };
    let merge = |a: &mut HashMap<String, usize>, b: HashMap<String, usize>| {
        for (word, count) in b {
            *a.entry(word).or_default() += count;
        }
    };
    let files = found.into_inner().unwrap().into_par();
    files.accumulate(HashMap::new, add, merge)
}

/// Runs the example.
pub fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let extension = arguments.next().unwrap_or_else(|| "md".to_owned());
    let (done, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let counts = std::thread::scope(|threads| {
        threads.spawn(|| {
            while !ended.load(Relaxed) {
                eprint!("\r{} files", done.load(Relaxed));
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let counts = count(Path::new(&folder), &extension, &done);
        ended.store(true, Relaxed);
        counts
    });
    eprintln!("\r{} files", done.load(Relaxed));
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.par_sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (word, count) in ranked.iter().take(10) {
        println!("{count:8} {word}");
    }
}
