//! Nodes: tasks on the heap, allocated from free lists of the worker that spawns.

use super::Header;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// The size of the nodes that free lists keep; larger closures go to the global allocator.
const NODE_BYTES: usize = 128;
const NODE_ALIGN: usize = 64;
/// How many free nodes one carrier keeps before it gives them back.
const KEEP: usize = 4096;

/// A spawned closure with `meta` for whoever runs it.
#[repr(C)]
pub(crate) struct Node<M, F> {
    header: Header,
    meta: M,
    work: F,
}

/// Free nodes of one carrier. Not thread-safe by itself: only its carrier uses it.
#[derive(Debug, Default)]
pub(crate) struct FreeLists {
    head: Option<NonNull<Free>>,
    len: usize,
}

struct Free {
    next: Option<NonNull<Free>>,
}

const fn pooled<T>() -> bool {
    size_of::<T>() <= NODE_BYTES && align_of::<T>() <= NODE_ALIGN
}

const fn layout<T>() -> Layout {
    if pooled::<T>() {
        // The largest size and alignment that pass `pooled`, both powers of two.
        match Layout::from_size_align(NODE_BYTES, NODE_ALIGN) {
            Ok(layout) => layout,
            Err(_) => Layout::new::<T>(),
        }
    } else {
        Layout::new::<T>()
    }
}

impl FreeLists {
    fn take(&mut self) -> Option<NonNull<u8>> {
        let head = self.head?;
        // SAFETY: nodes in the list are free and were written as `Free` by `put`.
        self.head = unsafe { head.as_ref().next };
        self.len -= 1;
        Some(head.cast())
    }

    fn put(&mut self, node: NonNull<u8>) -> bool {
        if self.len >= KEEP {
            return false;
        }
        let node = node.cast::<Free>();
        // SAFETY: the caller hands over a free block of NODE_BYTES.
        unsafe { node.write(Free { next: self.head }) };
        self.head = Some(node);
        self.len += 1;
        true
    }
}

impl Drop for FreeLists {
    fn drop(&mut self) {
        while let Some(node) = self.take() {
            // SAFETY: every node in the list was allocated with this layout.
            unsafe { dealloc(node.as_ptr(), layout::<Free>()) };
        }
    }
}

impl<M, F> Node<M, F> {
    /// Allocates a node, from `lists` where there are any.
    #[inline]
    pub(crate) fn allocate(
        lists: Option<&mut FreeLists>,
        execute: unsafe fn(*mut Header),
        meta: M,
        work: F,
    ) -> NonNull<Self> {
        let recycled = if pooled::<Self>() {
            lists.and_then(FreeLists::take)
        } else {
            None
        };
        let raw = recycled.unwrap_or_else(Self::allocate_fresh).cast();
        // SAFETY: a block of this type's layout that nobody else uses.
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
        // SAFETY: the layout is not empty: a node has a header.
        NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
    }

    /// Moves the contents out; the block stays to be freed with [`free_node`].
    ///
    /// # Safety
    /// `this` came from [`allocate`](Self::allocate) and its contents have not been moved out.
    #[inline]
    pub(crate) unsafe fn take(this: *mut Header) -> (M, F) {
        let this = this.cast::<Self>();
        // SAFETY: by contract.
        unsafe {
            (
                std::ptr::read(&raw const (*this).meta),
                std::ptr::read(&raw const (*this).work),
            )
        }
    }
}

/// Gives the block of a node back, to `lists` if it has room.
///
/// # Safety
/// `node` came from `Node::<M, F>::allocate`, its contents were moved out, and it is freed once.
#[inline]
pub(crate) unsafe fn free_node<M, F>(lists: Option<&mut FreeLists>, node: *mut Header) {
    let Some(block) = NonNull::new(node.cast::<u8>()) else {
        return;
    };
    let kept = pooled::<Node<M, F>>() && lists.is_some_and(|lists| lists.put(block));
    if !kept {
        // SAFETY: allocated with the same layout in `allocate`.
        unsafe { dealloc(block.as_ptr(), layout::<Node<M, F>>()) };
    }
}
