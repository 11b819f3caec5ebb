//! Parsers for values of options. If a value is wrong, its parser returns an error of one line that shows the expected form.

use heist_suite::{Contender, Size};

use crate::contender;
use crate::select;

/// The maximum number of threads. A greater number is probably a typing error, because we know of no machine with so many CPUs.
const MOST_THREADS: usize = 1024;
/// The maximum number of rounds. A measurement of more rounds would take too long.
const MOST_RUNS: usize = 100_000;

/// The maximum number of events. No viewer shows more events.
const MOST_EVENTS: usize = 1 << 26;

/// Thread counts in the given order, each once. `Threads` is a separate type, because clap reads a `Vec` as a repeated option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Threads(pub(crate) Vec<usize>);

/// The contenders that the user names after `--vs`, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rivals(pub(crate) Vec<Contender>);

pub(crate) fn threads(list: &str) -> Result<Threads, String> {
    let mut counts = Vec::new();
    for item in list.split(',') {
        match item.trim().parse::<usize>() {
            Ok(n) if (1..=MOST_THREADS).contains(&n) => {
                if !counts.contains(&n) {
                    counts.push(n);
                }
            }
            _ => {
                return Err(format!(
                    "'{}' is not a thread count; give whole numbers from 1 to {MOST_THREADS} with commas between, like 1,2,4",
                    item.trim()
                ));
            }
        }
    }
    Ok(Threads(counts))
}

pub(crate) fn one_thread_count(word: &str) -> Result<usize, String> {
    match threads(word)?.0[..] {
        [one] => Ok(one),
        _ => Err("give one number of threads".to_owned()),
    }
}

pub(crate) fn events(word: &str) -> Result<usize, String> {
    match word.parse::<usize>() {
        Ok(n) if (1..=MOST_EVENTS).contains(&n) => Ok(n),
        _ => Err(format!(
            "give a whole number of events from 1 to {MOST_EVENTS}"
        )),
    }
}

pub(crate) fn size(word: &str) -> Result<Size, String> {
    match word {
        "quick" => Ok(Size::Quick),
        "paper" => Ok(Size::Paper),
        _ => match word.parse::<u64>() {
            Ok(n) if n > 0 => Ok(Size::N(n)),
            _ => Err("give quick, paper or a whole number from 1".to_owned()),
        },
    }
}

pub(crate) fn runs(word: &str) -> Result<usize, String> {
    match word.parse::<usize>() {
        Ok(n) if (1..=MOST_RUNS).contains(&n) => Ok(n),
        _ => Err(format!(
            "give a whole number of rounds from 1 to {MOST_RUNS}"
        )),
    }
}

fn contender(word: &str, among: impl Fn(Contender) -> bool) -> Result<Contender, String> {
    let names = || {
        Contender::all()
            .filter(|&who| among(who))
            .map(contender::name)
    };
    if let Some(who) = contender::from_name(word).filter(|&who| among(who)) {
        return Ok(who);
    }
    let hint = match select::nearest(word, names()) {
        Some(near) => format!("did you mean {near}? "),
        None => String::new(),
    };
    let more = if heist_suite::STUDY {
        ""
    } else {
        "; other steal protocols need a build with `--features study`"
    };
    Err(format!(
        "there is no contender '{word}'; {hint}choose from {}{more}",
        names().collect::<Vec<_>>().join(", ")
    ))
}

/// Parses the name of a contender that is a variant of Heist.
pub(crate) fn own(word: &str) -> Result<Contender, String> {
    contender(word, contender::is_heist)
        .map_err(|error| error.replacen("no contender", "no contender of Heist's", 1))
}

pub(crate) fn rivals(list: &str) -> Result<Rivals, String> {
    let mut rivals = Vec::new();
    for item in list.split(',').map(str::trim) {
        let who = contender(item, |_| true)?;
        if !rivals.contains(&who) {
            rivals.push(who);
        }
    }
    Ok(Rivals(rivals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_lists() {
        assert_eq!(threads("1"), Ok(Threads(vec![1])));
        assert_eq!(threads("4, 1,4"), Ok(Threads(vec![4, 1])));
        for (bad, culprit) in [
            ("0", "'0'"),
            ("-1", "'-1'"),
            ("999999", "'999999'"),
            ("1,,2", "''"),
            ("", "''"),
            ("1,x", "'x'"),
            ("1,", "''"),
        ] {
            let error = threads(bad).unwrap_err();
            assert!(error.starts_with(culprit), "{bad}: {error}");
        }
        assert!(threads("18446744073709551616").is_err());
    }

    #[test]
    fn sizes() {
        assert!(matches!(size("quick"), Ok(Size::Quick)));
        assert!(matches!(size("paper"), Ok(Size::Paper)));
        assert!(matches!(size("7"), Ok(Size::N(7))));
        for bad in ["0", "-3", "", "big", "1.5"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn round_counts() {
        assert_eq!(runs("1"), Ok(1));
        for bad in ["0", "-1", "", "many", "100001"] {
            assert!(runs(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rival_lists() {
        assert_eq!(
            rivals("rayon, serial,rayon"),
            Ok(Rivals(vec![Contender::Rayon, Contender::Serial]))
        );
        let error = rivals("serial,rayn").unwrap_err();
        assert!(
            error.contains("'rayn'") && error.contains("did you mean rayon?"),
            "{error}"
        );
        assert!(rivals("").is_err());
    }

    #[test]
    fn contenders_of_ones_own() {
        assert_eq!(own("heist-adaptive"), Ok(Contender::HeistAdaptive));
        let error = own("rayon").unwrap_err();
        assert!(
            error.contains("'rayon'") && !error.contains(", rayon"),
            "{error}"
        );
        let error = own("heist-stop-victm").unwrap_err();
        let part = if heist_suite::STUDY {
            "did you mean heist-stop-victim?"
        } else {
            "--features study"
        };
        assert!(error.contains(part), "{error}");
    }
}
