//! Slices, piece by piece.

use super::sequence_of_source;
use super::slice::{SliceMutSource, SliceSource};
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Solid};
use std::iter::Rev;
use std::mem::take;
use std::slice;

/// The pieces of a slice: [`xs.par_chunks(n)`](crate::par::ParSlice::par_chunks).
#[derive(Debug)]
pub struct ParChunks<'s, T> {
    slice: &'s [T],
    size: usize,
}

impl<T> Clone for ParChunks<'_, T> {
    fn clone(&self) -> Self {
        ParChunks { ..*self }
    }
}

impl<'s, T> ParChunks<'s, T> {
    pub(crate) fn new(slice: &'s [T], size: usize) -> Self {
        assert!(size > 0, "heist: chunks must not be empty");
        ParChunks { slice, size }
    }
}

/// The pieces of a slice, to be changed: [`xs.par_chunks_mut(n)`](crate::par::ParSliceMut::par_chunks_mut).
#[derive(Debug)]
pub struct ParChunksMut<'s, T> {
    slice: &'s mut [T],
    size: usize,
}

impl<'s, T> ParChunksMut<'s, T> {
    pub(crate) fn new(slice: &'s mut [T], size: usize) -> Self {
        assert!(size > 0, "heist: chunks must not be empty");
        ParChunksMut { slice, size }
    }
}

/// All neighbourhoods of a slice: [`xs.par_windows(n)`](crate::par::ParSlice::par_windows).
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

/// What is left of [`ParChunks`] or [`ParChunksMut`], whose elements are `S`.
#[derive(Debug)]
pub struct ChunksSource<S> {
    elements: S,
    size: usize,
}

/// How many windows of a size a slice has.
#[inline]
fn windows(len: usize, size: usize) -> usize {
    len.checked_sub(size).map_or(0, |more| more + 1)
}

/// What is left of [`ParWindows`].
#[derive(Debug)]
pub struct WindowsSource<'s, T> {
    slice: &'s [T],
    size: usize,
}

macro_rules! chunks {
    ($sequence:ident, $elements:ident, $bound:ident, $item:ty, $iter:ty, $iterate:ident, $take:expr) => {
        impl<'s, T: $bound> Solid for ChunksSource<$elements<'s, T>> {}

        impl<'s, T: $bound> Chunk for ChunksSource<$elements<'s, T>> {
            type Item = $item;
            type Iter = $iter;

            #[inline]
            fn len(&self) -> usize {
                self.elements.0.len().div_ceil(self.size)
            }

            #[inline]
            fn cut(&mut self, count: usize) -> Self {
                // The last piece may be short.
                let elements = count.saturating_mul(self.size).min(self.elements.0.len());
                ChunksSource {
                    elements: Chunk::cut(&mut self.elements, elements),
                    size: self.size,
                }
            }

            #[inline]
            fn into_iter(self) -> Self::Iter {
                self.elements.0.$iterate(self.size)
            }
        }

        impl<'s, T: $bound> Reversible for ChunksSource<$elements<'s, T>> {
            type Back = Rev<$iter>;

            #[inline]
            fn into_back(self) -> Self::Back {
                self.into_iter().rev()
            }
        }

        sequence_of_source!(['s, T: $bound] $sequence<'s, T>, $item);

        impl<'s, T: $bound> Indexed for $sequence<'s, T> {
            type Source<'a>
                = ChunksSource<$elements<'s, T>>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.slice.len().div_ceil(self.size)
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                ChunksSource {
                    elements: $elements($take(&mut self.slice)),
                    size: self.size,
                }
            }
        }
    };
}
chunks!(
    ParChunks,
    SliceSource,
    Sync,
    &'s [T],
    slice::Chunks<'s, T>,
    chunks,
    take::<&'s [T]>
);
chunks!(
    ParChunksMut,
    SliceMutSource,
    Send,
    &'s mut [T],
    slice::ChunksMut<'s, T>,
    chunks_mut,
    take::<&'s mut [T]>
);

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
