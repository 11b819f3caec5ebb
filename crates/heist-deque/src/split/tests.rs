//! Tests of the split deque.
