//! A small driver for the time in which `heist` is slow to build.
use heist_pml::driver::{Dialect, Dump, Settings, check, run};
use std::path::PathBuf;
fn main() {
    let mut settings = Settings::default();
    let mut files = Vec::new();
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--dump" => settings.dumps.push(match words.next().as_deref() {
                Some("typed") => Dump::Typed,
                Some("mono") => Dump::Mono,
                Some("anf") => Dump::Anf,
                Some("clif") => Dump::Clif,
                _ => Dump::Asm,
            }),
            "--manticore" => settings.dialect = Dialect::Manticore,
            "--stats" => settings.stats = true,
            _ if word.ends_with("ml") && settings.arguments.is_empty() => {
                files.push(PathBuf::from(word))
            }
            _ => settings.arguments.push(word),
        }
    }
    std::process::exit(if command == "check" {
        check(&files, &settings)
    } else {
        run(&files, &settings)
    });
}
