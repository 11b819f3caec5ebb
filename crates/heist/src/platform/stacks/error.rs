//! The reasons why a stack is not available.

use super::MOST;
use std::fmt;
use std::io;

/// The reason why a stack is not available.
#[derive(Debug)]
pub(crate) enum StackError {
    /// The caller requested a size above [`MOST`].
    TooLarge {
        /// The requested size in bytes.
        asked: usize,
    },
    /// The system has no address space for another stack.
    Map {
        /// Number of stacks that the supply has.
        stacks: usize,
        /// Size of each stack in bytes.
        bytes: usize,
        /// The system's error.
        source: io::Error,
    },
    /// The system refuses a guard page.
    Guard {
        /// Number of stacks that the supply has.
        stacks: usize,
        /// Number of mappings that a process may have; `None` if the system does not provide it.
        limit: Option<usize>,
        /// The system's error.
        source: io::Error,
    },
}

impl fmt::Display for StackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StackError::TooLarge { asked } => write!(
                f,
                "fibers with stacks of {asked} bytes were asked for, but the limit is {MOST}"
            ),
            StackError::Map {
                stacks,
                bytes,
                source,
            } => write!(
                f,
                "no address space is left for another fiber's stack of {} KiB ({stacks} exist): {source}; give fibers smaller stacks, or raise the process's limit (ulimit -v)",
                bytes >> 10
            ),
            StackError::Guard {
                stacks,
                limit: Some(limit),
                source,
            } if source.raw_os_error() == Some(libc::ENOMEM) => write!(
                f,
                "the kernel refuses another mapping for the guard page of a fiber's stack: {stacks} stacks take two each, and vm.max_map_count is {limit}; raise it (sysctl -w vm.max_map_count={}), or use Linux 6.13 or later, where guard pages take none",
                (4 * stacks).max(2 * limit).next_power_of_two()
            ),
            StackError::Guard { stacks, source, .. } => write!(
                f,
                "the kernel refuses the guard page of another fiber's stack ({stacks} exist): {source}"
            ),
        }
    }
}

impl std::error::Error for StackError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StackError::TooLarge { .. } => None,
            StackError::Map { source, .. } | StackError::Guard { source, .. } => Some(source),
        }
    }
}
