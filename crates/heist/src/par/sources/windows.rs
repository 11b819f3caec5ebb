//! Overlapping windows of a slice.

use super::sequence_of_source;
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Solid};
use std::iter::Rev;
use std::slice;

/// The sequence that [`xs.par_windows(n)`](crate::par::ParSlice::par_windows) returns: all overlapping windows of a slice.
#[derive(Debug)]
pub struct ParWindows<'s, T> {
    slice: &'s [T],
    size: usize,
}

impl<T> Clone for ParWindows<'_, T> {
    fn clone(&self) -> Self {
        ParWindows { ..*self }
    }
}

impl<'s, T> ParWindows<'s, T> {
    pub(crate) fn new(slice: &'s [T], size: usize) -> Self {
        assert!(size > 0, "heist: windows must not be empty");
        ParWindows { slice, size }
    }
}

/// Returns the number of windows of this size in a slice.
#[inline]
fn windows(len: usize, size: usize) -> usize {
    len.checked_sub(size).map_or(0, |more| more + 1)
}

/// The remaining windows of a [`ParWindows`].
#[derive(Debug)]
pub struct WindowsSource<'s, T> {
    slice: &'s [T],
    size: usize,
}

impl<'s, T: Sync> Solid for WindowsSource<'s, T> {}

impl<'s, T: Sync> Chunk for WindowsSource<'s, T> {
    type Item = &'s [T];
    type Iter = slice::Windows<'s, T>;

    #[inline]
    fn len(&self) -> usize {
        windows(self.slice.len(), self.size)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let slice = match count {
            0 => &[],
            _ => &self.slice[..count - 1 + self.size],
        };
        self.slice = &self.slice[count..];
        WindowsSource { slice, ..*self }
    }

    #[inline]
    fn into_iter(self) -> slice::Windows<'s, T> {
        self.slice.windows(self.size)
    }
}

impl<'s, T: Sync> Reversible for WindowsSource<'s, T> {
    type Back = Rev<slice::Windows<'s, T>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.into_iter().rev()
    }
}

sequence_of_source!(['s, T: Sync] ParWindows<'s, T>, &'s [T]);

impl<'s, T: Sync> Indexed for ParWindows<'s, T> {
    type Source<'a>
        = WindowsSource<'s, T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        windows(self.slice.len(), self.size)
    }

    #[inline]
    fn source(&mut self) -> WindowsSource<'s, T> {
        WindowsSource {
            slice: self.slice,
            size: self.size,
        }
    }
}
