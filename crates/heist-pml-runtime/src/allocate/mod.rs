//! Allocation of objects, and the values that functions of the runtime make.

pub mod cells;
pub mod loan;
pub mod space;
pub mod values;

#[cfg(test)]
mod tests;
