//! The version of the program.

/// Version text from the build script: the version, the commit, the compiler and the profile.
pub(crate) const VERSION: &str = env!("HEIST_VERSION");
