//! Strands that wait, and what wakes them.

pub mod give;
pub mod lazy;
pub mod parts;
pub mod tell;
pub mod wake;
