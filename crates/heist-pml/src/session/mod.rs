//! A session compiles and runs inputs one after the other, each in the scope of the earlier inputs.
//!
//! The session elaborates each input with the declarations of the earlier inputs. Each input becomes a separate program, which contains all
//! earlier declarations that it needs. The program of an input does not compute the results of earlier programs again:
//!
//! - When a program evaluates a `val` that is not polymorphic, the program stores the value in a *cell*. Later
//!   programs load the value from this cell. When a program declares an exception, it stores the exception's identity in a cell. The cells
//!   are an array on the worker's heap ([`Worker::reserve_cells`]). A cell is a reference to its value, so all cells have the same
//!   representation.
//! - If an input uses functions or polymorphic values of earlier inputs, the input's program contains these functions and values, compiled
//!   again for the types of their uses. Because of the value restriction, a program cannot observe that an input evaluates polymorphic
//!   values again.
//!
//! The representation of a value and the calling convention of a closure depend only on its type. So the programs of a session can use each
//! other's data and closures. All code stays in memory until the session ends, because closures may refer to the code. An input that is
//! rejected, raises an exception or is interrupted declares no names, but its effects on references and files remain.

mod cells;
mod chunks;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;

use cells::{Cells, Plan};
pub use chunks::split;

use crate::basis::{BasisFile, demand};
use crate::codegen::{self, Loaded, Outcome};
use crate::coverage;
use crate::diag::{Diagnostics, Style, render};
use crate::driver::Dialect;
use crate::elab::{self, Bindings, Checkpoint, Echo, Elaborator};
use crate::library::Library;
use crate::lower::layout::Layouts;
use crate::runtime::process::files;
use crate::runtime::state::interrupt::Watch;
use crate::runtime::state::worker::Worker;
use crate::runtime::value::show::show;
use crate::source::{FileId, Sources, Span};
use crate::syntax::{self, FixityEnv};
use crate::typed::Dec;
use crate::{anf, basis, close, library, lower, mono, opt};

/// The answer to an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The way in which the input ended.
    pub end: Ended,
    /// The errors and warnings about the input, and the message about an unhandled exception.
    pub messages: String,
    /// The text that lists the names that the input declares, with their types and values.
    pub text: String,
}

/// The ways in which an input can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The input has run to its end.
    Done,
    /// The input has errors.
    Refused,
    /// The input has raised an exception and not handled it.
    Uncaught,
    /// The user has pressed Ctrl-C, or the stack or the heap is used up.
    Interrupted,
}

/// A session.
pub struct Session {
    // The worker is dropped before `programs`, because its closures refer to their code.
    worker: Box<Worker>,
    programs: Vec<Loaded>,
    sources: Sources,
    fixity: FixityEnv,
    elaborator: Elaborator,
    cells: Cells,
    /// All declarations of earlier inputs, with loads from cells in place of the evaluated expressions.
    history: Vec<Dec>,
    /// The bindings of the files on demand and the libraries that inputs have mentioned, keyed by the names of the files.
    added: HashMap<&'static str, Bindings>,
    /// The names of the files on demand in `added`, in the order of their declaration.
    on_demand: Vec<&'static str>,
    /// Whether the dialect has files on demand and libraries.
    has_libraries: bool,
    /// The infix operators of the Basis.
    usual: FixityEnv,
    style: Style,
}

impl Session {
    /// Makes a session in which only the Basis is declared.
    ///
    /// # Errors
    ///
    /// Returns an error, in words for the user, if code generation fails for the Basis.
    pub fn new(dialect: Dialect, worker: Box<Worker>, style: Style) -> Result<Session, String> {
        let mut elaborator = Elaborator::new(elab::Options {
            manticore: dialect == Dialect::Manticore,
            ..elab::Options::default()
        });
        let cells = Cells::new(elaborator.tables());
        let mut session = Session {
            worker,
            programs: Vec::new(),
            sources: Sources::default(),
            fixity: FixityEnv::new(),
            elaborator,
            cells,
            history: Vec::new(),
            added: HashMap::new(),
            on_demand: Vec::new(),
            has_libraries: dialect != Dialect::Manticore,
            usual: FixityEnv::new(),
            style,
        };
        session.builtin(dialect.basis(), true)?;
        session.elaborator.seal_basis();
        session.usual = session.fixity.clone();
        Ok(session)
    }

