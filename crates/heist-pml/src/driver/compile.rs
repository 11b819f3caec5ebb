//! Runs the passes of the compiler, one after the other.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use super::annotations;
use super::files::Unusable;
use super::mlb::{Dec, Lists};
use super::program::{self, Elaboration, Texts};
use super::settings::{Dialect, Dump, Settings};
use super::times::{Phase, Times};
use super::{IMPOSSIBLE, REFUSED};
use crate::basis::{BasisFile, demand};
use crate::codegen::{self, Loaded, Processor};
use crate::diag::{Diagnostics, Style, render};
use crate::elab::{self, Elaborator};
use crate::source::{Sources, Span};
use crate::syntax::FixityEnv;
use crate::{anf, basis, close, coverage, lower, mono, opt, typed};

/// The size in bytes of the stack on which passes run. Passes are recursive over trees. The parser limits the depth of these trees, and
/// this stack is large enough for the deepest tree.
const STACK: usize = 1 << 30;

/// Runs a closure on a thread with a stack that is large enough for all programs within the parser's limits. If the
/// system refuses the memory or the thread (`ulimit -v`, `ulimit -u`), ends the process with a message.
pub fn on_large_stack<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("heist-pml".into())
            .stack_size(STACK)
            .spawn_scoped(scope, body);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                say(&format!(
                    "heist: the compiler needs a thread with 1 GiB of address space for its stack: {error}\n"
                ));
                std::process::exit(IMPOSSIBLE)
            }
        }
    })
}

/// Translates text to a typed program. Prints the messages.
///
/// Manticore's dialect has a current top level, and earlier top levels in which some functions take their arguments in other forms. If the
/// current top level rejects a program, the compiler tries the earlier top levels. At first, the compiler elaborates only the modules of
/// the Basis that the program mentions. If all top levels reject the program, the compiler tries them again with the whole Basis. Then the
/// messages come from the current top level, and may suggest the name of any module.
///
/// # Errors
///
/// Returns the exit code if the program is refused or cannot be read.
pub fn front(
    given: &[PathBuf],
    settings: &Settings,
    times: &mut Times,
) -> Result<(typed::Program, Sources), i32> {
    let impossible = |Unusable(why): Unusable| {
        say(&format!("heist: {why}\n"));
        IMPOSSIBLE
    };
    let mut lists = Lists::new(&settings.path_variables);
    let files: Result<Vec<Dec>, Unusable> = times.phase(Phase::Read, || {
        given.iter().map(|path| lists.path(path)).collect()
    });
    let mut files = files.map_err(impossible)?;
    for warning in &lists.warnings {
        say(&format!("heist: {warning}\n"));
    }
    let texts = times
        .phase(Phase::Read, || program::texts(&files, Texts::new()))
        .map_err(impossible)?;
    if settings.dialect != Dialect::Manticore {
        let libraries = program::libraries(&files, &texts);
        let libraries = libraries.iter().map(|library| Dec::Embedded(library.file));
        files.splice(0..0, libraries);
    }
    let levels: &[&[&[BasisFile]]] = match settings.dialect {
        Dialect::Manticore => &[&[], &[basis::TUPLES], &[basis::TUPLES, basis::OLDER]],
        _ => &[&[]],
    };
    let attempts = |whole: bool| levels.iter().map(move |level| (*level, whole));
    let mut refused = None;
    for (level, whole) in attempts(false).chain(attempts(true)) {
        let (mut found, program) =
            elaborated(&files, &texts, level, whole, settings, times).map_err(impossible)?;
        if let Some(program) = program {
            report(&found.sources, &mut found.diagnostics, settings)?;
            if settings.dumps.contains(&Dump::Typed) {
                say(&typed::dump(&program));
            }
            return Ok((program, found.sources));
        }
        if whole {
            refused = refused.or(Some(found));
        }
    }
    if let Some(mut found) = refused {
        report(&found.sources, &mut found.diagnostics, settings)?;
    }
    Err(REFUSED)
}

/// The messages about a program.
#[derive(Default)]
struct Found {
    sources: Sources,
    diagnostics: Diagnostics,
}

