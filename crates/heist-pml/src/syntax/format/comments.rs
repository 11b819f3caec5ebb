//! Passes each comment to the formatter once, in the order of the source.

use super::doc::Doc;

pub(super) struct Comments<'a> {
    text: &'a [u8],
    places: &'a [(u32, u32)],
    next: usize,
}

impl<'a> Comments<'a> {
    pub(super) fn new(text: &'a [u8], places: &'a [(u32, u32)]) -> Comments<'a> {
        Comments {
            text,
            places,
            next: 0,
        }
    }

    /// Returns the places of comments.
    pub(super) fn places(&self) -> &'a [(u32, u32)] {
        self.places
    }

    /// Returns the end of the last comment that [`take`](Self::take) has returned.
    pub(super) fn last_taken(&self) -> u32 {
        self.next
            .checked_sub(1)
            .map_or(0, |last| self.places[last].1)
    }

    fn has_newline(&self, start: u32, end: u32) -> bool {
        start < end && self.text[start as usize..end as usize].contains(&b'\n')
    }

    /// Returns true if a part of the source contains an empty line.
    pub(super) fn has_blank_line(&self, start: u32, end: u32) -> bool {
        if start >= end {
            return false;
        }
        let mut newlines = 0;
        for byte in &self.text[start as usize..end as usize] {
            match byte {
                b'\n' => newlines += 1,
                byte if byte.is_ascii_whitespace() => {}
                _ => newlines = 0,
            }
            if newlines == 2 {
                return true;
            }
        }
        false
    }

    /// Returns the next comment, if it begins before `limit`.
    pub(super) fn take(&mut self, limit: u32) -> Option<(u32, u32)> {
        let place = *self.places.get(self.next)?;
        if place.0 >= limit {
            return None;
        }
        self.next += 1;
        Some(place)
    }

    /// Returns a document with the text of a comment.
    pub(super) fn doc(&self, (start, end): (u32, u32)) -> Doc {
        Doc::source(start, end, self.has_newline(start, end))
    }

    /// Lays out all comments before the code that begins at `limit`, except comments that are already laid out.
    pub(super) fn before(&mut self, limit: u32) -> Doc {
        let mut docs = Vec::new();
        while let Some(place) = self.take(limit) {
            docs.push(self.doc(place));
            let next = self
                .places
                .get(self.next)
                .map_or(limit, |next| next.0.min(limit));
            docs.push(if self.has_newline(place.1, next) {
                Doc::newline()
            } else {
                Doc::text(" ")
            });
        }
        Doc::seq(docs)
    }

    /// Lays out the comments that follow a construct on its last line and begin before `limit`.
    pub(super) fn behind(&mut self, end: u32, limit: u32) -> Doc {
        let mut docs = Vec::new();
        let mut end = end;
        while let Some(place) = self.places.get(self.next).copied() {
            if place.0 >= limit || self.has_newline(end, place.0) {
                break;
            }
            self.next += 1;
            docs.push(Doc::text(" "));
            docs.push(self.doc(place));
            end = place.1;
        }
        if !docs.is_empty() && self.has_newline(end, limit) {
            docs.push(Doc::force_break());
        }
        Doc::seq(docs)
    }

    /// Lays out the comments before a closing bracket at `limit`, except comments that are already laid out.
    pub(super) fn closing(&mut self, limit: u32) -> Doc {
        let mut docs = Vec::new();
        while let Some(place) = self.take(limit) {
            docs.push(Doc::line());
            docs.push(self.doc(place));
        }
        Doc::seq(docs)
    }
}
