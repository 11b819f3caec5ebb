//! Published forks, scopes and races.

pub mod barrier;
pub mod cancel;
pub mod publish;
pub mod scopes;
pub mod tasks;
