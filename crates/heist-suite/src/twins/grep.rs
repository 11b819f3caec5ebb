//! Search of a text.

use super::{Kernel, Twin, Way, checksum, of_text, prose, ready};

pub(super) const TWIN: Twin = Twin {
    name: "grep",
    about: "finds the lines of a text that contain two letters",
    size: 300_000,
    prepare: |lines| {
        ready(Grep {
            text: prose::text(10 * lines),
        })
    },
};

/// The letters for which the program searches.
const PATTERN: &str = "ab";

struct Grep {
    text: String,
}

impl Kernel for Grep {
    type Out = Vec<String>;

    fn run<W: Way>(&self, way: W) -> Vec<String> {
        let lines = way.lines(&self.text, |line| line.contains(PATTERN));
        lines.into_iter().map(str::to_owned).collect()
    }

    fn checksum(&self, out: &Vec<String>) -> u64 {
        checksum(out.iter().map(|line| of_text(line)))
    }
}
