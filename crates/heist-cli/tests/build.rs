//! Tests that build executables by `heist build`, and run them as users do.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[path = "build/collections.rs"]
mod collections;
mod common;
#[path = "build/limits.rs"]
mod limits;
#[path = "build/passes.rs"]
mod passes;

use common::{good, heist, refused};

/// A temporary folder with a program.
struct Place(tempfile::TempDir);

impl Place {
    fn new(name: &str, program: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), program).unwrap();
        Place(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn words(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

/// Builds a program in a new folder, and returns the folder.
fn built(program: &str) -> Place {
    let place = Place::new("prog.sml", program);
    let (source, made) = (place.words("prog.sml"), place.words("prog"));
    assert_eq!(good(&["build", "-o", &made, &source]), "");
    let mut left: Vec<_> = fs::read_dir(place.0.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["prog", "prog.sml"], "parts are left");
    place
}

/// Runs a command, and returns the exit code, the standard output and the standard error.
fn run(command: &mut Command) -> (Option<i32>, String, String) {
    told(&command.output().unwrap())
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn printed(text: &str) -> (Option<i32>, String, String) {
    (Some(0), text.to_owned(), String::new())
}

#[test]
fn arguments_input_and_exit_codes_are_those_of_the_process() {
    let place = built(
        r#"fun lines n = case TextIO.inputLine TextIO.stdIn of NONE => n | SOME _ => lines (n + 1)
val () = print (String.concatWith "," (CommandLine.arguments ()) ^ "\n")
val () = print (Int.toString (lines 0) ^ "\n")
val () = print (if String.isSuffix "prog" (CommandLine.name ()) then "named\n" else CommandLine.name ())
val () = OS.Process.atExit (fn () => print "last\n")
val () = case CommandLine.arguments () of ["fine"] => () | _ => OS.Process.exit (OS.Process.failure)
val () = print "end\n""#,
    );
    let prog = place.path("prog");
    let mut child = Command::new(&prog)
        .args(["a b", "--stats", "ü"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"1\n2\n3").unwrap();
    assert_eq!(
        told(&child.wait_with_output().unwrap()),
        (
            Some(1),
            "a b,--stats,ü\n3\nnamed\nlast\n".into(),
            String::new()
        )
    );
    let mut fine = Command::new(&prog);
    fine.arg("fine").stdin(Stdio::null());
    assert_eq!(run(&mut fine), printed("fine\n0\nnamed\nend\nlast\n"));
}

#[test]
fn exceptions_are_handled_or_said() {
    let place = built(
        r#"exception Odd of int
fun half n = if n mod 2 = 0 then n div 2 else raise Odd n
val () = print (Int.toString (half 7 handle Odd n => ~n) ^ "\n")
val () = print (Int.toString (7 div half 0 handle Div => 11) ^ "\n")
val _ = half 9"#,
    );
    let source = place.words("prog.sml");
    let said = format!(
        "uncaught exception Odd: 9\n  raised at {source}:2:47 in half\n  called at {source}:5:9\n"
    );
    assert_eq!(
        run(&mut Command::new(place.path("prog"))),
        (Some(1), "~7\n11\n".into(), said.clone())
    );
    // The messages are those of `heist run`.
    let in_memory = heist(&["run", &source]);
    assert_eq!(told(&in_memory), (Some(1), "~7\n11\n".into(), said));
}

#[test]
fn payloads_are_written_whatever_their_types_are() {
    let program = r#"structure S :> sig type t val mk : int -> t end = struct type t = int * int fun mk n = (n, ~n) end
datatype 'a tree = Leaf | Node of {left: 'a tree, key: 'a, right: 'a tree} | Two of 'a * 'a | Boxed of 'a list
datatype 'a nest = End | More of 'a * ('a * 'a) nest
datatype colour = Red | Green
datatype other = Hidden of S.t | Function of int -> int | Colour of colour | Nothing of unit | Inner of exn
exception E of
  { name: string, at: int * int, tree: int tree, reals: real list, who: other option, big: IntInf.int, c: char, w: word
  , r: int ref, v: other vector, nest: int nest, f: unit -> unit, long: int list }
val () = raise E
  { name = "a\"b", at = (1, ~2), reals = [1.5, ~0.25, 1E100], who = SOME (Inner (Fail "in")), big = IntInf.pow (~2, 99)
  , tree = Node {left = Leaf, key = ~3, right = Node {left = Two (1, 2), key = 4, right = Boxed [1, 2]}}
  , c = #"x", w = 0wxff, r = ref 7, v = Vector.fromList [Hidden (S.mk 1), Function ~, Colour Green, Nothing ()]
  , nest = More (1, More ((2, 3), End)), f = fn () => (), long = List.tabulate (201, fn i => i mod 2) }"#;
    let said = "uncaught exception E: {at = (1, ~2), big = ~633825300114114700748351602688, c = #\"x\", f = fn, \
        long = [LONG...], name = \"a\\\"b\", nest = More (1, More ((2, 3), End)), r = ref 7, reals = [1.5, ~0.25, 1E100], \
        tree = Node {key = ~3, left = Leaf, right = Node {key = 4, left = Two (1, 2), right = Boxed [1, 2]}}, \
        v = fromList [Hidden -, Function fn, Colour Green, Nothing ()], w = 0wxFF, who = SOME (Inner (Fail \"in\"))}\n"
        .replace("LONG", &"0, 1, ".repeat(100));
    let place = built(program);
    let said = format!("{said}  raised at {}:9:10\n", place.words("prog.sml"));
    let mut prog = Command::new(place.path("prog"));
    assert_eq!(run(&mut prog), (Some(1), String::new(), said));
}

#[test]
fn lines_are_kept_if_they_are_asked_for() {
    let place = Place::new("prog.sml", "val () = print \"x\"");
    let (source, made) = (place.words("prog.sml"), place.words("prog"));
    let has_lines = || {
        let bytes = fs::read(&made).unwrap();
        bytes.windows(12).any(|window| window == b".debug_line\0")
    };
    assert_eq!(good(&["build", "-o", &made, &source]), "");
    assert!(!has_lines());
    assert_eq!(good(&["build", "-g", "-o", &made, &source]), "");
    assert!(has_lines());
    assert_eq!(run(&mut Command::new(&made)), printed("x"));
}

#[test]
fn profilers_find_the_names_of_functions_in_memory() {
    // The program reads the table of its own process.
    let place = Place::new(
        "prog.sml",
        r#"fun deep n = if n = 0 then size (CommandLine.name ()) else 1 + deep (n - 1) * 3
val pid = SysWord.fmt StringCvt.DEC (Posix.Process.pidToWord (Posix.ProcEnv.getpid ()))
val file = "/tmp/perf-" ^ pid ^ ".map"
val table = TextIO.inputAll (TextIO.openIn file) handle IO.Io _ => "none"
val () = OS.FileSys.remove file handle OS.SysErr _ => ()
fun known line = case String.tokens Char.isSpace line of
    [_, _, name] => String.isPrefix "pml.deep." name
  | _ => false
val () = print (if List.exists known (String.tokens (fn c => c = #"\n") table) then "found" else table)
val () = if deep 3 = 0 then print "!" else ()"#,
    );
    let source = place.words("prog.sml");
    let asked = heist(&["run", "--perf-map", &source]);
    assert_eq!(told(&asked), printed("found"));
    let plain = heist(&["run", &source]);
    assert_eq!(told(&plain), printed("none"));
}

#[test]
fn the_environment_sets_heap_stack_and_statistics() {
    let place = built(
        r#"fun deep 0 = 0 | deep n = 1 + deep (n - 1)
fun fresh 0 kept = length kept | fresh n kept = fresh (n - 1) (if n mod 1000 = 0 then [n] else n :: kept)
fun hoard kept = hoard (Array.array (100000, length kept) :: kept)
val () = case CommandLine.arguments () of
    ["deep", n] => print (Int.toString (deep (valOf (Int.fromString n))) ^ "\n")
  | ["fresh"] => print (Int.toString (fresh 10000000 []) ^ "\n")
  | _ => hoard []"#,
    );
    let prog = || {
        let mut command = Command::new(place.path("prog"));
        for name in ["HEIST_HEAP", "HEIST_STACK", "HEIST_STATS"] {
            command.env_remove(name);
        }
        command
    };
    let million = "10000000";
    assert_eq!(
        run(prog().args(["deep", million])),
        printed("10000000\n"),
        "the stack is large"
    );
    let (code, out, err) = run(prog().args(["deep", million]).env("HEIST_STACK", "1M"));
    assert_eq!((code, &*out), (Some(2), ""));
    assert!(
        err.starts_with("stack overflow: ") && err.ends_with("(HEIST_STACK gives more)\n"),
        "{err}"
    );
    assert_eq!(
        run(prog().arg("fresh").env("HEIST_HEAP", "64M")),
        printed("1000\n")
    );
    let (code, _, err) = run(prog().arg("hoard").env("HEIST_HEAP", "64M"));
    assert_eq!(code, Some(2));
    assert_eq!(
        err,
        "out of memory: the heap has reached its limit of 64 MiB (see HEIST_HEAP)\n"
    );
    let (code, out, err) = run(prog().arg("fresh").env("HEIST_STATS", "1"));
    assert_eq!((code, &*out), (Some(0), "1000\n"));
    assert!(err.lines().any(|line| line.starts_with("heap ")), "{err}");
    assert_eq!(
        run(prog().arg("fresh").env("HEIST_STATS", "0")),
        printed("1000\n")
    );
    assert_eq!(
        run(prog().arg("fresh").env("HEIST_HEAP", "much")),
        (
            Some(2),
            String::new(),
            "heist: HEIST_HEAP: `much` is not a size of a mebibyte or more, such as 512M\n".into()
        )
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_program() {
    let place =
        built(r#"fun ever n = (print (Int.toString n ^ "\n"); ever (n + 1)) val () = ever 0"#);
    let mut child = Command::new(place.path("prog"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let (code, _, err) = told(&child.wait_with_output().unwrap());
    assert_eq!((code, &*err), (Some(141), ""));
}

#[test]
fn objects_are_linked_by_others() {
    let place = Place::new("one.pml", "val (a, b) = (| 20, 22 |)\n");
    fs::write(
        place.path("two.sml"),
        r#"val () = print (Int.toString (a + b) ^ "\n")"#,
    )
    .unwrap();
    let object = place.words("prog.o");
    let files = [place.words("one.pml"), place.words("two.sml")];
    let output = heist(&[
        "build", "--native", "--object", "-o", &object, &files[0], &files[1],
    ]);
    assert_eq!(told(&output), printed(""));
    let prog = place.words("prog");
    let library = place.words("libheist_pml_runtime.a");
    let linked = Command::new("cc")
        .args(["-o", &prog, &object, &library, "-lm", "-lpthread", "-ldl"])
        .output()
        .unwrap();
    assert_eq!(told(&linked), printed(""), "not even a warning");
    assert_eq!(run(&mut Command::new(prog)), printed("42\n"));
}

#[test]
fn the_name_is_that_of_the_last_file() {
    let place = Place::new("prog.sml", "val () = print \"here\\n\"");
    let output = Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(["build", "prog.sml"])
        .current_dir(place.0.path())
        .output()
        .unwrap();
    assert_eq!(told(&output), printed(""));
    assert_eq!(
        run(&mut Command::new(place.path("prog"))),
        printed("here\n")
    );
}

#[test]
fn builds_that_cannot_succeed_say_why() {
    let place = Place::new("prog.sml", "val () = print \"fine\\n\"");
    let source = place.words("prog.sml");
    let folder = place.words("");
    fs::write(place.path("other.sig"), "signature S = sig end").unwrap();
    for (out, part) in [
        (&*folder, "it is a folder"),
        ("/dev/null", "no ordinary file"),
        (&source, "would be overwritten"),
        (&place.words("other.sig"), "would be overwritten"),
        (&place.words("no/prog"), "there is no folder"),
    ] {
        let said = refused(&["build", "-o", out, &source]);
        assert!(said.contains(part), "{said}");
    }
    assert!(refused(&["build", &place.words("none.sml")]).contains("none.sml"));
    // `heist build` refuses the program, and the old executable stays.
    let made = place.path("prog");
    fs::write(&made, "old").unwrap();
    fs::write(place.path("bad.sml"), "val x = 1 + true").unwrap();
    let output = heist(&["build", "-o", &place.words("prog"), &place.words("bad.sml")]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(&made).unwrap(), b"old");
}

/// Runs `heist build` with an environment variable, and returns the exit code and the output.
fn with(name: &str, value: impl AsRef<OsStr>, made: &Path, source: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heist"));
    command.arg("build").arg("-o").arg(made).arg(source);
    let (code, out, err) = run(command.env_remove("CC").env(name, value));
    assert_eq!(out, "");
    (code, err)
}

#[test]
fn the_c_compiler_is_looked_for() {
    let place = Place::new("prog.sml", "val () = print \"fine\\n\"");
    let (made, source) = (place.path("prog"), place.path("prog.sml"));
    let (code, said) = with("PATH", place.0.path(), &made, &source);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("apt install gcc") && said.contains("CC"),
        "{said}"
    );
    let (code, said) = with("CC", "no-such-compiler -x", &made, &source);
    assert_eq!(code, Some(2));
    assert!(said.contains("`no-such-compiler`"), "{said}");
    let (code, said) = with("CC", "cc -no-such-option", &made, &source);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("cannot link") && said.contains("no-such-option"),
        "{said}"
    );
    let (code, said) = with("TMPDIR", place.path("nowhere"), &made, &source);
    assert_eq!(code, Some(2));
    assert!(said.contains("TMPDIR"), "{said}");
    assert!(!made.exists());
    assert_eq!(
        with("CC", "cc -O1", &made, &source),
        (Some(0), String::new())
    );
    let mode = fs::metadata(&made).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100);
    assert_eq!(run(&mut Command::new(&made)), printed("fine\n"));
}

#[test]
fn statistics_are_printed_however_the_program_ends() {
    for end in [
        "()",
        "OS.Process.exit OS.Process.success",
        "raise Fail \"x\"",
    ] {
        let place = built(&format!(
            "val n = length (List.tabulate (1000, fn i => i))\nval () = {end}\n"
        ));
        let (_, _, said) = run(Command::new(place.path("prog")).env("HEIST_STATS", "1"));
        assert!(said.contains("allocated"), "{end}: {said}");
    }
}

/// A program with nested forks, which prints one line. In this program, some of the forks raise exceptions.
const FORKS: &str = "
exception At of int
fun fib n = if n < 2 then n else op + (| fib (n - 1), fib (n - 2) |)
fun at n = if n mod 3 = 0 then raise At n else fib n
val all = List.tabulate (24, fn n => #1 (| at n, fib n |) handle At n => ~n)
val () = print (String.concatWith \" \" (map Int.toString all) ^ \"\\n\")
";

#[test]
fn forks_may_make_tasks() {
    let place = Place::new("forks.pml", FORKS);
    let (source, made) = (place.words("forks.pml"), place.words("forks"));
    let wanted = good(&["run", "--sequential", &source]);
    for workers in ["1", "2", "8"] {
        let words = ["run", "--forks", "clones", "--workers", workers, &source];
        assert_eq!(good(&words), wanted, "{workers} workers");
    }
    assert_eq!(
        good(&["build", "--forks", "clones", "-o", &made, &source]),
        ""
    );
    for workers in ["1", "2", "8"] {
        let mut command = Command::new(&made);
        assert_eq!(
            run(command.env("HEIST_WORKERS", workers)),
            printed(&wanted),
            "{workers} workers"
        );
    }
    let flat = [
        "run", "--forks", "clones", "--memory", "flat", "--stats", &source,
    ];
    assert_eq!(String::from_utf8(heist(&flat).stdout).unwrap(), wanted);
    let eager = ["run", "--forks", "clones", "--memory", "eager", &source];
    assert!(refused(&eager).contains("--memory"));
    let both = heist(&["run", "--forks", "clones", "--sequential", &source]);
    assert_eq!(both.status.code(), Some(2));
}
