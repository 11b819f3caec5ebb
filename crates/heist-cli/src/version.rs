//! The version of the program.

/// The text of `heist --version` from the build script: the version, the commit, the compiler and
/// the profile.
pub(crate) const VERSION: &str = env!("HEIST_VERSION");
