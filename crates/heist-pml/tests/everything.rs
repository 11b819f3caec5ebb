//! Calls every function of the Basis with edge values of its argument types. Edge values are, for example, zero, one, the smallest and
//! largest numbers, empty and long strings, and closed streams. A call must return a value or raise an exception of the Basis, and must not
//! end the process.
//!
//! The test reads the functions and their types from `docs/pml/basis-index.md`. Another test compares this file with the Basis.
//! `cargo test --test everything -- NAME...` tests only the structures with these names.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use heist_pml::driver::{self, Settings};

#[path = "everything/ty.rs"]
mod ty;
#[path = "everything/values.rs"]
mod values;

use ty::Ty;

/// The argument that makes this program run one file instead of the tests.
const RUN: &str = "--run-file";

const INDEX: &str = include_str!("../../../docs/pml/basis-index.md");
const PRELUDE: &str = include_str!("everything/prelude.sml");

/// The approximate number of calls that the test makes of each function.
const CALLS: usize = 700;
/// The number of functions that one program calls.
const TOGETHER: usize = 220;

/// The maximum size of a program's heap in bytes.
const HEAP: u64 = 1 << 30;

/// Structures that the test skips, because they are other names of tested structures.
const SAME: &[&str] = &[
    "FixedInt",
    "Int64",
    "LargeInt",
    "LargeReal",
    "LargeWord",
    "Position",
    "Real64",
    "SysWord",
    "Text",
    "Word64",
];

/// Structures of numbers whose array and vector structures, such as `Int8Array`, have the same code as the structures for other numbers.
/// The test skips the functions of these array and vector structures.
const COPIES: &[&str] = &[
    "Int8", "Int16", "LargeInt", "Word", "Word16", "Word32", "Real32",
];

/// Structures whose functions the test does not call. Functions of `Posix` act on files, descriptors and processes of
/// the test itself, and `heist-cli/tests/mpl/files.sml` calls them. Most functions of Concurrent ML wait for other
/// threads, and `tests/threads.rs` calls them. `tests/scheduler.rs` calls the functions of the scheduler, and
/// `conformance/accept/basis_json.sml` calls the functions of JSON. Functions of sockets wait for other programs, look up names in the
/// network, or start programs. `tests/sockets.rs`, `tests/basis/sockets.sml` and `tests/basis/unix.sml` call these functions.
const STRUCTURES_LEFT_OUT: &[&str] = &[
    "Posix",
    "CML",
    "Cancel",
    "SyncVar",
    "Mailbox",
    "Multicast",
    "SimpleRPC",
    "RunCML",
    "Scheduler",
    "JSONParser",
    "JSONPrinter",
    "Socket",
    "GenericSock",
    "INetSock",
    "INet6Sock",
    "UnixSock",
    "NetHostDB",
    "Net6HostDB",
    "Unix",
];

