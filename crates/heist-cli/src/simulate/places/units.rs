//! Parsing of times and rates with units.

/// Splits a word into its number and its unit.
fn number(word: &str) -> Option<(f64, &str)> {
    let end = word
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(word.len());
    let (number, unit) = word.split_at(end);
    Some((number.parse().ok()?, unit.trim()))
}

/// Parses a time, and returns it in nanoseconds.
pub(super) fn duration(word: &str) -> Result<f64, String> {
    let scale = |unit: &str| match unit {
        "ns" => Some(1.0),
        "us" | "µs" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        _ => None,
    };
    number(word)
        .and_then(|(number, unit)| Some(number * scale(unit)?))
        .filter(|ns| *ns <= 1e9)
        .ok_or_else(|| {
            "give a time of at most a second with its unit, such as 500ns, 2us or 1ms".to_owned()
        })
}

/// Parses a rate, and returns it in bytes a second.
pub(super) fn bandwidth(word: &str) -> Result<f64, String> {
    if word == "inf" {
        return Ok(f64::INFINITY);
    }
    let scale = |unit: &str| match unit {
        "B/s" => Some(1.0),
        "kB/s" => Some(1e3),
        "MB/s" => Some(1e6),
        "GB/s" => Some(1e9),
        _ => None,
    };
    number(word)
        .and_then(|(number, unit)| Some(number * scale(unit)?))
        .filter(|rate| *rate >= 1.0)
        .ok_or_else(|| {
            "give a rate of at least 1 B/s with its unit, such as 100MB/s or 10GB/s, or inf"
                .to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::{bandwidth, duration};

    #[test]
    fn times_have_units() {
        assert_eq!(duration("2us"), Ok(2000.0));
        assert_eq!(duration("0ns"), Ok(0.0));
        assert_eq!(duration("1.5 ms"), Ok(1.5e6));
        for bad in ["", "2", "us", "-1us", "2 hours", "1.2.3s", "2s", "infs"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rates_have_units() {
        assert_eq!(bandwidth("10GB/s"), Ok(10e9));
        assert_eq!(bandwidth("inf"), Ok(f64::INFINITY));
        for bad in ["", "10", "0GB/s", "10GB", "-1GB/s"] {
            assert!(bandwidth(bad).is_err(), "{bad}");
        }
    }
}
