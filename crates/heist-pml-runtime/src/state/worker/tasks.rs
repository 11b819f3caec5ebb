//! The private deque of a worker in programs of clones: see `fork/tasks.rs`.

use crate::value::object::{Value, WORD};

/// Number of places of a new deque. A deque never has fewer places. No experiment of Rainey's thesis needed more places.
const FIRST: usize = 64;

/// A deque shrinks when the number of its tasks is less than the number of its places divided by this number.
const SPARSE: usize = 8;

/// The tasks of a worker, the oldest first.
#[repr(C)]
#[derive(Debug)]
pub struct Tasks {
    /// The place after the newest task.
    pub top: *mut usize,
    /// The place of the oldest task.
    pub bottom: *mut usize,
    /// The end of the buffer.
    pub end: *mut usize,
    places: Vec<usize>,
}

impl Default for Tasks {
    fn default() -> Tasks {
        let nowhere = std::ptr::null_mut();
        Tasks {
            top: nowhere,
            bottom: nowhere,
            end: nowhere,
            places: Vec::new(),
        }
    }
}

impl Tasks {
    /// Returns the number of tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.top as usize - self.bottom as usize) / WORD
    }

    /// Returns true if there are no tasks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.top == self.bottom
    }

    /// Notes that the first `count` places of the buffer contain the tasks.
    fn renew(&mut self, count: usize) {
        let range = self.places.as_mut_ptr_range();
        // SAFETY: the callers have put `count` tasks into the first places, so the pointer is within the buffer.
        self.top = unsafe { range.start.add(count) };
        (self.bottom, self.end) = (range.start, range.end);
    }

    /// Returns the tasks, the oldest first.
    #[must_use]
    pub fn all(&self) -> &[usize] {
        let first = self.first();
        &self.places[first..first + self.len()]
    }

    /// Returns a mutable slice of the tasks, the oldest first.
    pub fn all_mut(&mut self) -> &mut [usize] {
        let (first, count) = (self.first(), self.len());
        &mut self.places[first..first + count]
    }

    fn first(&self) -> usize {
        if self.places.is_empty() {
            return 0;
        }
        (self.bottom as usize - self.places.as_ptr() as usize) / WORD
    }

    fn move_to(&mut self, size: usize) {
        let mut places = Vec::with_capacity(size);
        places.extend_from_slice(self.all());
        let count = places.len();
        places.resize(size, 0);
        self.places = places;
        self.renew(count);
    }

    /// Makes room for one more task. If at least half of all places belong to published tasks, this function reuses these places. Otherwise
    /// this function doubles the size of the buffer.
    pub fn grow(&mut self) {
        let (first, count) = (self.first(), self.len());
        if count > 0 && first >= count {
            self.places.copy_within(first..first + count, 0);
            self.renew(count);
        } else {
            self.move_to((2 * self.places.len()).max(FIRST));
        }
    }

    /// Halves the buffer if few of its places are in use. Collections call this function, so that a pop need not check the size of the
    /// buffer.
    pub fn shrink(&mut self) {
        let size = self.places.len();
        if size > FIRST && self.len() < size / SPARSE {
            self.move_to((size / 2).max(FIRST));
        }
    }

    /// Forgets the `count` newest tasks, or all tasks if there are fewer than `count`. Returns the number of forgotten tasks.
    pub fn drop_newest(&mut self, count: usize) -> usize {
        let count = count.min(self.len());
        // SAFETY: `count` is at most the number of tasks between `bottom` and `top`, so the pointer stays within the buffer.
        self.top = unsafe { self.top.sub(count) };
        count
    }

    /// Forgets all tasks.
    pub fn clear(&mut self) {
        self.top = self.bottom;
    }

    pub(crate) fn oldest(&self) -> Option<Value> {
        // SAFETY: the deque is not empty, so `bottom` points to its oldest task, within the buffer.
        (!self.is_empty()).then(|| Value(unsafe { *self.bottom }))
    }

    pub(crate) fn take_oldest(&mut self) {
        debug_assert!(!self.is_empty(), "the caller has seen it");
        // SAFETY: the deque is not empty, so the place after its oldest task is at most `top`.
        self.bottom = unsafe { self.bottom.add(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(tasks: &mut Tasks, word: usize) {
        if tasks.top == tasks.end {
            tasks.grow();
        }
        // SAFETY: `grow` has made room for a task at `top`.
        unsafe {
            *tasks.top = word;
            tasks.top = tasks.top.add(1);
        }
    }

    #[test]
    fn deques_grow_and_shrink_and_keep_their_order() {
        let mut tasks = Tasks::default();
        assert!(tasks.is_empty() && tasks.all().is_empty() && tasks.drop_newest(3) == 0);
        let (mut oldest, mut next) = (0, 0);
        let (mut largest, mut random) = (0, 1_usize);
        for round in 0..200_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // The test alternates between phases that push and phases that pop several thousand tasks.
            let many = round / 20_000 % 2 == 0;
            match random >> 60 {
                0..=8 if many => (push(&mut tasks, next), next += 1).1,
                0..=4 => (push(&mut tasks, next), next += 1).1,
                5..=10 => next -= tasks.drop_newest(1),
                11 => tasks.shrink(),
                _ if tasks.oldest().is_some() => (tasks.take_oldest(), oldest += 1).1,
                _ => {}
            }
            assert_eq!(tasks.len(), next - oldest);
            if tasks.len() < 100 {
                assert!(tasks.all().iter().copied().eq(oldest..next));
            }
            largest = largest.max(tasks.len());
        }
        assert!(largest > 2 * FIRST, "{largest}");
        tasks.clear();
        (0..100).for_each(|_| tasks.shrink());
        assert_eq!(tasks.places.len(), FIRST);
    }

    #[test]
    fn a_deque_that_is_used_as_a_queue_stays_small() {
        let mut tasks = Tasks::default();
        for word in 0..100_000 {
            push(&mut tasks, word);
            if word >= 20 {
                assert_eq!(tasks.oldest(), Some(Value(word - 20)));
                tasks.take_oldest();
            }
        }
        assert_eq!(tasks.places.len(), FIRST);
        assert!(tasks.all().iter().copied().eq(99_980..100_000));
    }
}
