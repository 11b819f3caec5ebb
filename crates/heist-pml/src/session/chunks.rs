//! Divides the text that a user types into inputs.

use crate::diag::Diagnostics;
use crate::source::Sources;
use crate::syntax;

/// A part of the text that the user types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The index of the first byte of the part.
    pub start: usize,
    /// The index after the last byte of the part.
    pub end: usize,
}

/// Returns the inputs of a text, and the start of the incomplete rest. Each input includes the `;` at its end. The incomplete rest may
/// consist of only white space and comments.
///
/// A `;` ends an input unless it is between brackets. The words of `let ... end` and of similar forms are brackets.
#[must_use]
pub fn split(text: &[u8]) -> (Vec<Chunk>, Option<usize>) {
    let mut sources = Sources::default();
    let id = sources.add("", text, false);
    let Some(file) = sources.file(id) else {
        return (Vec::new(), None);
    };
    let mut diagnostics = Diagnostics::default();
    let mut chunks = Vec::new();
    let (mut depth, mut start, mut some) = (0_usize, 0, false);
    let nestings = syntax::nesting(file, id, &mut diagnostics);
    // Text that is not a token also becomes part of an input. The compiler refuses this input.
    let wrong = |from: usize, to: usize| {
        let mut starts = diagnostics.items().iter().map(|item| item.span.start);
        starts.any(|at| (from..to).contains(&(at as usize)))
    };
    for nesting in nestings {
        match nesting {
            syntax::Nesting::Open => {
                depth += 1;
                some = true;
            }
            syntax::Nesting::Close => {
                depth = depth.saturating_sub(1);
                some = true;
            }
            syntax::Nesting::Other => some = true,
            syntax::Nesting::Semicolon(end) => {
                if depth == 0 {
                    if some || wrong(start, end) {
                        chunks.push(Chunk { start, end });
                    }
                    (start, some) = (end, false);
                }
            }
        }
    }
    let rest = some || wrong(start, text.len());
    (chunks, rest.then_some(start))
}

#[cfg(test)]
mod tests {
    use super::split;

    /// Returns the texts of the inputs and of the incomplete rest.
    fn parts(text: &str) -> (Vec<&str>, Option<&str>) {
        let (chunks, rest) = split(text.as_bytes());
        let chunks = chunks
            .iter()
            .map(|chunk| text[chunk.start..chunk.end].trim())
            .collect();
        (chunks, rest.map(|start| text[start..].trim()))
    }

    #[test]
    fn inputs_end_at_semicolons_outside_of_brackets() {
        assert_eq!(
            parts("1; val x = (2; 3); let val a = 1; in a; a end;\n"),
            (
                vec!["1;", "val x = (2; 3);", "let val a = 1; in a; a end;"],
                None
            )
        );
        assert_eq!(
            parts("structure S = struct val x = 1;"),
            (vec![], Some("structure S = struct val x = 1;"))
        );
        assert_eq!(
            parts("local val x = 1; in val y = x; end; ;; y"),
            (vec!["local val x = 1; in val y = x; end;"], Some("y"))
        );
        assert_eq!(parts("(* 1; *) \n"), (vec![], None));
        assert_eq!(parts("1; (* 2;"), (vec!["1;"], Some("(* 2;")));
        assert_eq!(parts("\"a;b\";"), (vec!["\"a;b\";"], None));
        // These characters occur in no program.
        assert_eq!(
            parts("\0; 1; \u{20ac};;"),
            (vec!["\0;", "1;", "\u{20ac};"], None)
        );
        assert_eq!(parts("1; \0"), (vec!["1;"], Some("\0")));
        // A surplus closing bracket affects only its own input.
        assert_eq!(parts("1); 2;"), (vec!["1);", "2;"], None));
    }
}
