//! The exit codes of programs.

/// The exit code of a program that ended with an unhandled exception.
pub const UNCAUGHT: i32 = 1;
/// The exit code of a program that cannot continue or begin.
pub const IMPOSSIBLE: i32 = 2;
