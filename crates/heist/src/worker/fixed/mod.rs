//! Pools with a fixed number of threads: what their waiters may run, and threads of the program that are workers.

pub(super) mod adopted;
pub(super) mod ancestry;
pub(super) mod serve;
