//! Functions that run a compiled program.

use crate::code::description::{Description, VERSION};
use crate::code::known::Known;
use crate::exception::trail;
use crate::process::exit::UNCAUGHT;
use crate::process::files;
use crate::run::finish::finish;
use crate::run::{alone, fault};
use crate::state::interrupt::{self, Cause};
use crate::state::pool::Pool;
use crate::state::switch;
use crate::state::worker::Worker;
use crate::value::object::{Value, WORD};

/// The way in which a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program has ended normally.
    Done,
    /// An exception was not handled. The text is the name and payload of the exception.
    Uncaught(Vec<u8>),
    /// The program was interrupted, by Ctrl-C or because it had used up its stack or the heap. Only a watched program is interrupted: see
    /// [`interrupt`].
    Interrupted(Cause),
}

impl Outcome {
    /// Returns the text for the reason for which a program was interrupted.
    #[must_use]
    pub fn interruption(cause: Cause, worker: &Worker) -> String {
        match cause {
            Cause::Signal => "interrupted".into(),
            Cause::Stack => fault::last_overflow(),
            Cause::Memory => worker.exhaustion(),
        }
    }

    /// Returns the exit code.
    fn code(&self) -> i32 {
        match self {
            Outcome::Done => 0,
            Outcome::Uncaught(_) => UNCAUGHT,
            // The shell gives this code to a process that a signal ended.
            Outcome::Interrupted(_) => 130,
        }
    }
}

/// Runs code on the worker itself, or on the threads of a pool. The pool is necessary in three cases: an attached program may make threads;
/// an attached program forks, and more than one worker is configured; or there is a trace.
///
/// # Safety
/// `code` must be a function of the program attached to the worker, as for `alone::run`.
unsafe fn start(worker: &mut Worker, code: usize) -> u64 {
    let world = worker.shared_world();
    let workers = world.options.workers;
    let forks = workers > 1 && !world.inner().forks.is_empty();
    let pool = if forks || world.threads.are_used() || world.options.trace.is_some() {
        world.pool(|| Pool::start(&world, workers))
    } else {
        None
    };
    match pool {
        // SAFETY: `code` is a function of the attached program. The worker's own strand has not begun and is in no list; the worker runs
        // nothing and is borrowed until `run` returns.
        Some(pool) => unsafe {
            let first: *mut Worker = worker;
            pool.run(first, (*first).own_strand(), code)
        },
        // SAFETY: `code` is a function of the program that was attached to the worker.
        None => unsafe { alone::run(worker, code) },
    }
}

/// Runs a program. Programs that ran on the worker before stay alive: the new program may call their closures and read their data.
///
/// # Safety
/// The description must come from code generation, and its code must stay in memory as long as the worker is used. All programs that run on
/// one worker must have the same table of built-in exceptions ([`Description::exns`]). A program may run only once.
pub unsafe fn run(program: &Description, worker: &mut Worker) -> Outcome {
    assert_eq!(program.version, VERSION, "code of another version");
    // SAFETY: code generation wrote the description: each pointer leads to as many elements as the number next to it says, and these
    // elements exist as long as the worker is used.
    let (functions, table, forks, places) = unsafe {
        (
            std::slice::from_raw_parts(program.functions, program.function_count),
            std::slice::from_raw_parts(program.frames, program.frame_words),
            std::slice::from_raw_parts(program.forks, program.fork_words),
            std::slice::from_raw_parts(program.places, program.place_bytes),
        )
    };
    let globals =
        (0..program.pointers).map(|index| (program.globals as usize + index * WORD) as *mut usize);
    let known = Known {
        before: 0,
        spots: program.spots,
        count: program.spot_count,
        places,
    };
    // SAFETY: the tables are those of the description, and exist as long as the worker is used. Nothing runs yet.
    unsafe { worker.attach((functions, table), forks, globals, program.exns, known) };
    // SAFETY: the code belongs to the attached program. A pending value other than 0 is an exception.
    unsafe {
        if start(worker, program.main) == 0 {
            return Outcome::Done;
        }
        if worker.pending == Value(0) {
            return Outcome::Interrupted(interrupt::cause());
        }
        let exn = std::mem::replace(&mut worker.pending, Value(0));
        Outcome::Uncaught(crate::exception::raise::describe(exn))
    }
}

/// Runs a program that is the only work of its process: reports an unhandled exception, and then runs the functions that the program has
/// given to `OS.Process.atExit`. Returns the exit code.
///
/// # Safety
/// The description must come from code generation, and its code must stay in memory as long as the worker is used. All programs that run on
/// one worker must have the same table of built-in exceptions ([`Description::exns`]). A program may run only once.
pub unsafe fn run_to_end(program: &Description, worker: &mut Worker) -> i32 {
    // SAFETY: the description comes from code generation, its code stays in memory as long as the worker is used, and this is the program's
    // only run.
    let outcome = unsafe { run(program, worker) };
    if let Outcome::Uncaught(text) = &outcome {
        files::flush_all();
        let trail = trail::describe(worker.world(), worker.raised);
        crate::exception::raise::report(text, "", &trail);
        if worker.world().at_exit().is_some() {
            let code = switch::at_exit as *const () as usize;
            // SAFETY: the caller keeps the program's code, and the Basis has given the closure. The closure handles the exceptions of its
            // actions.
            unsafe { start(worker, code) };
        }
    }
    finish(worker);
    files::exit_code(outcome.code())
}
