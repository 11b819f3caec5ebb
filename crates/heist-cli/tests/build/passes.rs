//! Tests that the compiler prints a program after a phase or pass, and the time that each phase and
//! pass takes.

use super::Place;
use super::common::{heist, refused};

/// A program with a function `twice`. The optimiser removes this function.
const PROGRAM: &str = "\
fun twice f x = f (f x)
val () = print (Int.toString (twice (fn n => n * n) (length (CommandLine.arguments ()))) ^ \"\\n\")
";

/// Returns what a command that must succeed writes on standard error.
fn told(words: &[&str]) -> String {
    let output = heist(words);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {text}");
    text
}

#[test]
fn the_program_is_printed_after_a_pass() {
    let place = Place::new("twice.sml", PROGRAM);
    let file = place.words("twice.sml");
    let dump = |name: &str| told(&["check", "--dump", name, &file]);
    let (lowered, last) = (dump("lower"), dump("anf"));
    assert!(lowered.contains("twice") && !last.contains("twice"));
    // A name without a number is the last run of a pass, and this pass is the last of all.
    assert_eq!(dump("simplify"), last);
    assert_eq!(dump("simplify:4"), last);
    let first = dump("simplify:1");
    assert!(first != lowered && first != last && first.contains("main"));
    assert!(dump("close") != last && dump("clif").contains("function "));
    // Several dumps come in the order of the compiler.
    let both = told(&["check", "--dump", "anf", "--dump", "simplify:1", &file]);
    assert_eq!(both, first + &last);
}

#[test]
fn a_name_that_is_no_pass_is_refused_with_those_that_are() {
    let place = Place::new("twice.sml", PROGRAM);
    let file = place.words("twice.sml");
    let line = refused(&["check", "--dump", "inline", &file]);
    for name in [
        "typed", "mono", "simplify", "contify", "loops", "anf", "asm",
    ] {
        assert!(line.contains(name), "no {name} in {line}");
    }
    let line = refused(&["build", "--dump", "simplify:5", &file]);
    assert!(line.contains("`simplify` runs 4 times"), "{line}");
}

#[test]
fn each_command_has_the_times_of_its_phases() {
    let place = Place::new("twice.sml", PROGRAM);
    let (file, made) = (place.words("twice.sml"), place.words("twice"));
    let check = told(&["check", "--time-passes", &file]);
    let run = told(&["run", "--time-passes", &file]);
    let build = told(&["build", "--time-passes", "-o", &made, &file]);
    for table in [&check, &run, &build] {
        assert!(table.lines().all(|line| line.len() <= 80), "{table}");
        let has = |name: &str| {
            table
                .lines()
                .any(|line| line.trim_start().starts_with(name))
        };
        for name in ["parse", "elaborate", "all"] {
            assert!(has(name), "no {name} in\n{table}");
        }
        for name in ["mono", "lower", "simplify", "close", "code"] {
            assert_eq!(has(name), table != &check, "{name} in\n{table}");
        }
        assert_eq!(has("link"), table == &build, "{table}");
    }
    let output = heist(&["run", "--time-passes", &file, "a", "b"]);
    assert_eq!(output.stdout, b"16\n");
}
