//! The files of a program: as given, or from a list of them.
//!
//! A list (`.mlb`) names files, one after the other, relative to itself; lists may name lists. Comments are those of SML.
//! `local ... in ... end` and `ann "..." in ... end` are taken for what is in them, and names of libraries (`$(SML_LIB)/...`,
//! `$basis`) are skipped: the Basis is always there. A file that is named twice is compiled once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Why there is no list of files.
#[derive(Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

/// All source files of a program, in order.
///
/// # Errors
///
/// If a list cannot be read or says what is not supported.
pub fn expand(given: &[PathBuf]) -> Result<Vec<PathBuf>, Unusable> {
    let mut files = Vec::new();
    let mut seen = HashSet::new();
    for path in given {
        add(path, &mut files, &mut seen)?;
    }
    Ok(files)
}

/// Adds a file, or what a list names.
fn add(path: &Path, files: &mut Vec<PathBuf>, seen: &mut HashSet<PathBuf>) -> Result<(), Unusable> {
    let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if !seen.insert(identity) {
        return Ok(());
    }
    if path.extension().is_none_or(|extension| extension != "mlb") {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let text = read(path)?;
    let text = String::from_utf8_lossy(&text);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut annotation = false;
    for word in words(&text).map_err(|what| Unusable(format!("{}: {what}", path.display())))? {
        match word.as_str() {
            "ann" => annotation = true,
            "in" => annotation = false,
            "local" | "end" | ";" => {}
            "open" | "basis" | "bas" | "let" | "and" | "=" | "structure" | "signature"
            | "functor" => {
                let list = path.display();
                return Err(Unusable(format!(
                    "{list}: `{word}` is not supported in lists of files: name the files in order"
                )));
            }
            _ if annotation || word.starts_with('$') => {}
            name => add(&folder.join(name.trim_matches('"')), files, seen)?,
        }
    }
    Ok(())
}

/// The bytes of a file.
///
/// # Errors
///
/// If it cannot be read, in words for the user.
pub fn read(path: &Path) -> Result<Vec<u8>, Unusable> {
    std::fs::read(path)
        .map_err(|error| Unusable(format!("cannot read {}: {error}", path.display())))
}

/// The words of a list, comments left out.
fn words(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut depth = 0usize;
    let mut rest = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = rest.next() {
        if !quoted && c == '(' && rest.peek() == Some(&'*') {
            rest.next();
            depth += 1;
        } else if !quoted && depth > 0 {
            if c == '*' && rest.peek() == Some(&')') {
                rest.next();
                depth -= 1;
            }
        } else if !quoted && (c.is_whitespace() || c == ';') {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            quoted ^= c == '"';
            word.push(c);
        }
    }
    if depth > 0 {
        return Err("a comment does not end");
    }
    if quoted {
        return Err("a quoted name does not end");
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
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
        let files = expand(&[at("main.mlb")]).expect("a list");
        assert_eq!(files, [at("lib/a.sml"), at("lib/b.sml"), at("c.sml")]);
    }

    #[test]
    fn lists_say_what_they_cannot() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("x.mlb");
        std::fs::write(&list, "basis b = bas a.sml end").expect("written");
        let Err(Unusable(why)) = expand(std::slice::from_ref(&list)) else {
            panic!("accepted")
        };
        assert!(why.contains("not supported"), "{why}");
        let missing = folder.path().join("missing.mlb");
        let Err(Unusable(why)) = expand(&[missing]) else {
            panic!("accepted")
        };
        assert!(why.starts_with("cannot read"), "{why}");
    }
}
