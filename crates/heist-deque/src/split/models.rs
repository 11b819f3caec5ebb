//! Model tests of the split deque.
