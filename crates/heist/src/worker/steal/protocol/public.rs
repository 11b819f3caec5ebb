//! Protocols whose frames and tasks are always public: Chase-Lev deques, and the deques of Cilk-5. These two protocols have the same rules,
//! but differ in the deque, the fork path and the usual amount of a steal.

use super::Rules;

#[derive(Clone, Copy)]
pub(super) struct Public;

impl Rules for Public {}
