//! The file of `heist run --heap-profile`.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use heist_pml::driver::{self, INTERVAL, Profiling, SHARE};

use super::HeapProfile;
use crate::failure::Failure;
use crate::outfile::Outfile;

/// The format of the file.
#[derive(Clone, Copy)]
enum Form {
    Picture,
    Data,
}

/// Opens the file of a profile. The name of the file determines the format. The content is written when the program ends.
pub(crate) fn file(path: &Path) -> Result<Profiling, Failure> {
    let form = match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Form::Picture,
        Some("json") => Form::Data,
        _ => {
            return Err(Failure::Request(format!(
                "--heap-profile: '{}' ends neither in .svg, for a picture, nor in .json, for the data",
                path.display()
            )));
        }
    };
    let file = Mutex::new(Some(Outfile::open("--heap-profile", path)?));
    let done = move |text: &str| {
        let file = file.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut file) = file else {
            return;
        };
        match write(&mut file, form, text) {
            Ok(summary) => {
                // If standard error fails, no other stream can report it.
                let _ = std::io::stderr().write_all(summary.as_bytes());
            }
            Err(failure) => {
                failure.report();
                // This drop deletes the file if it is empty. The program has ended, and its output has been written.
                drop(file);
                std::process::exit(driver::IMPOSSIBLE);
            }
        }
    };
    Ok(Profiling {
        interval: INTERVAL,
        share: SHARE,
        done: Arc::new(done),
    })
}

/// Writes the file. Returns the summary as text.
fn write(file: &mut Outfile, form: Form, text: &str) -> Result<String, Failure> {
    let failed = |why: String| Failure::Request(format!("cannot read the heap profile: {why}"));
    let value = serde_json::from_str(text).map_err(|error| failed(error.to_string()))?;
    let profile = HeapProfile::parse(value).map_err(failed)?;
    match form {
        Form::Data => file.fill(text)?,
        Form::Picture => file.fill(&profile.chart().picture()?)?,
    }
    Ok(profile.summary())
}
