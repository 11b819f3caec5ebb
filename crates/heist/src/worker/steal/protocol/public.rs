//! Protocols whose frames and tasks are always public: Chase-Lev deques, and the deques of Cilk-5. They have the same rules, and differ in
//! the deque, the fork path and the usual amount of a steal.

use super::Rules;

#[derive(Clone, Copy)]
pub(super) struct Public;

impl Rules for Public {}
