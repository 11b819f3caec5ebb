//! A loop that reads declarations and expressions, runs them, and prints their values.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::compile::{on_large_stack, say};
use super::{ACCEPTED, IMPOSSIBLE, REFUSED, Settings, execute, files};
use crate::diag::Style;
use crate::runtime::basis::system;
use crate::runtime::launch::settings::Launch;
use crate::session::{Answer, Ended, Session, split};
use crate::syntax;

/// An input from the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without the newline character.
    Text(Vec<u8>),
    /// The user has pressed Ctrl-C. The loop then drops the incomplete input.
    Interrupt,
    /// The end of the input.
    End,
}

/// A source of lines: a function that takes a prompt and returns the next line.
pub type Reader<'a> = dyn FnMut(&str) -> Line + 'a;

const HELP: &str = "\
Declarations and expressions end with `;`. The value of an expression is called `it`.

  :type EXPRESSION   its type; it is not evaluated
  :load FILE         the declarations of a file
  :help              this text
  :quit              the end, as is Ctrl-D

Ctrl-C stops what runs.
";

/// Loads files, then reads and runs inputs until the source of lines ends. Returns the exit code. If `strict` is true, the inputs do not
/// come from a user at a prompt, and the exit code says whether there were errors.
///
/// `reader` makes the source of lines. This function calls `reader` on the thread that reads the lines.
#[must_use]
pub fn repl<'a>(
    reader: impl FnOnce() -> Box<Reader<'a>> + Send,
    given: &[PathBuf],
    strict: bool,
    settings: &Settings,
) -> i32 {
    on_large_stack(|| {
        system::set_command_line("heist".into(), settings.arguments.iter().cloned());
        let launch = Launch {
            reserve: true,
            ..execute::launch(settings)
        };
        let Some(worker) = launch.worker() else {
            return IMPOSSIBLE;
        };
        let style = Style {
            colours: settings.colour,
            short: false,
        };
        let session = match Session::new(settings.dialect, worker, style) {
            Ok(session) => session,
            Err(why) => {
                say(&format!("heist: {why}\n"));
                return IMPOSSIBLE;
            }
        };
        let mut repl = Repl {
            session,
            settings,
            failed: false,
            inputs: 0,
        };
        for path in given {
            repl.load(path);
        }
        repl.talk(&mut *reader());
        let answer = repl.session.end();
        say(&answer.messages);
        if strict && repl.failed {
            REFUSED
        } else {
            ACCEPTED
        }
    })
}

struct Repl<'a> {
    session: Session,
    settings: &'a Settings,
    /// Whether there were errors.
    failed: bool,
    /// The number of inputs that the loop has run.
    inputs: usize,
}

impl Repl<'_> {
    fn talk(&mut self, reader: &mut Reader) {
        let mut pending: Vec<u8> = Vec::new();
        loop {
            let empty = pending.iter().all(u8::is_ascii_whitespace);
            if empty {
                pending.clear();
            }
            match reader(if empty { "> " } else { "| " }) {
                Line::Interrupt => pending.clear(),
                Line::End => break,
                Line::Text(line) if empty && line.trim_ascii_start().starts_with(b":") => {
                    let line = String::from_utf8_lossy(&line).into_owned();
                    if !self.command(line.trim()) {
                        return;
                    }
                }
                Line::Text(line) => {
                    pending.extend_from_slice(&line);
                    pending.push(b'\n');
                    let (chunks, rest) = split(&pending);
                    for chunk in chunks {
                        // Later inputs on the line may need the declarations of the failed input, so they do not run.
                        if !self.input(&pending[chunk.start..chunk.end]) {
                            break;
                        }
                    }
                    pending = rest.map_or_else(Vec::new, |start| pending.split_off(start));
                }
            }
        }
        if !pending.iter().all(u8::is_ascii_whitespace) {
            self.input(&pending);
        }
    }

    fn options(&self, path: &Path) -> syntax::Options {
        self.settings.dialect.options(path)
    }

    /// Runs an input. Returns true if the input has neither errors nor an unhandled exception.
    fn input(&mut self, text: &[u8]) -> bool {
        self.inputs += 1;
        let name = format!("input {}", self.inputs);
        let options = self.options(Path::new(&name));
        let answer = self.session.input(name, text.trim_ascii_start(), options);
        self.tell(&answer)
    }

    fn tell(&mut self, answer: &Answer) -> bool {
        say(&answer.messages);
        print(&answer.text);
        self.failed |= answer.end != Ended::Done;
        answer.end == Ended::Done
    }

    /// Runs a file, or the files of a list.
    fn load(&mut self, path: &Path) {
        let result = files::expand(&[path.to_path_buf()], &[]).and_then(|files| {
            for path in files {
                let text = files::read(&path)?;
                let options = self.options(&path);
                let answer = self.session.input(&path, &text, options);
                if !self.tell(&answer) {
                    break;
                }
            }
            Ok(())
        });
        if let Err(files::Unusable(why)) = result {
            self.failed = true;
            say(&format!("{why}\n"));
        }
    }

    /// Executes a command of the loop, such as `:quit`. Returns true if the loop continues.
    fn command(&mut self, line: &str) -> bool {
        let (name, rest) = line
            .split_once(char::is_whitespace)
            .map_or((line, ""), |(name, rest)| (name, rest.trim()));
        match name {
            ":quit" | ":q" => return false,
            ":help" | ":h" | ":?" => print(HELP),
            ":type" | ":t" if !rest.is_empty() => {
                self.inputs += 1;
                let name = format!("input {}", self.inputs);
                let options = self.options(Path::new(&name));
                match self.session.type_of(name, rest.as_bytes(), options) {
                    Ok(ty) => print(&format!(
                        "{} : {ty}\n",
                        rest.trim_end_matches(';').trim_end()
                    )),
                    Err(messages) => {
                        self.failed = true;
                        say(&messages);
                    }
                }
            }
            ":load" | ":l" if !rest.is_empty() => {
                self.load(Path::new(rest));
            }
            _ => {
                self.failed = true;
                say(&format!("`{line}` is not a command; `:help` lists them\n"));
            }
        }
        true
    }
}

/// Prints a text to standard output. Does nothing if standard output is closed.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