/// Checks the files of a program, after the Basis and then the files `earlier`, which declare an earlier top level of Manticore's dialect.
/// If `whole` is false, elaborates only the modules of the Basis that the program mentions. Returns no program if there are errors.
fn elaborated(
    files: &[Dec],
    texts: &Texts,
    earlier: &[&[BasisFile]],
    whole: bool,
    settings: &Settings,
    times: &mut Times,
) -> Result<(Found, Option<typed::Program>), Unusable> {
    let Found {
        mut sources,
        mut diagnostics,
    } = Found::default();
    let mut fixity = FixityEnv::new();
    let is_list = program::has_list(files);
    let mut elaborator = Elaborator::new(elab::Options {
        manticore: settings.dialect == Dialect::Manticore,
        mlton: is_list,
        int32: settings.int32,
        ..elab::Options::default()
    });
    let mut annotations = HashMap::new();
    let mut elaboration = Elaboration {
        texts,
        dialect: settings.dialect,
        sources: &mut sources,
        usual: FixityEnv::new(),
        fixity: &mut fixity,
        elaborator: &mut elaborator,
        diagnostics: &mut diagnostics,
        annotations: &mut annotations,
        done: HashMap::new(),
        bases: Vec::new(),
        trees: None,
        times,
    };
    let mut mentions = program::mentions(files, texts);
    let text = |file: &BasisFile| file.text.as_bytes();
    let int32 = settings.int32.then_some(basis::INT32).into_iter().flatten();
    mentions.extend(int32.clone().map(text));
    let mut more: Vec<BasisFile> = settings.dialect.own().to_vec();
    if settings.dialect != Dialect::Manticore {
        more.extend(demand::mentioned(mentions.iter().copied()));
    }
    more.extend(is_list.then_some(basis::MLTON));
    more.extend(int32);
    let earlier = earlier.iter().copied().flatten();
    if whole {
        for file in basis::STANDARD {
            elaboration.declare(file, true);
        }
    } else {
        mentions.extend(more.iter().chain(earlier.clone()).map(text));
        for (file, text) in basis::needed::needed(basis::STANDARD, mentions) {
            elaboration.declare_part(&file, text, true);
        }
        debug_assert!(
            !elaboration.diagnostics.has_errors(),
            "the needed part of the Basis has errors"
        );
    }
    for file in &more {
        elaboration.declare(file, true);
    }
    // Parallel forms remain calls of the Basis, even if these files bind the same names.
    for file in earlier {
        elaboration.declare(file, false);
    }
    elaboration.usual = elaboration.fixity.clone();
    elaboration.program(files)?;
    if diagnostics.has_errors() {
        // `finish` requires a well-typed program, and after errors the program need not be well typed.
        let found = Found {
            sources,
            diagnostics,
        };
        return Ok((found, None));
    }
    let program = times.phase(Phase::Elaborate, || {
        basis::EPILOGUE.declare(
            true,
            &mut sources,
            &mut FixityEnv::new(),
            &mut elaborator,
            &mut diagnostics,
        );
        elaborator.finish()
    });
    let wanted = |span: Span| sources.file(span.file).is_some_and(|file| !file.builtin);
    let mut uncovered = Diagnostics::default();
    times.phase(Phase::Matches, || {
        coverage::coverage(&program, &wanted, &mut uncovered);
    });
    annotations::judge(&annotations, &uncovered, &mut diagnostics);
    let program = (!diagnostics.has_errors()).then_some(program);
    let found = Found {
        sources,
        diagnostics,
    };
    Ok((found, program))
}

/// Checks a program, and makes the dumps that the settings request, but does not run the program. Prints the messages.
///
/// # Errors
///
/// Returns the exit code if the program is refused or cannot be read.
pub fn checked(given: &[PathBuf], settings: &Settings, times: &mut Times) -> Result<(), i32> {
    if dump(settings).is_some() {
        loaded(given, settings, times).map(drop)
    } else if settings.dumps.iter().any(|dump| *dump != Dump::Typed) {
        whole(given, settings, times).map(drop)
    } else {
        front(given, settings, times).map(drop)
    }
}

