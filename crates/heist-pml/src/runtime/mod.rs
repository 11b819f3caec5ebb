//! What compiled programs run on: the heap and its collector, exceptions, and the functions that the Basis calls.

pub mod table;
