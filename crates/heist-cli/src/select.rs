//! Selection of programs by name.

use heist_suite::{Program, programs};

use crate::failure::Failure;

/// Returns the programs with these names, in the given order and without duplicates. Without names, returns all programs.
pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Program>, Failure> {
    if names.is_empty() {
        return Ok(programs().to_vec());
    }
    let mut chosen: Vec<&'static Program> = Vec::new();
    for name in names {
        let Some(program) = programs().iter().find(|program| program.name == name) else {
            let hint = match nearest(name, programs().iter().map(|program| program.name)) {
                Some(near) => format!("did you mean {near}? "),
                None => String::new(),
            };
            return Err(Failure::Request(format!(
                "there is no program '{}'; {hint}`heist list` names them all",
                name.escape_debug()
            )));
        };
        if !chosen.iter().any(|already| already.name == program.name) {
            chosen.push(program);
        }
    }
    Ok(chosen)
}

/// Returns the name that is most similar to `word`, or `None` if no name is similar.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The minimum similarity of a suggestion. A less similar suggestion would be absurd ("zzz": did you mean fib?).
    const ALIKE: f64 = 0.7;
    let word = word.to_lowercase();
    names
        .map(|name| (strsim::jaro_winkler(&word, name), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// Returns the failure for an `option` whose value `name` is not one of the `known` values.
pub(crate) fn unknown(
    option: &str,
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Failure {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean {near}? "),
        None => String::new(),
    };
    let known: Vec<&str> = known.collect();
    Failure::Request(format!(
        "{option}: there is no {kind} '{}'; {hint}choose from all, {}",
        name.escape_debug(),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        let names = ["fib", "quicksort", "nqueens"];
        assert_eq!(nearest("fob", names.into_iter()), Some("fib"));
        assert_eq!(nearest("QuickSrt", names.into_iter()), Some("quicksort"));
        assert_eq!(nearest("zzz", names.into_iter()), None);
        assert_eq!(nearest("", names.into_iter()), None);
    }

    #[test]
    fn selection_keeps_order_and_drops_repeats() {
        let name = programs()[0].name.to_owned();
        let chosen = select(&[name.clone(), name.clone()]).unwrap();
        assert_eq!(chosen.len(), 1);
        assert_eq!(select(&[]).unwrap().len(), programs().len());
        assert!(select(&[name, "no such program".to_owned()]).is_err());
    }
}
