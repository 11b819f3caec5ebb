//! A document with a marker at the place where the user types. The marker is the name `heist'cursor'`, which programs do not use.

use lsp_types::Range;

use super::super::checker::Examined;
use crate::elab::Visible;
use crate::syntax::{self, Role};

/// The part of a document that the marker replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The index of the first byte of the part.
    pub(super) start: u32,
    /// The index after the last byte of the part.
    pub(super) end: u32,
    /// The place of the cursor.
    cursor: u32,
}

/// A program with the marker, and the names that are visible at the marker.
#[derive(Debug)]
pub(super) struct Marked {
    /// The part of the word that is before the cursor.
    pub(super) prefix: String,
    /// The range from the start of the word to the cursor.
    pub(super) range: Range,
    /// The sign before the word: `.` after the name of a structure, `#` before a label, otherwise `None`.
    pub(super) before: Option<char>,
    /// The visible names, or `None` if the elaborator has not reached the marker.
    pub(super) visible: Option<Visible>,
    /// The program with the marker.
    pub(super) examined: Examined,
}

impl Marked {
    /// The name that is the marker.
    pub(super) const NAME: &str = "heist'cursor'";

    /// Returns the word at the cursor, and the text in which the marker replaces the word. Returns `None` if the cursor is in a comment. If
    /// the cursor is in a literal (a string or a number), treats the literal as a word if `literals` is true, and otherwise returns `None`.
    pub(super) fn mark(text: &str, cursor: u32, literals: bool) -> Option<(Word, String)> {
        let bytes = text.as_bytes();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'');
        let at = cursor as usize;
        let before = bytes[..at].iter().rev().take_while(|it| is_word(it));
        let after = bytes[at..].iter().take_while(|it| is_word(it));
        let mut word = Word {
            start: cursor - before.count() as u32,
            end: cursor + after.count() as u32,
            cursor,
        };
        if let Some(literal) = syntax::pieces(bytes).iter().find(|piece| {
            piece.role == Role::Literal && piece.start < cursor && cursor <= piece.end
        }) {
            if literals {
                (word.start, word.end) = (literal.start, literal.end);
            } else if cursor < literal.end || literal.start <= word.start {
                return None;
            }
        }
        let (start, end) = (word.start as usize, word.end as usize);
        let marked = format!("{}{}{}", &text[..start], Marked::NAME, &text[end..]);
        let last = word.start + Marked::NAME.len() as u32;
        let seen = syntax::pieces(marked.as_bytes()).iter().any(|piece| {
            matches!(piece.role, Role::Name | Role::Qualified)
                && piece.start <= word.start
                && last <= piece.end
        });
        seen.then_some((word, marked))
    }

    /// Removes the text after the marker, and adds the words that close all open constructs. The result parses if the text before the
    /// marker has no syntax error.
    pub(super) fn cut(marked: &str, word: Word) -> String {
        let before = &marked[..word.start as usize + Marked::NAME.len()];
        format!("{before}{}", syntax::closing(before.as_bytes()))
    }

    /// Collects the facts about the program and the word at the cursor.
    pub(super) fn of(
        word: Word,
        range: Range,
        text: &str,
        examined: Examined,
        visible: Option<Visible>,
    ) -> Marked {
        let start = word.start as usize;
        Marked {
            prefix: text
                .get(start..word.cursor as usize)
                .unwrap_or_default()
                .to_owned(),
            range,
            before: text[..start].chars().next_back(),
            visible,
            examined,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, literals: bool) -> Option<String> {
        let cursor = text.find('|').expect("a cursor");
        let found = Marked::mark(&text.replace('|', ""), cursor as u32, literals);
        found.map(|(_, text)| text.replace(Marked::NAME, "M"))
    }

    #[test]
    fn words_are_replaced() {
        for (text, replaced) in [
            ("val x = fo|o 1", Some("val x = M 1")),
            ("val x = |", Some("val x = M")),
            (
                "val x = List.|\nval y = 1",
                Some("val x = List.M\nval y = 1"),
            ),
            ("val x = List.ma|p f", Some("val x = List.M f")),
            ("val x = #|", Some("val x = #M")),
            ("val x = Li|st.map f", Some("val x = M.map f")),
            ("val é = (* 😀 *) a|", Some("val é = (* 😀 *) M")),
            ("(* a| *) val x = 1", None),
            ("val s = \"a|\"", None),
            ("val s = \"a\"|", None),
            ("val n = 12|", None),
        ] {
            assert_eq!(marked(text, false).as_deref(), replaced, "{text}");
        }
    }

    #[test]
    fn literals_are_words_where_arguments_are_asked_for() {
        for (text, replaced) in [
            ("f 12|", Some("f M")),
            ("f \"a b|\" c", Some("f M c")),
            ("f (* 12| *) c", None),
        ] {
            assert_eq!(marked(text, true).as_deref(), replaced, "{text}");
        }
    }
}
