//! Protocols whose frames and tasks are always public: Chase-Lev deques, and the deques of Cilk-5. They differ in the deque alone.

use super::Rules;

#[derive(Clone, Copy)]
pub(super) struct Public;

impl Rules for Public {}
