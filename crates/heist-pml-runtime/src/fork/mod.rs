//! Published forks, scopes and races.

pub mod publish;
pub mod scopes;
pub mod tasks;
