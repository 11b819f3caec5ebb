//! Finds and reads the files of a program. The caller or a list names these files.
//!
//! A list (`.mlb`, see [`super::mlb`]) names files and other lists. The paths in a list are relative to the folder of the list. Names of
//! libraries (`$(SML_LIB)/...`, `$basis`) refer to libraries that are always available. If several lists or arguments name the same file,
//! the compiler compiles it only once.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::mlb::{BasExp, Dec, Lists};

/// The reason why a list of files cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

/// Returns all source files of a program, in order.
///
/// # Errors
///
/// Returns an error if a list cannot be read or is not well formed.
pub fn expand(given: &[PathBuf], variables: &[(String, String)]) -> Result<Vec<PathBuf>, Unusable> {
    let mut lists = Lists::new(variables);
    let mut files = Vec::new();
    let mut seen = HashSet::new();
    for path in given {
        let dec = lists.path(path)?;
        add(&[dec], &mut files, &mut seen);
    }
    Ok(files)
}

/// Adds the files that the declarations of a list name.
fn add(decs: &[Dec], files: &mut Vec<PathBuf>, seen: &mut HashSet<PathBuf>) {
    for dec in decs {
        match dec {
            Dec::File(path, _) => {
                if seen.insert(identity(path)) {
                    files.push(path.clone());
                }
            }
            Dec::List(path, decs) => {
                if seen.insert(path.clone()) {
                    add(decs, files, seen);
                }
            }
            Dec::Local(inner, outer) => {
                add(inner, files, seen);
                add(outer, files, seen);
            }
            Dec::Basis(bases) => bases.iter().for_each(|it| add_basis(&it.1, files, seen)),
            Dec::Embedded(_) | Dec::Library(_) | Dec::Names(..) | Dec::Open(_) => {}
        }
    }
}

fn add_basis(exp: &BasExp, files: &mut Vec<PathBuf>, seen: &mut HashSet<PathBuf>) {
    match exp {
        BasExp::Bas(decs) => add(decs, files, seen),
        BasExp::Name(_) => {}
        BasExp::Let(decs, body) => {
            add(decs, files, seen);
            add_basis(body, files, seen);
        }
    }
}

/// Returns the canonical path of a file, which identifies the file.
pub fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The file name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Reads the bytes of a file or of standard input.
///
/// # Errors
///
/// Returns an error, in words for the user, if the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Unusable> {
    if path == Path::new(STANDARD_INPUT) {
        let mut text = Vec::new();
        return match std::io::stdin().lock().read_to_end(&mut text) {
            Ok(_) => Ok(text),
            Err(error) => Err(Unusable(format!("cannot read the standard input: {error}"))),
        };
    }
    std::fs::read(path)
        .map_err(|error| Unusable(format!("cannot read {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_files_relative_to_themselves_and_each_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("lib")).expect("a folder");
        std::fs::write(
            at("lib/all.mlb"),
            "(* the (* inner *) list *) $(SML_LIB)/basis/basis.mlb $basis/x.mlb local a.sml in b.sml end",
        )
        .expect("written");
        std::fs::write(
            at("main.mlb"),
            "lib/all.mlb ann \"allowFFI true\" in \"lib/b.sml\" c.sml; end",
        )
        .expect("written");
        let files = expand(&[at("main.mlb")], &[]).expect("a list");
        assert_eq!(files, [at("lib/a.sml"), at("lib/b.sml"), at("c.sml")]);
    }

    #[test]
    fn lists_may_say_which_names_they_let_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("x.mlb");
        let text =
            "local a.sml in structure X and Y = Y signature S functor F and G b.sml end c.sml";
        std::fs::write(&list, text).expect("written");
        let files = expand(std::slice::from_ref(&list), &[]).expect("a list");
        let at = |name: &str| folder.path().join(name);
        assert_eq!(files, [at("a.sml"), at("b.sml"), at("c.sml")]);
        for (text, why) in [
            ("local a.sml end", "`in` must follow"),
            ("a.sml end", "`end` has nothing to end"),
            ("$(NOWHERE)/a.sml", "`NOWHERE` has no value"),
            ("a.sml structure", "a name must follow `structure`"),
            ("a.sml structure X and", "a name must follow `structure`"),
        ] {
            std::fs::write(&list, text).expect("written");
            let Err(Unusable(said)) = expand(std::slice::from_ref(&list), &[]) else {
                panic!("accepted: {text}")
            };
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn lists_that_include_themselves_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("self.mlb"), "a.sml self.mlb").expect("written");
        std::fs::write(at("one.mlb"), "a.sml two.mlb").expect("written");
        std::fs::write(at("two.mlb"), "./one.mlb b.sml").expect("written");
        std::fs::write(at("diamond.mlb"), "a.mlb b.mlb").expect("written");
        std::fs::write(at("a.mlb"), "c.mlb a.sml").expect("written");
        std::fs::write(at("b.mlb"), "c.mlb b.sml").expect("written");
        std::fs::write(at("c.mlb"), "c.sml").expect("written");
        let Err(Unusable(why)) = expand(&[at("self.mlb")], &[]) else {
            panic!("accepted")
        };
        assert!(
            why.ends_with("self.mlb: this list includes itself"),
            "{why}"
        );
        let Err(Unusable(why)) = expand(&[at("one.mlb")], &[]) else {
            panic!("accepted")
        };
        assert!(
            why.contains("one.mlb: this list includes itself, by way of"),
            "{why}"
        );
        assert!(why.ends_with("two.mlb"), "{why}");
        let files = expand(&[at("diamond.mlb")], &[]).expect("a list");
        assert_eq!(files, [at("c.sml"), at("a.sml"), at("b.sml")]);
    }

    #[test]
    fn lists_that_cannot_be_expanded_are_refused_with_a_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("x.mlb");
        std::fs::write(&list, "basis = bas a.sml end").expect("written");
        let Err(Unusable(why)) = expand(std::slice::from_ref(&list), &[]) else {
            panic!("accepted")
        };
        assert!(why.contains("a name must follow `basis`"), "{why}");
        let missing = folder.path().join("missing.mlb");
        let Err(Unusable(why)) = expand(&[missing], &[]) else {
            panic!("accepted")
        };
        assert!(why.starts_with("cannot read"), "{why}");
    }
}
