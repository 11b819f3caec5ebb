//! Writes text of unknown length.

use super::moved::append;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use std::mem::take;

/// The maximum number of bytes in a piece that is moved into the previous piece. A larger piece remains a piece of its own.
const SMALL: usize = 4096;

/// Text in a sequence of strings, the pieces.
#[derive(Debug, Default)]
pub(crate) struct TextPieces {
    first: String,
    more: Vec<String>,
}

impl TextPieces {
    /// Returns the last piece.
    fn last(&mut self) -> &mut String {
        self.more.last_mut().unwrap_or(&mut self.first)
    }

    /// Returns one string of all pieces. Reuses the first piece if it has room.
    pub(crate) fn join(self) -> String {
        let mut text = self.first;
        push_all(&mut text, self.more);
        text
    }

    /// Appends all pieces to a string.
    pub(crate) fn append_to(mut self, text: &mut String) {
        self.more.insert(0, self.first);
        push_all(text, self.more);
    }
}

/// Appends pieces to a string, on all free workers.
fn push_all(text: &mut String, pieces: Vec<String>) {
    let mut bytes = take(text).into_bytes();
    let pieces = pieces.into_iter().map(String::into_bytes);
    append(&mut bytes, pieces.collect());
    // SAFETY: the concatenation of UTF-8 strings is valid UTF-8.
    *text = unsafe { String::from_utf8_unchecked(bytes) };
}

/// A job that writes items one after another, into one piece for each part of the schedule.
#[derive(Debug)]
pub(crate) struct Write;

impl<T: Send> Job<T> for Write
where
    String: Extend<T>,
{
    type State = TextPieces;
    type Output = TextPieces;

    fn begin(&self, _at: usize) -> TextPieces {
        TextPieces::default()
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        pieces: &mut TextPieces,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        pieces.last().extend(chunk.into_iter());
    }

    fn merge(&self, left: &mut TextPieces, right: TextPieces) {
        if left.first.is_empty() && left.more.is_empty() {
            *left = right;
        } else if right.more.is_empty() && right.first.len() <= SMALL {
            left.last().push_str(&right.first);
        } else {
            left.more.push(right.first);
            left.more.extend(right.more);
        }
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, pieces: TextPieces) -> TextPieces {
        pieces
    }
}
