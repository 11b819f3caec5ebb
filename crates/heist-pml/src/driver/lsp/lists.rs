//! Finds the list of files (`.mlb`) that names a document.

use std::path::{Path, PathBuf};

use super::super::files::{expand, identity};
use super::analyser::Program;

/// The folders and lists in which the server searches for the list of a document.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The folders that the editor shows.
    pub(super) roots: Vec<PathBuf>,
    /// The lists that the user has named. If there are such lists, the search considers only these lists.
    pub(super) lists: Vec<PathBuf>,
    /// The path variables of lists.
    pub(super) variables: Vec<(String, String)>,
}

impl Search {
    /// Returns the program of a file: the program of the first list that names the file, or the file alone if no list names it. The search
    /// for lists begins in the file's folder and continues in the folders above it, up to the folder that the editor shows. The search
    /// tries the lists of a folder in the order of their names.
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

    /// Returns the folders in which to search for the list of a file.
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
