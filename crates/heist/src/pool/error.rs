//! The errors of building a pool.

use crate::policy::SpawnPolicy;
use std::fmt;
use std::io;

/// The reason why a [`Pool`](crate::Pool) could not be built.
#[doc(alias = "ThreadPoolBuildError")]
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// More than [`MAX_THREADS`](crate::MAX_THREADS) threads were requested.
    TooManyThreads {
        /// Number of requested threads.
        asked: usize,
    },
    /// A stack larger than [`MAX_STACK`](crate::MAX_STACK) was requested.
    StackTooLarge {
        /// Number of requested bytes.
        asked: usize,
    },
    /// The name for the threads contains a NUL, which operating systems do not accept.
    Name {
        /// The name that contains the NUL.
        name: String,
    },
    /// The environment variable `HEIST_NUM_THREADS` (the default number of threads) is not a valid
    /// number of threads.
    Variable {
        /// The value of the variable.
        value: String,
    },
    /// The requested fibers are not available.
    Fibers {
        /// The reason why fibers are not available.
        reason: String,
    },
    /// The requested spawn policy needs fibers that may move between threads.
    SpawnPolicy {
        /// The requested policy.
        policy: SpawnPolicy,
    },
    /// [`Builder::build_global`](crate::Builder::build_global) was called while the global pool was
    /// already running, because the program had built it or [used](crate::global) it before.
    GlobalPoolAlreadyInitialized,
    /// [`Builder::use_current_thread`](crate::Builder::use_current_thread) was called on a worker of a pool.
    AlreadyWorker,
    /// The operating system refused a thread or its memory. The threads that had started have
    /// ended.
    Spawn {
        /// Number of threads that had started before the error.
        started: usize,
        /// The operating system's reason.
        source: io::Error,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::TooManyThreads { asked } => write!(
                f,
                "a pool of {asked} threads was asked for, but the limit is {}",
                super::MAX_THREADS
            ),
            BuildError::StackTooLarge { asked } => write!(
                f,
                "stacks of {asked} bytes were asked for, but the limit is {}",
                super::MAX_STACK
            ),
            BuildError::Name { name } => {
                write!(f, "the thread name {name:?} has a NUL character in it")
            }
            BuildError::Variable { value } => write!(
                f,
                "the environment variable HEIST_NUM_THREADS is {value:?}; it must be a number from 0 (the default) to {}",
                super::MAX_THREADS
            ),
            BuildError::Fibers { reason } => write!(f, "the pool cannot have fibers: {reason}"),
            BuildError::SpawnPolicy { policy } => write!(
                f,
                "a {policy} pool needs fibers that are not pinned: see Builder::fibers"
            ),
            BuildError::GlobalPoolAlreadyInitialized => f.write_str(
                "the global pool runs already; it can be configured before its first use only",
            ),
            BuildError::AlreadyWorker => {
                f.write_str("the current thread is a worker of a pool already")
            }
            BuildError::Spawn { started, source } => write!(
                f,
                "a worker thread could not be started ({started} had been): {source}"
            ),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::TooManyThreads { .. }
            | BuildError::StackTooLarge { .. }
            | BuildError::Name { .. }
            | BuildError::Variable { .. }
            | BuildError::Fibers { .. }
            | BuildError::SpawnPolicy { .. }
            | BuildError::GlobalPoolAlreadyInitialized
            | BuildError::AlreadyWorker => None,
            BuildError::Spawn { source, .. } => Some(source),
        }
    }
}