/// Translates text to a program for code generation.
///
/// # Errors
///
/// Returns the exit code if the program is refused or cannot be read.
pub fn whole(
    given: &[PathBuf],
    settings: &Settings,
    times: &mut Times,
) -> Result<anf::Program, i32> {
    let (program, sources) = front(given, settings, times)?;
    let program = times.phase(Phase::Mono, || mono::mono(program));
    if settings.dumps.contains(&Dump::Mono) {
        say(&typed::dump(&program));
    }
    let mut diagnostics = Diagnostics::default();
    let mut program = times.phase(Phase::Lower, || {
        lower::lower_for(
            program,
            settings.forms,
            settings.heap_types,
            &mut diagnostics,
        )
    });
    report(&Sources::default(), &mut diagnostics, settings)?;
    program.places.sources = sources;
    let print = |dump: Dump, program: &anf::Program| {
        if settings.dumps.contains(&dump) {
            say(&anf::dump(program));
        }
    };
    print(Dump::Lower, &program);
    opt::optimise_with(&mut program, |ran, program| {
        times.pass(ran);
        let (name, run) = (ran.pass.name, ran.run);
        print(Dump::Pass { name, run }, program);
    });
    print(Dump::Anf, &program);
    times.phase(Phase::Close, || close::close(&mut program));
    if cfg!(debug_assertions)
        && let Err(why) = anf::check(&program)
    {
        panic!("closure conversion made a program that is not well formed: {why}");
    }
    print(Dump::Close, &program);
    Ok(program)
}

/// Translates text to code in memory.
///
/// # Errors
///
/// Returns the exit code if the program is refused or cannot be read.
pub fn loaded(given: &[PathBuf], settings: &Settings, times: &mut Times) -> Result<Loaded, i32> {
    let program = whole(given, settings, times)?;
    let loaded = times
        .phase(Phase::Code, || codegen::load(&program, dump(settings)))
        .map_err(unsupported)?;
    say(&loaded.text);
    if settings.perf_map {
        let path = format!("/tmp/perf-{}.map", std::process::id());
        // An earlier process with the same number may have left this file. `create_new` follows no link and overwrites
        // no existing file.
        let _ = std::fs::remove_file(&path);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        if let Err(error) = file.and_then(|mut file| file.write_all(loaded.perf_map().as_bytes())) {
            say(&format!("heist: cannot write {path}: {error}\n"));
            return Err(IMPOSSIBLE);
        }
    }
    Ok(loaded)
}

/// Translates text to an object file.
///
/// # Errors
///
/// Returns the exit code if the program is refused or cannot be read.
pub fn object(
    given: &[PathBuf],
    processor: Processor,
    debug: bool,
    settings: &Settings,
    times: &mut Times,
) -> Result<Vec<u8>, i32> {
    let program = whole(given, settings, times)?;
    let object = times.phase(Phase::Code, || {
        codegen::object(&program, processor, debug, dump(settings))
    });
    let object = object.map_err(unsupported)?;
    say(&object.text);
    Ok(object.bytes)
}

/// Returns the stage of code generation that the settings request to print, if any.
fn dump(settings: &Settings) -> Option<codegen::Dump> {
    settings.dumps.iter().find_map(|dump| match dump {
        Dump::Clif => Some(codegen::Dump::Clif),
        Dump::Asm => Some(codegen::Dump::Asm),
        _ => None,
    })
}

fn unsupported(error: codegen::Error) -> i32 {
    say(&format!("heist: {error}\n"));
    IMPOSSIBLE
}

/// Prints errors and warnings.
///
/// # Errors
///
/// Returns the exit code if there are errors.
pub fn report(
    sources: &Sources,
    diagnostics: &mut Diagnostics,
    settings: &Settings,
) -> Result<(), i32> {
    diagnostics.sort();
    say(&render(
        sources,
        diagnostics.items(),
        Style {
            colours: settings.colour,
            short: false,
        },
    ));
    if diagnostics.has_errors() {
        Err(REFUSED)
    } else {
        Ok(())
    }
}

/// Prints a text to standard error. Does nothing if standard error is closed.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