/// Functions that the test does not call, each with the reason for this.
const LEFT_OUT: &[(&str, &str)] = &[
    ("OS.Process.exit", "ends the process"),
    ("OS.Process.terminate", "ends the process"),
    ("OS.Process.atExit", "runs later"),
    ("OS.Process.sleep", "sleeps"),
    ("OS.IO.poll", "waits as long as it is asked to"),
    ("MLton.Array.unfoldi", "makes arrays as long as asked for"),
    ("MLton.Vector.unfoldi", "makes vectors as long as asked for"),
    ("OS.Process.system", "runs commands"),
    ("/", "overloaded: `Real./` is called"),
    ("List.tabulate", "makes lists as long as it is asked for"),
    ("range", "makes arrays as long as it is asked for"),
    (
        "IntInf.pow",
        "takes minutes for the largest numbers that there can be",
    ),
    ("PArray.range", "makes arrays as long as it is asked for"),
    ("PArray.rangeBy", "makes arrays as long as it is asked for"),
    (
        "ArrayExtra.alloc",
        "makes arrays whose elements are to be written first",
    ),
    (
        "ForkJoin.alloc",
        "makes arrays whose elements are to be written first",
    ),
    (
        "ForkJoin.alloc_flat",
        "makes arrays whose elements are to be written first",
    ),
    (
        "MPL.ArrayFlat.alloc",
        "makes arrays whose elements are to be written first",
    ),
    (
        "MLton.Parallel.Unsafe.arrayUninit",
        "makes arrays whose elements are to be written first",
    ),
    (
        "Unsafe.Array.alloc",
        "makes arrays whose elements are to be written first",
    ),
    ("ForkJoin.parfor", "loops as long as it is asked for"),
    ("ForkJoin.parform", "loops as long as it is asked for"),
    ("ForkJoin.pareduce", "loops as long as it is asked for"),
    ("ForkJoin.pareduce'", "loops as long as it is asked for"),
    (
        "ForkJoin.pareduceInlineable",
        "loops as long as it is asked for",
    ),
    ("ForkJoin.pareduceSplit", "loops as long as it is asked for"),
    ("ForkJoin.pareduceBreak", "loops as long as it is asked for"),
    (
        "ForkJoin.pareduceBreakExn",
        "loops as long as it is asked for",
    ),
    ("ForkJoin.reducem", "loops as long as it is asked for"),
    (
        "MPL.File.openFileWriteable",
        "makes files as long as it is asked for",
    ),
    (
        "MLton.Random.alphaNumString",
        "makes strings as long as asked for",
    ),
    ("IEEEReal.setRoundingMode", "not all modes are there yet"),
];

/// A function of the Basis.
struct Function {
    name: String,
    ty: Ty,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file] = &arguments[..]
        && first == RUN
    {
        let settings = Settings {
            heap: Some(HEAP),
            ..Settings::default()
        };
        std::process::exit(driver::run(&[PathBuf::from(file)], &settings));
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let mut functions = functions();
    functions.retain(|function| {
        let structure = function.name.rsplit_once('.').map_or("", |parts| parts.0);
        wanted.is_empty() || wanted.iter().any(|wanted| *wanted == structure)
    });
    assert!(
        !wanted.is_empty() || functions.len() > 1500,
        "the index is short"
    );
    let calls: Vec<(&str, String)> = functions
        .iter()
        .filter(|function| matches!(function.ty, Ty::Arrow(..)))
        .map(|function| (function.name.as_str(), call(function)))
        .collect();
    let mut failed = Vec::new();
    for calls in calls.chunks(TOGETHER) {
        try_all(calls, &mut failed);
    }
    println!("{} functions called", calls.len());
    for failure in &failed {
        println!("FAILED: {failure}");
    }
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the functions that the test calls.
fn functions() -> Vec<Function> {
    let (mut structure, mut functions) = ("", Vec::new());
    for line in INDEX.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            structure = if name == "Top level" { "" } else { name };
        }
        let Some((name, ty)) = line
            .strip_prefix("val ")
            .and_then(|line| line.split_once(" : "))
        else {
            continue;
        };
        let first = structure.split('.').next().unwrap_or_default();
        if STRUCTURES_LEFT_OUT.contains(&first) {
            continue;
        }
        if SAME.iter().any(|same| {
            let rest = first.strip_prefix(same);
            rest.is_some_and(|rest| {
                matches!(
                    rest,
                    "" | "Array" | "Array2" | "ArraySlice" | "Vector" | "VectorSlice"
                )
            })
        }) {
            continue;
        }
        if COPIES.iter().any(|copy| {
            let rest = first.strip_prefix(copy);
            rest.is_some_and(|rest| {
                matches!(
                    rest,
                    "Array" | "Array2" | "ArraySlice" | "Vector" | "VectorSlice"
                )
            })
        }) {
            continue;
        }
        let name = if structure.is_empty() {
            name.to_owned()
        } else {
            format!("{structure}.{name}")
        };
        if LEFT_OUT.iter().any(|left| left.0 == name) {
            continue;
        }
        functions.push(Function {
            ty: ty::parse(&distinguish(structure, &name, ty)),
            name,
        });
    }
    functions
}

