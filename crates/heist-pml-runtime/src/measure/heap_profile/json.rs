//! Writes a profile as JSON. `docs/pml/profiles.md` explains the fields.

use std::fmt::Write;

use crate::measure::heap_profile::State;

/// The version of the format. A change of the format increases the version if a reader of the old format would misread the new format.
const FORMAT: u32 = 1;

/// Returns a profile as JSON. `now` is the number of microseconds since the profile began.
pub(super) fn text(state: &State, interval: usize, now: u64) -> String {
    let mut text = format!(
        "{{\n\"kind\": \"heap-profile\",\n\"format\": {FORMAT},\n\"version\": {},\n\"seconds\": {},\n\"interval\": {interval},\n\"sites\": [",
        quoted(env!("CARGO_PKG_VERSION")),
        seconds(now),
    );
    for (at, site) in state.sites.all().iter().enumerate() {
        let within = site.within.as_deref().map_or("null".into(), quoted);
        let _ = write!(
            text,
            "{}\n{{\"type\": {}, \"place\": {}, \"within\": {within}, \"allocated\": {}}}",
            if at > 0 { "," } else { "" },
            quoted(&site.ty),
            quoted(&site.place),
            site.allocated,
        );
    }
    text += "\n],\n\"snapshots\": [";
    for (at, snapshot) in state.timeline.all().iter().enumerate() {
        let live: Vec<String> = snapshot
            .live
            .iter()
            .map(|(site, bytes)| format!("[{site}, {bytes}]"))
            .collect();
        let _ = write!(
            text,
            "{}\n{{\"seconds\": {}, \"heap\": {}, \"full\": {}, \"live\": [{}]}}",
            if at > 0 { "," } else { "" },
            seconds(snapshot.at),
            snapshot.heap,
            snapshot.full,
            live.join(", "),
        );
    }
    text += "\n]\n}\n";
    text
}

/// Returns microseconds as seconds.
fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Returns a text as a string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            char if char < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quoted("a\"b\\c\n\u{e9}"), "\"a\\\"b\\\\c\\u000a\u{e9}\"");
        assert_eq!(seconds(1_000_203), "1.000203");
    }
}
