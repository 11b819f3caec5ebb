//! Nodes: tasks on the heap. The memory of a node comes from free blocks of the spawning worker.

use super::Header;
use super::magazine::{self, Magazines};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Arc;

/// The smaller size of the blocks that workers keep: one cache line. The larger size, below, is two
/// cache lines. The memory of larger nodes comes from the global allocator. Blocks of the two sizes
/// leave 24 and 88 bytes for the closure of a scope's task.
const SMALL: usize = 64;
const LARGE: usize = 128;
const ALIGN: usize = 64;

/// A spawned closure, with data (`meta`) for the code that runs the closure.
#[repr(C)]
pub(crate) struct Node<M, F> {
    header: Header,
    meta: M,
    work: F,
}

/// The free blocks of a pool that are in no worker's lists.
#[derive(Debug)]
pub(crate) struct Depot {
    small: Arc<magazine::Depot>,
    large: Arc<magazine::Depot>,
}

/// The free blocks of one worker.
#[derive(Debug)]
pub(crate) struct FreeLists {
    small: Magazines,
    large: Magazines,
}

const fn block(bytes: usize) -> Layout {
    match Layout::from_size_align(bytes, ALIGN) {
        Ok(layout) => layout,
        Err(_) => panic!("the sizes and the alignment are powers of two"),
    }
}

const fn fits<T>(bytes: usize) -> bool {
    size_of::<T>() <= bytes && align_of::<T>() <= ALIGN
}

/// Returns the layout of the memory that a `T` gets.
const fn layout<T>() -> Layout {
    if fits::<T>(SMALL) {
        block(SMALL)
    } else if fits::<T>(LARGE) {
        block(LARGE)
    } else {
        Layout::new::<T>()
    }
}

impl Default for Depot {
    fn default() -> Self {
        Depot {
            small: Arc::new(magazine::Depot::new(block(SMALL))),
            large: Arc::new(magazine::Depot::new(block(LARGE))),
        }
    }
}

impl FreeLists {
    /// Creates empty lists, which exchange blocks with `depot`.
    pub(crate) fn new(depot: &Depot) -> Self {
        FreeLists {
            small: Magazines::new(&depot.small),
            large: Magazines::new(&depot.large),
        }
    }

    /// Returns the magazines that keep blocks for a `T`, if there are such magazines.
    #[inline]
    fn of<T>(&mut self) -> Option<&mut Magazines> {
        if fits::<T>(SMALL) {
            Some(&mut self.small)
        } else if fits::<T>(LARGE) {
            Some(&mut self.large)
        } else {
            None
        }
    }
}

impl<M, F> Node<M, F> {
    /// Allocates a node, from `lists` if given.
    #[inline]
    pub(crate) fn allocate(
        lists: Option<&mut FreeLists>,
        execute: unsafe fn(*mut Header),
        meta: M,
        work: F,
    ) -> NonNull<Self> {
        let recycled = lists
            .and_then(FreeLists::of::<Self>)
            .and_then(Magazines::take);
        let raw = recycled.unwrap_or_else(Self::allocate_fresh).cast();
        // SAFETY: the block has this type's layout, and no other code uses it.
        unsafe {
            raw.write(Node {
                header: Header::new(execute),
                meta,
                work,
            });
        }
        raw
    }

    #[cold]
    #[inline(never)]
    fn allocate_fresh() -> NonNull<u8> {
        let layout = layout::<Self>();
        // SAFETY: the layout is not empty, because a node has a header.
        NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
    }

    /// Moves the contents out. The caller must then free the block with [`free_node`].
    ///
    /// # Safety
    /// `this` must come from [`allocate`](Self::allocate), and no call may have moved out its
    /// contents before.
    #[inline]
    pub(crate) unsafe fn take(this: *mut Header) -> (M, F) {
        let this = this.cast::<Self>();
        // SAFETY: by contract, `allocate` has written the contents, and no code has moved them out.
        unsafe {
            (
                std::ptr::read(&raw const (*this).meta),
                std::ptr::read(&raw const (*this).work),
            )
        }
    }
}

/// Frees the block of a node: returns the block to `lists` if the lists keep blocks of this size.
///
/// # Safety
/// `node` must come from `Node::<M, F>::allocate`, and its contents must have been moved out. The
/// caller must free each node only once.
#[inline]
pub(crate) unsafe fn free_node<M, F>(lists: Option<&mut FreeLists>, node: *mut Header) {
    let Some(block) = NonNull::new(node.cast::<u8>()) else {
        return;
    };
    match lists.and_then(FreeLists::of::<Node<M, F>>) {
        // SAFETY: the block was allocated with the layout of that size, and the caller does not use it any more.
        Some(magazines) => unsafe { magazines.put(block) },
        // SAFETY: the block was allocated with the same layout in `allocate`.
        None => unsafe { dealloc(block.as_ptr(), layout::<Node<M, F>>()) },
    }
}
