//! Memory from the system: the heap and the stacks of strands.

pub mod growth;
pub mod heap;
pub mod sharing;
pub mod stack;
pub mod uses;
