//! The options of a world.

use std::path::PathBuf;

use crate::measure::heap_profile::Profiling;
use crate::measure::trace::Tracing;
use crate::memory::heap::YOUNG_SPAN;
use crate::memory::sharing::Memory;
use crate::process::defaults;

/// The options of a world.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum number of bytes of the heap.
    pub heap: usize,
    /// Number of bytes of the young generation of a single worker. Workers that run at the same time divide twice as many bytes among
    /// themselves.
    pub young: usize,
    /// Number of bytes of each stack of compiled code.
    pub stack: usize,
    /// For tests: whether every allocation on the slow path collects, and whether the heap is verified.
    pub stress: bool,
    /// Whether to print allocations and collections at the end.
    pub stats: bool,
    /// The file to which the statistics are written as JSON, if any.
    pub stats_json: Option<PathBuf>,
    /// Number of workers for programs that fork.
    pub workers: usize,
    /// For tests: whether every poll publishes as many forks as possible.
    pub publish: bool,
    /// Whether to keep half of the heap for collections, so that a program can run after another program has used up the other half of the
    /// heap.
    pub reserve: bool,
    /// The way in which workers share the heap.
    pub memory: Memory,
    /// The trace to make. With a trace, even programs without forks run on threads of a pool.
    pub trace: Option<Tracing>,
    /// The heap profile to make.
    pub heap_profile: Option<Profiling>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            heap: defaults::memory() / 5 * 4,
            young: YOUNG_SPAN,
            stack: 4 << 30,
            stress: false,
            stats: false,
            stats_json: None,
            workers: 1,
            publish: false,
            reserve: false,
            memory: Memory::Split,
            trace: None,
            heap_profile: None,
        }
    }
}
