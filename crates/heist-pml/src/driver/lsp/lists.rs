//! Finds the list of files (`.mlb`) to which a document belongs.

use std::path::{Path, PathBuf};

use super::super::files::{expand, identity};
use super::analyser::Program;

/// The places in which lists are searched.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The folders that the editor shows.
    pub(super) roots: Vec<PathBuf>,
    /// The lists that the user has named; if there are some, no others are searched.
    pub(super) lists: Vec<PathBuf>,
    /// The path variables of lists.
    pub(super) variables: Vec<(String, String)>,
}

impl Search {
    /// Returns the program of a file: that of the first list that names the file, in its folder or in the nearest one above, up to
    /// the folder that the editor shows. Lists of a folder are tried in the order of their names.
    pub(super) fn program(&self, path: &Path) -> Program {
        let wanted = identity(path);
        let names = |list: &PathBuf| {
            let files = expand(std::slice::from_ref(list), &self.variables);
            files.is_ok_and(|files| files.iter().any(|file| identity(file) == wanted))
        };
        let found = if self.lists.is_empty() {
            self.folders(&wanted)
                .into_iter()
                .find_map(|folder| lists_in(&folder).into_iter().find(|list| names(list)))
        } else {
            self.lists.iter().find(|list| names(list)).cloned()
        };
        match found {
            Some(list) => Program::List(list),
            None => Program::Alone(path.to_path_buf()),
        }
    }

    /// Returns the folders to search.
    fn folders(&self, file: &Path) -> Vec<PathBuf> {
        let Some(own) = file.parent().filter(|own| own.is_dir()) else {
            return Vec::new();
        };
        let roots: Vec<PathBuf> = self.roots.iter().map(|root| identity(root)).collect();
        let mut folders = vec![own.to_path_buf()];
        let above = own.ancestors().skip(1);
        folders.extend(
            above
                .take_while(|folder| roots.iter().any(|root| folder.starts_with(root)))
                .map(Path::to_path_buf),
        );
        folders
    }
}

/// Returns the lists in a folder.
fn lists_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut lists: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_list(path))
        .collect();
    lists.sort();
    lists
}

/// Returns true if a path is the name of a list.
pub(super) fn is_list(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "mlb")
}
