//! The worst deque that a worklist allows: items leave in any order, and each item leaves up to three times.

use std::sync::{Arc, Mutex};

use heist::worklist::Queue;
use heist_deque::{Owner, Steal, Thief};

pub(crate) struct Unruly;

pub(crate) struct End<T>(Arc<Mutex<Heap<T>>>);

struct Heap<T> {
    items: Vec<T>,
    random: u64,
}

impl<T> Heap<T> {
    fn below(&mut self, bound: usize) -> usize {
        // The generator is xorshift64.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound as u64) as usize
    }

    fn take(&mut self) -> Option<T> {
        match self.items.len() {
            0 => None,
            count => {
                let at = self.below(count);
                Some(self.items.swap_remove(at))
            }
        }
    }
}

impl<T: Copy + Send> Queue<T> for Unruly {
    type Owner = End<T>;

    fn make() -> End<T> {
        End(Arc::new(Mutex::new(Heap {
            items: Vec::new(),
            random: 0x9E37_79B9_7F4A_7C15,
        })))
    }
}

impl<T> Clone for End<T> {
    fn clone(&self) -> Self {
        End(Arc::clone(&self.0))
    }
}

impl<T: Copy> Owner for End<T> {
    type Item = T;
    type Thief = End<T>;

    fn thief(&self) -> End<T> {
        self.clone()
    }

    fn push(&mut self, item: T) {
        let mut heap = self.0.lock().unwrap();
        for _ in 0..=heap.below(3) {
            heap.items.push(item);
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.0.lock().unwrap().take()
    }
}

impl<T: Copy> Thief for End<T> {
    type Item = T;

    fn steal(&self) -> Steal<T> {
        self.0
            .lock()
            .unwrap()
            .take()
            .map_or(Steal::Empty, Steal::Success)
    }

    fn is_empty(&self) -> bool {
        self.0.lock().unwrap().items.is_empty()
    }
}