    /// Declares and runs files that are part of the compiler. If `forms` is true, the compiler translates parallel forms to calls of
    /// functions of these files.
    fn builtin<'f>(
        &mut self,
        files: impl IntoIterator<Item = &'f BasisFile>,
        forms: bool,
    ) -> Result<(), String> {
        let mut diagnostics = Diagnostics::default();
        for file in files {
            file.declare(
                forms,
                &mut self.sources,
                &mut self.fixity,
                &mut self.elaborator,
                &mut diagnostics,
            );
        }
        if diagnostics.has_errors() {
            return Err(self.render(&mut diagnostics));
        }
        let decs = self.elaborator.take_decs();
        let plan = self.cells.plan(self.elaborator.tables(), decs, true);
        match self.run(plan.run)? {
            Outcome::Done => self.history.extend(plan.keep),
            outcome => return Err(format!("the Basis could not be started: {outcome:?}")),
        }
        Ok(())
    }

    /// Declares the files on demand and the libraries that a text mentions for the first time.
    fn add_mentioned(&mut self, text: &[u8]) {
        if !self.has_libraries {
            return;
        }
        let libraries = library::mentioned(&[text]);
        let texts = libraries.iter().map(|it| it.file.text.as_bytes());
        for file in demand::mentioned(texts.chain([text])) {
            self.add(&file, None);
        }
        for library in libraries {
            self.add(&library.file, Some(library));
        }
    }

    /// Declares a file on demand or a library, unless it is declared already. As in a list of files, the declared file sees only the Basis,
    /// and the files on demand and libraries that it needs. The declared file does not see declarations of the user.
    fn add(&mut self, file: &BasisFile, library: Option<&Library>) {
        if self.added.contains_key(file.name) {
            return;
        }
        let list = self.elaborator.enter_list();
        let fixity = std::mem::replace(&mut self.fixity, self.usual.clone());
        let from = self.elaborator.moment();
        let on_demand = self.on_demand.iter().copied();
        let libraries = library.into_iter().flat_map(Library::needs);
        for needed in on_demand.chain(libraries.map(|it| it.file.name)) {
            if let Some(bindings) = self.added.get(needed) {
                self.elaborator.bind_again(bindings);
            }
        }
        let to = self.elaborator.moment();
        let done = self.builtin([file], false);
        // Tests check that all these files compile. If an interrupt stops the run of a file, the next input that
        // mentions it tries again.
        if done.is_ok() {
            let bindings = self.elaborator.bound_since(to);
            self.added.insert(file.name, bindings);
            if library.is_none() {
                self.on_demand.push(file.name);
            }
        }
        self.fixity = fixity;
        self.elaborator.leave_list(list);
        self.elaborator.hide(from, to);
    }

    /// Compiles and runs an input.
    pub fn input(
        &mut self,
        path: impl Into<PathBuf>,
        text: &[u8],
        options: syntax::Options,
    ) -> Answer {
        self.add_mentioned(text);
        let fixity = self.fixity.clone();
        let since = self.elaborator.checkpoint();
        let mut answer = Answer {
            end: Ended::Refused,
            messages: String::new(),
            text: String::new(),
        };
        let id = self.sources.add(path, text, false);
        match self.declare(id, options, &mut answer.messages) {
            None => {}
            Some(plan) => self.execute(plan, since, id, &mut answer),
        }
        if answer.end != Ended::Done {
            self.fixity = fixity;
            self.elaborator.restore(since);
            drop(self.elaborator.take_decs());
        }
        answer
    }

    /// Returns the type of an expression. Does not run the expression.
    ///
    /// # Errors
    ///
    /// Returns the text of errors and warnings.
    pub fn type_of(
        &mut self,
        path: impl Into<PathBuf>,
        text: &[u8],
        options: syntax::Options,
    ) -> Result<String, String> {
        self.add_mentioned(text);
        let fixity = self.fixity.clone();
        let since = self.elaborator.checkpoint();
        let id = self.sources.add(path, text, false);
        let mut messages = String::new();
        let cells = self.cells.count;
        let plan = self.declare(id, options, &mut messages);
        self.cells.count = cells;
        let found = match (&plan, &self.elaborator.echo(since, id)[..]) {
            (Some(_), [Echo::Val { text, .. }]) => Ok(text.clone()),
            (Some(_), _) => Err("this is not one expression\n".into()),
            (None, _) => Err(messages),
        };
        self.fixity = fixity;
        self.elaborator.restore(since);
        found
    }

    /// Ends the session: runs the functions that programs have passed to `OS.Process.atExit`.
    pub fn end(mut self) -> Answer {
        let mut diagnostics = Diagnostics::default();
        let since = self.elaborator.checkpoint();
        let id = basis::EPILOGUE.declare(
            true,
            &mut self.sources,
            &mut FixityEnv::new(),
            &mut self.elaborator,
            &mut diagnostics,
        );
        let mut answer = Answer {
            end: Ended::Done,
            messages: String::new(),
            text: String::new(),
        };
        // Errors mean that a program has hidden the structure of the Basis by a structure with the same name.
        if !diagnostics.has_errors() {
            let decs = self.elaborator.take_decs();
            let plan = self.cells.plan(self.elaborator.tables(), decs, true);
            self.execute(plan, since, id, &mut answer);
        }
        answer
    }

    /// Parses and elaborates a file. Puts the errors and warnings into `messages`. Returns `None` if the file has
    /// errors.
    fn declare(
        &mut self,
        id: FileId,
        options: syntax::Options,
        messages: &mut String,
    ) -> Option<Plan> {
        let mut diagnostics = Diagnostics::default();
        let decs = syntax::parse(
            &self.sources,
            id,
            &mut self.fixity,
            options,
            &mut diagnostics,
        );
        if !diagnostics.has_errors() {
            self.elaborator.declare(&decs, false, &mut diagnostics);
        }
        if !diagnostics.has_errors() {
            let wanted = |span: Span| span.file == id;
            coverage::coverage(self.elaborator.program(), &wanted, &mut diagnostics);
        }
        let failed = diagnostics.has_errors();
        *messages = self.render(&mut diagnostics);
        let decs = self.elaborator.take_decs();
        (!failed).then(|| self.cells.plan(self.elaborator.tables(), decs, false))
    }

    /// Runs the declarations of an input. Puts the end of the run, the messages and the declared names into `answer`.
    fn execute(&mut self, plan: Plan, since: Checkpoint, id: FileId, answer: &mut Answer) {
        match self.run(plan.run) {
            Err(why) => {
                answer.messages.push_str(&why);
                answer.end = Ended::Refused;
            }
            Ok(Outcome::Uncaught(what)) => {
                let what = String::from_utf8_lossy(&what);
                answer
                    .messages
                    .push_str(&format!("uncaught exception {what}\n"));
                answer.end = Ended::Uncaught;
            }
            Ok(Outcome::Interrupted(cause)) => {
                let why = Outcome::interruption(cause, &self.worker);
                answer.messages.push_str(&format!("{why}\n"));
                answer.end = Ended::Interrupted;
            }
            Ok(Outcome::Done) => {
                self.history.extend(plan.keep);
                answer.end = Ended::Done;
                for echo in self.elaborator.echo(since, id) {
                    let text = match echo {
                        Echo::Text(text) => text,
                        Echo::Val {
                            name,
                            var,
                            ty,
                            text,
                        } => {
                            let kept = var.and_then(|var| plan.values.get(&var));
                            let value = self.show(kept, ty);
                            format!("val {name} = {value} : {text}")
                        }
                    };
                    answer.text.push_str(&text);
                    answer.text.push('\n');
                }
            }
        }
    }

    /// Returns the text of a variable's value for the prompt. The value is in a cell.
    fn show(&mut self, kept: Option<&(usize, crate::typed::Ty)>, ty: crate::typed::Ty) -> String {
        let tables = self.elaborator.tables();
        if let crate::typed::TyKind::Arrow(..) = tables.types.kind(ty) {
            return "fn".into();
        }
        let Some(&(cell, ty)) = kept else {
            // A `pval` binds the variable, and its value is not computed yet.
            return "-".into();
        };
        let mut open = mono::instance(tables, tables.types.clone(), &[]);
        let shape = lower::shape::shape(&mut Layouts::new(&mut open), ty);
        // SAFETY: the last program has stored a reference to a value of this type in the cell. No program runs during
        // this call, so the collector does not move the value.
        unsafe {
            let kept = self.worker.cells().field(cell);
            show(kept.word(0), &shape)
        }
    }

    /// Compiles and runs declarations in the scope of all earlier inputs.
    fn run(&mut self, decs: Vec<Dec>) -> Result<Outcome, String> {
        if decs.is_empty() {
            return Ok(Outcome::Done);
        }
        let before = self.history.len();
        self.history.extend(decs);
        let tables = self.elaborator.program();
        let program = mono::instance(tables, tables.types.clone(), &self.history);
        self.history.truncate(before);
        let mut diagnostics = Diagnostics::default();
        let mut program = lower::lower(program, crate::lower::Forms::default(), &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(self.render(&mut diagnostics));
        }
        program.places.sources = self.sources.clone();
        opt::optimise(&mut program);
        close::close(&mut program);
        if cfg!(debug_assertions)
            && let Err(why) = anf::check(&program)
        {
            panic!("closure conversion made a program that is not well formed: {why}");
        }
        let loaded = codegen::load_after(self.programs.first(), &program, None);
        let mut loaded = loaded.map_err(|error| format!("{error}\n"))?;
        self.worker.reserve_cells(self.cells.count);
        let watch = Watch::new(&self.worker);
        // SAFETY: the session keeps this program and all earlier ones until its worker is dropped.
        let outcome = unsafe { loaded.run(&mut self.worker) };
        drop(watch);
        files::flush_all();
        self.programs.push(loaded);
        Ok(outcome)
    }

    fn render(&self, diagnostics: &mut Diagnostics) -> String {
        diagnostics.sort();
        render(&self.sources, diagnostics.items(), self.style)
    }
}
