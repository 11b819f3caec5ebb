//! Input of lines for `heist repl`. At a terminal, the user can edit lines and has a history. Any other input is read unchanged.

use std::io::BufRead;
use std::path::PathBuf;

use heist_pml::driver::{Line, Reader};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

/// Returns a reader of lines from standard input.
pub(crate) fn plain() -> Box<Reader<'static>> {
    let mut lines = std::io::stdin().lock();
    Box::new(move |_| {
        let mut line = Vec::new();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Line::End,
            Ok(_) => {
                if line.ends_with(b"\n") {
                    line.pop();
                }
                Line::Text(line)
            }
        }
    })
}

/// A line editor for a terminal, which stores the history if possible.
struct Terminal {
    editor: DefaultEditor,
    history: Option<PathBuf>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(file) = &self.history {
            if let Some(folder) = file.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            // An error in writing the history does not matter.
            let _ = self.editor.save_history(file);
        }
    }
}

/// Returns a reader of typed lines.
pub(crate) fn terminal() -> Box<Reader<'static>> {
    let Ok(mut editor) = DefaultEditor::new() else {
        return plain();
    };
    let history = history();
    if let Some(file) = &history {
        // When the user starts the prompt for the first time, the file does not exist.
        let _ = editor.load_history(file);
    }
    let mut terminal = Terminal { editor, history };
    Box::new(move |prompt| match terminal.editor.readline(prompt) {
        Ok(line) => {
            if !line.trim().is_empty() {
                let _ = terminal.editor.add_history_entry(&line);
            }
            Line::Text(line.into_bytes())
        }
        Err(ReadlineError::Interrupted) => Line::Interrupt,
        Err(_) => Line::End,
    })
}

/// Returns the path of the history file, if the user has a folder for it.
fn history() -> Option<PathBuf> {
    let state = match std::env::var_os("XDG_STATE_HOME") {
        Some(state) if !state.is_empty() => PathBuf::from(state),
        _ => PathBuf::from(std::env::var_os("HOME")?).join(".local/state"),
    };
    Some(state.join("heist/repl-history"))
}
