//! The files of a program: as given, or from a list of them.
//!
//! A list (`.mlb`) names files, one after the other, relative to itself; lists may name lists. Comments are those of SML.
//! `local ... in ... end` and `ann "..." in ... end` are taken for what is in them, and names of libraries (`$(SML_LIB)/...`,
//! `$basis`) are skipped: the Basis is always there. So are `structure A and B`, `signature S` and `functor F`, which let names
//! out of a `local`: all names of a file are visible behind it. A file that is named twice is compiled once.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reason why there is no list of files.
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
        add(path, &mut files, &mut seen, &mut Vec::new())?;
    }
    Ok(files)
}

/// Adds a file, or what a list names. `around`: the lists that are being read, and what they are in truth.
fn add(
    path: &Path,
    files: &mut Vec<PathBuf>,
    seen: &mut HashSet<PathBuf>,
    around: &mut Vec<(PathBuf, PathBuf)>,
) -> Result<(), Unusable> {
    let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if let Some(first) = around.iter().position(|list| list.1 == identity) {
        let way: Vec<String> = around[first..]
            .iter()
            .map(|list| list.0.display().to_string())
            .collect();
        return Err(Unusable(format!(
            "{}: this list includes itself{}",
            way[0],
            if way.len() > 1 {
                format!(", by way of {}", way[1..].join(", "))
            } else {
                String::new()
            }
        )));
    }
    if !seen.insert(identity.clone()) {
        return Ok(());
    }
    if path.extension().is_none_or(|extension| extension != "mlb") {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let text = read(path)?;
    let text = String::from_utf8_lossy(&text);
    let folder = path.parent().unwrap_or(Path::new(""));
    let unusable = |what: &str| Unusable(format!("{}: {what}", path.display()));
    let words = words(&text).map_err(&unusable)?;
    let mut words = words.iter().map(String::as_str).peekable();
    around.push((path.to_path_buf(), identity));
    let mut annotation = false;
    while let Some(word) = words.next() {
        match word {
            kind @ ("structure" | "signature" | "functor") => loop {
                let Some(name) = words.next() else {
                    return Err(unusable(&format!("a name must follow `{kind}`")));
                };
                if words.next_if_eq(&"=").is_some() && words.next() != Some(name) {
                    return Err(unusable(&format!(
                        "`{kind} {name} = ...` is not supported in lists of files: rename it in a file of its own"
                    )));
                }
                if words.next_if_eq(&"and").is_none() {
                    break;
                }
            },
            "ann" => annotation = true,
            "in" => annotation = false,
            "local" | "end" | ";" => {}
            "open" | "basis" | "bas" | "let" | "and" | "=" => {
                return Err(unusable(&format!(
                    "`{word}` is not supported in lists of files: name the files in order"
                )));
            }
            _ if annotation || word.starts_with('$') => {}
            name => add(&folder.join(name.trim_matches('"')), files, seen, around)?,
        }
    }
    around.pop();
    Ok(())
}

/// In place of a file: the program is read from the standard input.
pub const STANDARD_INPUT: &str = "-";

/// The bytes of a file, or of the standard input.
///
/// # Errors
///
/// If it cannot be read, in words for the user.
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
    fn lists_may_say_which_names_they_let_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("x.mlb");
        let text =
            "local a.sml in structure X and Y = Y signature S functor F and G b.sml end c.sml";
        std::fs::write(&list, text).expect("written");
        let files = expand(std::slice::from_ref(&list)).expect("a list");
        let at = |name: &str| folder.path().join(name);
        assert_eq!(files, [at("a.sml"), at("b.sml"), at("c.sml")]);
        for (text, why) in [
            ("a.sml structure X = Y", "`structure X = ...`"),
            ("a.sml structure", "a name must follow `structure`"),
            ("a.sml structure X and", "a name must follow `structure`"),
        ] {
            std::fs::write(&list, text).expect("written");
            let Err(Unusable(said)) = expand(std::slice::from_ref(&list)) else {
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
        let Err(Unusable(why)) = expand(&[at("self.mlb")]) else {
            panic!("accepted")
        };
        assert!(
            why.ends_with("self.mlb: this list includes itself"),
            "{why}"
        );
        let Err(Unusable(why)) = expand(&[at("one.mlb")]) else {
            panic!("accepted")
        };
        assert!(
            why.contains("one.mlb: this list includes itself, by way of"),
            "{why}"
        );
        assert!(why.ends_with("two.mlb"), "{why}");
        let files = expand(&[at("diamond.mlb")]).expect("a list");
        assert_eq!(files, [at("c.sml"), at("a.sml"), at("b.sml")]);
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
