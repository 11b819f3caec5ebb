//! The errors of building a pool.

use std::error::Error;
use std::fmt;
use std::io;

/// The reason why a pool was not built.
#[derive(Debug)]
pub struct ThreadPoolBuildError {
    kind: ErrorKind,
}

#[derive(Debug)]
pub(crate) enum ErrorKind {
    /// The global pool exists already.
    Initialized,
    /// The current thread should become a worker, and is a worker already.
    InPool,
    /// The system refused a thread or memory.
    Io(io::Error),
}

impl ThreadPoolBuildError {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        ThreadPoolBuildError { kind }
    }

    pub(crate) fn io(error: io::Error) -> Self {
        Self::new(ErrorKind::Io(error))
    }

    /// Returns true if the platform has no threads at all.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(&self.kind, ErrorKind::Io(error) if error.kind() == io::ErrorKind::Unsupported)
    }
}

impl Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ErrorKind::Initialized | ErrorKind::InPool => None,
            ErrorKind::Io(error) => Some(error),
        }
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            // These texts are the same as in rayon-core, because programs compare them.
            ErrorKind::Initialized => {
                f.write_str("The global thread pool has already been initialized.")
            }
            ErrorKind::InPool => {
                f.write_str("The current thread is already part of another thread pool.")
            }
            ErrorKind::Io(error) => error.fmt(f),
        }
    }
}
