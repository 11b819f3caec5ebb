//! The version of the program.

/// The version text from the build script, with the version, the commit, the compiler and the profile.
pub(crate) const VERSION: &str = env!("HEIST_VERSION");
