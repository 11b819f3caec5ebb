//! Tests that the size of the code of parallel tuples is proportional to the size of their text, for all ways to nest tuples. The
//! translation of Rainey's thesis (section 3.3.2) does not have this property. That translation makes clones of clones, so the size of the
//! code doubles with each level. The translation also makes n clones of the code that follows a tuple of n parts.

use std::path::Path;

use heist_pml::driver::{self, Build, Forms, Settings};

/// Returns the size of a program's code in bytes.
fn code(name: &str, text: &str, forms: Forms) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{name}.pml"));
    std::fs::write(&file, text).unwrap();
    let object = folder.path().join("object.o");
    let build = Build {
        out: Some(object.clone()),
        object: true,
        native: false,
        debug: false,
        runtime: &[],
    };
    let settings = Settings {
        forms,
        ..Settings::default()
    };
    assert_eq!(driver::build(&[file], &build, &settings), driver::ACCEPTED);
    text_bytes(&object)
}

/// Returns the total size in bytes of the code sections of an ELF file.
fn text_bytes(file: &Path) -> usize {
    let bytes = std::fs::read(file).unwrap();
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let half = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
    assert_eq!(&bytes[..5], b"\x7fELF\x02", "an ELF file of 64 bits");
    let (sections, size, count) = (word(40), half(58), half(60));
    (0..count)
        .map(|at| sections + at * size)
        // Only sections with executable code count.
        .filter(|section| word(section + 8) & 4 != 0)
        .map(|section| word(section + 32))
        .sum()
}

/// Declares functions that the compiler does not inline.
const PRELUDE: &str = "
fun f n = if n < 2 then n else f (n - 1) + f (n - 2) * f (n - 3)
fun p (a, b) = a * 3 + b
val start = List.length (CommandLine.arguments ())
";

/// Returns parallel tuples that are nested to a depth: on the left side, on the right side, on both sides, or in a
/// called function.
fn nested(shape: &str, depth: usize) -> String {
    let own = format!("f (start + {depth})");
    if depth == 0 {
        return own;
    }
    let inner = || nested(shape, depth - 1);
    match shape {
        "left" => format!("p (| {}, {own} |)", inner()),
        "right" => format!("p (| {own}, {} |)", inner()),
        "between" => format!("#2 (| {own}, {}, f (start - {depth}) |)", inner()),
        "handled" => format!("(p (| {own}, {} |) handle Div => {depth})", inner()),
        "function" => format!(
            "let fun g{depth} x = p (| f (x + {depth}), {} |) in g{depth} start end",
            inner()
        ),
        _ => unreachable!("no such shape"),
    }
}

fn nested_program(shape: &str, depth: usize) -> String {
    let body = nested(shape, depth);
    format!("{PRELUDE}\nval () = print (Int.toString ({body}))\n")
}

fn wide_program(count: usize) -> String {
    let parts: Vec<String> = (0..count).map(|at| format!("f (start + {at})")).collect();
    let names: Vec<String> = (0..count).map(|at| format!("x{at}")).collect();
    let tuple = match count {
        1 => format!("{PRELUDE}\nval x0 = {}", parts[0]),
        _ => format!(
            "{PRELUDE}\nval ({}) = (| {} |)",
            names.join(", "),
            parts.join(", ")
        ),
    };
    format!(
        "{tuple}\nval () = print (Int.toString ({}))\n",
        names.join(" + ")
    )
}

/// Returns the growth of the code per step, first between the first and second member of a series, and then between the second and third
/// member. Each member has a number of steps and the size of the code.
fn growth([first, middle, last]: [(usize, usize); 3]) -> (f64, f64) {
    let step = |from: (usize, usize), to: (usize, usize)| {
        to.1.saturating_sub(from.1) as f64 / (to.0 - from.0) as f64
    };
    (step(first, middle), step(middle, last))
}

/// The ways to compile forks. Each way has the maximum number of bytes of code for a level or a part.
const WAYS: [(Forms, f64); 2] = [(Forms::Parallel, 900.0), (Forms::Clones, 1400.0)];

#[test]
fn nested_tuples_take_code_in_proportion_to_their_depth() {
    for (shape, (forms, most)) in ["left", "right", "between", "handled", "function"]
        .into_iter()
        .flat_map(|shape| WAYS.map(|way| (shape, way)))
    {
        let sizes =
            [1, 7, 12].map(|depth| (depth, code(shape, &nested_program(shape, depth), forms)));
        let (earlier, later) = growth(sizes);
        println!("{shape}, {forms:?}: {sizes:?}, {earlier:.0} and {later:.0} bytes a level");
        assert!(
            later <= 1.25 * earlier + 64.0,
            "{shape}, {forms:?}: {sizes:?}"
        );
        assert!(
            later <= most,
            "{shape}, {forms:?}: {later:.0} bytes for a level"
        );
    }
}

#[test]
fn wide_tuples_take_code_in_proportion_to_their_width() {
    for (forms, most) in WAYS {
        let sizes = [1, 24, 64].map(|count| (count, code("wide", &wide_program(count), forms)));
        let (earlier, later) = growth(sizes);
        println!("wide, {forms:?}: {sizes:?}, {earlier:.0} and {later:.0} bytes a part");
        assert!(later <= 1.25 * earlier + 64.0, "{forms:?}: {sizes:?}");
        assert!(later <= most, "{forms:?}: {later:.0} bytes for a part");
    }
}