/// Gives stream types in a type unique names. The index uses the same names for the streams of `TextIO` and the streams of
/// `TextIO.StreamIO`.
fn distinguish(structure: &str, name: &str, ty: &str) -> String {
    let io = structure.split('.').next().unwrap_or_default();
    let inner = |ty: &str| {
        let ty = ty.replace(
            &format!("{io}.instream"),
            &format!("{io}.StreamIO.instream"),
        );
        ty.replace(
            &format!("{io}.outstream"),
            &format!("{io}.StreamIO.outstream"),
        )
    };
    if structure.ends_with(".StreamIO")
        || name.ends_with(".mkInstream")
        || name.ends_with(".mkOutstream")
    {
        inner(ty)
    } else if name.ends_with(".setInstream") || name.ends_with(".setOutstream") {
        let (first, second) = ty.split_once(" * ").expect("a stream, and what is inside");
        format!("{first} * {}", inner(second))
    } else if name.ends_with(".scanStream") {
        let (scanner, stream) = ty.rsplit_once(") -> ").expect("a scanner, and a stream");
        format!("{}) -> {stream}", inner(scanner))
    } else {
        ty.to_owned()
    }
}

/// Returns declarations whose evaluation calls a function with edge values.
fn call(function: &Function) -> String {
    let mut args = Vec::new();
    let mut ty = &function.ty;
    while let Ty::Arrow(from, to) = ty {
        args.push(&**from);
        ty = to;
    }
    let each = values::share(CALLS, args.len());
    let name = &function.name;
    let (mut open, mut applied) = (String::new(), format!("op {name}"));
    for (at, arg) in args.iter().enumerate() {
        let values = values::values(arg, each);
        let values = values.unwrap_or_else(|| panic!("{name}: no values of {arg:?}"));
        open.push_str(&format!("each ({values}) (fn a{at} => "));
        applied.push_str(&format!(" a{at}"));
    }
    let close = ")".repeat(args.len());
    format!("val () = begin \"{name}\"\nval () = {open}call (fn () => ignore ({applied})){close}\n")
}

/// Runs calls of functions. If a call ends the process, runs the remaining calls in another process.
fn try_all(mut calls: &[(&str, String)], failed: &mut Vec<String>) {
    while !calls.is_empty() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("everything-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut text = PRELUDE.to_owned();
        for (_, call) in calls {
            text.push_str(call);
        }
        text.push_str("val () = print \"\\nend\\n\"\n");
        // The program runs in its own folder, because some functions make files.
        let program = folder.with_extension("sml");
        std::fs::write(&program, text).unwrap();
        let mut child = Command::new("timeout");
        child
            .arg("20")
            .arg(std::env::current_exe().unwrap())
            .arg(RUN)
            .arg(&program);
        let output = child
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let (mut last, mut raised) = ("", Vec::new());
        for line in said.lines() {
            if let Some(name) = line.strip_prefix("= ") {
                last = name;
                raised.clear();
            } else if line.starts_with("raises ") && !raised.contains(&line) {
                raised.push(line);
                failed.push(format!("{last} {line}"));
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
        let _ = std::fs::remove_file(&program);
        if output.status.success() && said.lines().last() == Some("end") {
            return;
        }
        let error = String::from_utf8_lossy(&output.stderr);
        let error: Vec<&str> = error.lines().take(12).collect();
        println!("{last} ends the process");
        failed.push(format!("{last}: {}: {}", output.status, error.join("\n")));
        let at = calls.iter().position(|call| call.0 == last);
        calls = at.map_or(&[], |at| &calls[at + 1..]);
    }
}
