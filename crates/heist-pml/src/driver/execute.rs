//! Runs compiled programs.

use std::path::PathBuf;

use super::Settings;
use crate::codegen::Loaded;
use crate::runtime::basis::system;
use crate::runtime::launch::settings::Launch;

/// Runs a program to its end. Returns the exit code.
pub fn execute(loaded: &mut Loaded, files: &[PathBuf], settings: &Settings) -> i32 {
    let name = files.first().cloned().unwrap_or_default();
    system::set_command_line(name.into(), settings.arguments.iter().cloned());
    launch(settings).run(|worker| {
        // SAFETY: the program lives longer than this call, and the worker runs nothing after the call.
        unsafe { loaded.run_to_end(worker) }
    })
}

/// Translates the settings to the settings of the runtime.
pub fn launch(settings: &Settings) -> Launch {
    Launch {
        heap: settings.heap,
        stack: settings.stack,
        stats: settings.stats,
        stats_json: settings.stats_json.clone(),
        stress: settings.stress,
        workers: settings.workers,
        reserve: false,
        memory: settings.memory,
        trace: settings.trace.clone(),
        heap_profile: settings.heap_profile.clone(),
    }
}
