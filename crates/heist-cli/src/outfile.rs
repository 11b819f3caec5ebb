//! Files for results, which are opened before the measurement and filled after it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::interrupt;
use crate::say;

/// The word on the command line that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Returns true if `path` is standard output. If results go to standard output, the command writes no other text there.
pub(crate) fn is_standard_output(path: Option<&Path>) -> bool {
    path == Some(Path::new(STANDARD_OUTPUT))
}

/// A file for results, or standard output (`-`). The file keeps its old content until the results are written. If the file was created and
/// receives no results, it is deleted.
pub(crate) struct Outfile {
    path: PathBuf,
    /// The open file; `None` for standard output.
    file: Option<File>,
    created: bool,
    filled: bool,
}

impl Outfile {
    pub(crate) fn open(option: &str, path: &Path) -> Result<Outfile, Failure> {
        if is_standard_output(Some(path)) {
            return Ok(Outfile {
                path: path.to_owned(),
                file: None,
                created: false,
                filled: false,
            });
        }
        let created = !path.exists();
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| {
                Failure::Request(format!(
                    "{option} cannot write '{}': {error}; name a file in a folder you may write to",
                    path.display()
                ))
            })?;
        if created {
            interrupt::made(path);
        }
        Ok(Outfile {
            path: path.to_owned(),
            file: Some(file),
            created,
            filled: false,
        })
    }

    /// Replaces the file's content.
    pub(crate) fn fill(&mut self, text: &str) -> Result<(), Failure> {
        let Some(file) = &mut self.file else {
            return say::raw(text);
        };
        // Only regular files are truncated; a pipe or a device only receives the text.
        let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let emptied = if regular { file.set_len(0) } else { Ok(()) };
        emptied
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(|error| {
                Failure::Request(format!(
                    "cannot write '{}': {error}; the table above is all that is left of this run",
                    self.path.display()
                ))
            })?;
        self.filled = true;
        interrupt::settled(&self.path);
        Ok(())
    }
}

impl Drop for Outfile {
    fn drop(&mut self) {
        if self.created && !self.filled {
            // An empty file would look like a result, so it is removed. An error of the removal is ignored.
            let _ = fs::remove_file(&self.path);
            interrupt::settled(&self.path);
        }
    }
}

/// Makes the folder of `--out` if it is missing.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Request(format!(
            "--out cannot make the folder '{}': {error}; name another",
            folder.display()
        ))
    };
    if folder.as_os_str().is_empty() {
        return Err(failed(&"it has no name"));
    }
    // The folders that are missing, the innermost first.
    let missing: Vec<_> = folder
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    missing.into_iter().rev().for_each(interrupt::made);
    Ok(())
}

/// Opens files with these names in the folder of `--out`. Makes the folder if it is missing.
pub(crate) fn in_folder<const N: usize>(
    folder: &Path,
    names: [&str; N],
) -> Result<[Outfile; N], Failure> {
    Ok(all_in_folder(folder, names)?
        .try_into()
        .unwrap_or_else(|_| unreachable!("as many files as names")))
}

/// Opens any number of files in the folder of `--out`.
pub(crate) fn all_in_folder<'a>(
    folder: &Path,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<Outfile>, Failure> {
    make_folder(folder)?;
    let open = |name| Outfile::open("--out", &folder.join(name));
    names.into_iter().map(open).collect()
}

/// Opens the file of `--out`. Makes the file's folder if it is missing.
pub(crate) fn in_its_folder(path: &Path) -> Result<Outfile, Failure> {
    if let Some(folder) = path.parent()
        && !folder.as_os_str().is_empty()
    {
        make_folder(folder)?;
    }
    Outfile::open("--out", path)
}

/// Opens the files for `--json` and `--csv`.
pub(crate) fn pair(
    json: Option<&Path>,
    csv: Option<&Path>,
) -> Result<(Option<Outfile>, Option<Outfile>), Failure> {
    if is_standard_output(json) && is_standard_output(csv) {
        return Err(Failure::Request(
            "--json and --csv both name standard output; give one of them a file".to_owned(),
        ));
    }
    let json_file = json.map(|path| Outfile::open("--json", path)).transpose()?;
    // Both files exist when their paths are compared, so the comparison recognises two spellings of one path.
    let csv_file = csv.map(|path| Outfile::open("--csv", path)).transpose()?;
    if let (Some(json), Some(csv)) = (json, csv)
        && let (Ok(json), Ok(csv)) = (fs::canonicalize(json), fs::canonicalize(csv))
        && json == csv
        && json.is_file()
    {
        return Err(Failure::Request(format!(
            "--json and --csv both name '{}'; give each a file of its own",
            json.display()
        )));
    }
    Ok((json_file, csv_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_content_until_filled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        fs::write(&path, "an older and longer result").unwrap();
        drop(Outfile::open("--json", &path).unwrap());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "an older and longer result"
        );
        Outfile::open("--json", &path).unwrap().fill("new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_new_file_that_is_never_filled_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.json");
        drop(Outfile::open("--json", &path).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn one_file_cannot_hold_both() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("both");
        let other_spelling = folder.path().join(".").join("both");
        assert!(pair(Some(&path), Some(&other_spelling)).is_err());
        assert!(pair(Some(&path), Some(&folder.path().join("other"))).is_ok());
    }
}
