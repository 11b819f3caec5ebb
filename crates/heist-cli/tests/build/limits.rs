//! Tests that run programs and `heist` itself with closed streams, with limits of the system, and with arbitrary bytes as arguments.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use super::{Place, built, printed, run};

/// Runs a command in a shell that closes some streams, and returns the exit code, the standard
/// output and the standard error.
fn closed(streams: &str, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", &format!("exec \"$0\" \"$@\" {streams}")])
        .args(words);
    run(&mut command)
}

/// `heist run` and executables report that output is lost if standard output is closed. The output does not go to a file that the program
/// opens.
#[test]
fn a_closed_output_is_an_error() {
    let heist = env!("CARGO_BIN_EXE_heist");
    let place = built(
        r#"val () = case CommandLine.arguments () of
  [name] => let val file = TextIO.openOut name in TextIO.output (file, "file"); print "text"; TextIO.closeOut file end
| _ => ()"#,
    );
    let (source, prog, file) = (
        place.words("prog.sml"),
        place.words("prog"),
        place.words("file"),
    );
    let said = "cannot write all of the output: it is closed; send it to a file, or to /dev/null\n";
    for words in [vec![heist, "run", &source], vec![&prog]] {
        let writes = [&words[..], &[&file]].concat();
        let lost = (Some(2), String::new(), said.to_owned());
        assert_eq!(closed(">&-", &writes), lost, "{words:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "file");
        // With both streams closed, only the exit code reports the error.
        let silent = (Some(2), String::new(), String::new());
        assert_eq!(closed(">&- 2>&-", &writes), silent, "{words:?}");
        assert_eq!(closed("2>&- <&-", &writes), printed("text"), "{words:?}");
        // A program without output loses no output.
        assert_eq!(closed(">&-", &words), printed(""), "{words:?}");
    }
    for words in [&["list"][..], &["--help"], &["fmt", "-"], &["explain"]] {
        let (code, _, said) = closed("</dev/null >&-", &[&[heist], words].concat());
        let nothing = words[0] == "fmt";
        assert_eq!(code, Some(if nothing { 0 } else { 2 }), "{words:?}: {said}");
        assert_eq!(
            said.lines().count(),
            usize::from(!nothing),
            "{words:?}: {said}"
        );
    }
}

/// `heist` prints a message of one line if a compilation reaches the system's limit on memory, at any point.
#[test]
fn a_limit_of_memory_is_one_line() {
    let place = Place::new("prog.sml", "val () = print \"x\\n\"");
    let (source, made) = (place.words("prog.sml"), place.words("prog"));
    let mut ended = 0;
    for kilobytes in (1_100_000..1_500_000).step_by(25_000) {
        let mut command = Command::new("/bin/sh");
        command
            .args([
                "-c",
                &format!("ulimit -c 0; ulimit -v {kilobytes}; exec \"$0\" \"$@\""),
            ])
            .args([env!("CARGO_BIN_EXE_heist"), "build", "-o", &made, &source]);
        let (code, _, said) = run(&mut command);
        if code != Some(0) {
            assert_eq!(code, Some(2), "{kilobytes}: {said}");
            assert!(said.starts_with("heist: "), "{kilobytes}: {said}");
            assert_eq!(said.lines().count(), 1, "{kilobytes}: {said}");
            ended += usize::from(said.contains("out of memory"));
        }
    }
    assert!(ended > 0, "no limit ended the compiler itself");
}

/// A write to a file that has reached the system's limit on its size is an error, like a write to a full disk.
#[test]
fn a_limit_of_file_sizes_is_an_error() {
    let place = built(
        r#"val () = case CommandLine.arguments () of
  [name] => ((TextIO.output (TextIO.openOut name, CharVector.tabulate (100000, fn _ => #"x")); print "written")
    handle IO.Io {cause = OS.SysErr (_, SOME e), ...} => TextIO.output (TextIO.stdErr, OS.errorName e))
| _ => print "x\n""#,
    );
    let (source, prog, file) = (
        place.words("prog.sml"),
        place.words("prog"),
        place.words("file"),
    );
    for words in [
        vec![env!("CARGO_BIN_EXE_heist"), "run", &source],
        vec![&prog],
    ] {
        let limited = |words: &[&str]| {
            let script = format!("ulimit -c 0; ulimit -f 0; exec \"$0\" \"$@\" >'{file}.out'");
            let mut command = Command::new("/bin/sh");
            run(command.args(["-c", &script]).args(words))
        };
        let raised = (Some(0), String::new(), "fbig".to_owned());
        assert_eq!(
            limited(&[&words[..], &[&file]].concat()),
            raised,
            "{words:?}"
        );
        let (code, _, said) = limited(&words);
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(
            said.starts_with("cannot write all of the output: File too large"),
            "{said}"
        );
    }
}

#[test]
fn arguments_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let place = built("val () = print (String.concat (CommandLine.arguments ()))");
    let word = OsStr::from_bytes(b"a\xff\xfe");
    let mut running = Command::new(env!("CARGO_BIN_EXE_heist"));
    running.arg("run").arg(place.path("prog.sml"));
    for mut command in [running, Command::new(place.path("prog"))] {
        let output = command.arg(word).output().unwrap();
        assert_eq!(output.stdout, b"a\xff\xfe", "{output:?}");
    }
    let mut workers = Command::new(place.path("prog"));
    workers.env("HEIST_WORKERS", word);
    let (code, _, said) = run(&mut workers);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is not a number of workers"), "{said}");
}

/// `heist`, its compiler and executables work if the stack of the main thread is small.
#[test]
fn a_limit_of_the_stack_does_not_matter() {
    let place = built(
        r#"fun build n = if n = 0 then [] else n :: build (n - 1)
val (a, b) = (| foldl op+ 0 (build 100000), foldl op+ 0 (build 100000) |)
val () = print (Int.toString (a + b) ^ " " ^ Int.toString (size (IntInf.toString (IntInf.pow (3, 100000)))))"#,
    );
    let (source, prog, made) = (
        place.words("prog.sml"),
        place.words("prog"),
        place.words("made"),
    );
    let heist = env!("CARGO_BIN_EXE_heist");
    for kilobytes in [64, 100, 200, 1000, 3000] {
        let limited = |words: &[&str]| {
            let script = format!("ulimit -c 0; ulimit -s {kilobytes}; exec \"$0\" \"$@\"");
            let mut command = Command::new("/bin/sh");
            run(command.args(["-c", &script]).args(words))
        };
        let result = printed("10000100000 47713");
        assert_eq!(limited(&[heist, "run", &source]), result, "{kilobytes}");
        assert_eq!(
            limited(&[heist, "build", "-o", &made, &source]),
            printed(""),
            "{kilobytes}"
        );
        assert_eq!(limited(&[&made]), result, "{kilobytes}");
        assert_eq!(limited(&[&prog]), result, "{kilobytes}");
        let (code, out, said) = limited(&[heist, "--version"]);
        assert!(
            code == Some(0) && out.starts_with("heist ") && said.is_empty(),
            "{kilobytes}: {said}"
        );
    }
}

/// A program that computes one number. The program's argument is the number of bits of the computed number.
const NUMBER: &str = r#"val () = print "printed"
val bits = valOf (Int.fromString (hd (CommandLine.arguments ())))
val () = if IntInf.log2 (IntInf.<< (1, Word.fromInt bits)) = bits then () else print "wrong""#;

/// Runs a command with limits on the heap and on the address space of the process.
fn limited(kilobytes: &str, words: &[&str]) -> (Option<i32>, String, String) {
    let script = format!("ulimit -c 0; ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
    let mut command = Command::new("/bin/sh");
    command
        .env("HEIST_HEAP", "64M")
        .env("HEIST_STACK", "1M")
        .env("HEIST_WORKERS", "1");
    run(command.args(["-c", &script]).args(words))
}

/// Returns two commands for the program of `place`: one compiles it in memory, and one runs its
/// executable.
fn both_ways(place: &Place) -> [Vec<String>; 2] {
    let options = "run --heap 64M --stack 1M --workers 1";
    let mut heist = vec![env!("CARGO_BIN_EXE_heist").to_owned()];
    heist.extend(options.split(' ').map(str::to_owned));
    heist.push(place.words("prog.sml"));
    [heist, vec![place.words("prog")]]
}

/// The runtime asks the system for the memory of a large number. The system may have less memory than the limit of the heap allows.
#[test]
fn a_number_that_memory_does_not_hold_is_one_line() {
    let place = built(NUMBER);
    for words in both_ways(&place) {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("400000000");
        // With the least address space no program starts, and with the most address space the
        // program computes its number.
        let (mut least, mut most) = (100_000, 4_000_000);
        let mut ended = false;
        while !ended && most - least > 1_000 {
            let kilobytes = usize::midpoint(least, most);
            let (code, out, said) = limited(&kilobytes.to_string(), &words);
            if code == Some(0) {
                assert_eq!(out, "printed", "{words:?}, {kilobytes}");
                most = kilobytes;
                continue;
            }
            assert_eq!(code, Some(2), "{words:?}, {kilobytes}: {said}");
            assert_eq!(said.lines().count(), 1, "{words:?}, {kilobytes}: {said}");
            ended = said.starts_with("heist: out of memory: the system") && out == "printed";
            least = kilobytes;
        }
        assert!(ended, "{words:?}: no limit ended the program itself");
    }
}

/// The runtime compares the size of a number with the limit of the heap before it allocates the number. So a process reports the limit of
/// the heap, even if its address space is too small for the number.
#[test]
fn a_number_that_the_heap_does_not_hold_is_one_line() {
    let place = built(NUMBER);
    let said = |setting: &str| {
        let line =
            format!("out of memory: the heap has reached its limit of 64 MiB (see {setting})\n");
        (Some(2), "printed".to_owned(), line)
    };
    for (words, setting) in both_ways(&place).iter().zip(["--heap", "HEIST_HEAP"]) {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("8000000000");
        assert_eq!(limited("unlimited", &words), said(setting), "{words:?}");
    }
    let prog = place.words("prog");
    let few = limited("900000", &[&prog, "8000000000"]);
    assert_eq!(few, said("HEIST_HEAP"));
    let large = limited("unlimited", &[&prog, "8589934592"]);
    assert!(large.2.starts_with("uncaught exception Size"), "{large:?}");
}

/// The memory for powers, products and digits of numbers also counts as memory of the heap.
#[test]
fn each_way_to_a_large_number_knows_the_limit() {
    let place = built(
        r#"val large = IntInf.<< (1, 0w300000000)
val () = print "printed"
val () = print (Int.toString (case hd (CommandLine.arguments ()) of
  "pow" => IntInf.log2 (IntInf.pow (2, 1000000000))
| "mul" => IntInf.log2 (large * large)
| "digits" => size (IntInf.fmt StringCvt.BIN large)
| "fix" => size (Real.fmt (StringCvt.FIX (SOME 1000000000)) 1.5)
| "file" => MPL.File.size (MPL.File.openFile "/dev/zero")
| _ => 0)) handle OS.SysErr (_, SOME e) => print (OS.errorName e)"#,
    );
    let prog = place.words("prog");
    let line = "out of memory: the heap has reached its limit of 64 MiB (see HEIST_HEAP)\n";
    for way in ["pow", "mul", "digits", "fix"] {
        let ended = limited("600000", &[&prog, way]);
        assert_eq!(
            ended,
            (Some(2), "printed".to_owned(), line.to_owned()),
            "{way}"
        );
    }
    assert_eq!(limited("600000", &[&prog, "file"]), printed("printednomem"));
}
