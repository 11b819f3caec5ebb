//! `heist list`.

use heist_suite::programs;

use crate::contender;
use crate::failure::Failure;
use crate::say;

/// Names every program, what it does, where it comes from and who competes.
pub(crate) fn run() -> Result<(), Failure> {
    let colours = say::colours_on_stdout();
    let width = programs()
        .iter()
        .map(|program| program.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for program in programs() {
        let name = say::bold(&format!("{:width$}", program.name), colours);
        let contenders: Vec<_> = program
            .contenders
            .iter()
            .map(|&who| contender::name(who))
            .collect();
        text.push_str(&format!("{name}  {}\n", program.about));
        text.push_str(&format!("{:width$}  source: {}\n", "", program.source));
        text.push_str(&format!(
            "{:width$}  runs as: {}\n",
            "",
            contenders.join(", ")
        ));
    }
    say::out(&text)
}
