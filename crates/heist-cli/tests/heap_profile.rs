//! Tests that make heap profiles as users do, by `heist run --heap-profile` and by executables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

mod common;

use common::{good, heist, refused};

/// A program that keeps a list. The program's argument determines how the program ends.
const PROGRAM: &str = r#"
fun build (n, l) = if n = 0 then l else build (n - 1, n :: l)
val kept = build (200000, [])
fun count (n, most) = if n = most then n else count (n + 1, most)
fun deep n = 1 + deep (n + 1)
(* The list is live at the end, because the call could return. *)
fun leave n = if n = 0 then OS.Process.exit OS.Process.failure else 1 + leave (n - 1)
fun fill l = fill (build (1000, []) :: l)
val () = print "begun\n"
val sum =
  case CommandLine.arguments () of
    (* The loop has no end, but the compiler does not know it. Otherwise the list would not be live. *)
    args as ["loop"] => count (0, ~ (length args))
  | ["deep"] => deep 0
  | ["fill"] => fill []
  | ["exit"] => leave 1
  | ["raise"] => raise Fail "on purpose"
  | _ => 0
val () = print (Int.toString (sum + length kept) ^ "\n")
"#;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("prog.sml"), PROGRAM).unwrap();
        Place(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn word(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Runs the program with a profile.
    fn run(&self, file: &str, options: &[&str], argument: &str) -> Output {
        let (file, program) = (self.word(file), self.word("prog.sml"));
        let words = ["run", "--heap-profile", &file];
        heist(&[&words[..], options, &[&program, argument]].concat())
    }
}

/// Returns the live bytes of the list's cells at the end of a profile, and the type that the profile names for them.
fn kept(file: &Path) -> (u64, String) {
    let data: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(data["kind"], "heap-profile");
    let sites = data["sites"].as_array().unwrap();
    let wanted = |site: &Value| site["place"].as_str().unwrap().contains("prog.sml:2:");
    let at = sites.iter().position(wanted).expect("the site of the list");
    let last = data["snapshots"].as_array().unwrap().last().unwrap();
    let live = last["live"].as_array().unwrap().iter();
    let bytes = live
        .filter(|pair| pair[0] == at)
        .map(|pair| pair[1].as_u64().unwrap());
    let ty = sites[at]["type"].as_str().unwrap().to_owned();
    (bytes.sum(), ty)
}

fn is_list(bytes: u64) -> bool {
    (4_700_000..4_900_000).contains(&bytes)
}

#[test]
fn the_picture_names_the_site_and_the_summary_too() {
    let place = Place::new();
    let output = place.run("heap.svg", &[], "exit");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.stdout, b"begun\n");
    assert!(told.starts_with("heap profile: 4.5"), "{told}");
    assert!(
        told.contains("prog.sml:2:") && told.contains("in build: int list"),
        "{told}"
    );
    let picture = fs::read_to_string(place.path("heap.svg")).unwrap();
    let document = roxmltree::Document::parse(&picture).unwrap();
    let texts = document.descendants().filter_map(|node| node.text());
    let texts: Vec<&str> = texts.map(str::trim).collect();
    assert!(
        texts
            .iter()
            .any(|text| text.ends_with("in build: int list")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.starts_with("peak: 4.5")),
        "{texts:?}"
    );
}

#[test]
fn every_end_of_a_program_leaves_its_profile() {
    let place = Place::new();
    let file = place.path("heap.json");
    for (argument, options, code) in [
        ("exit", &[][..], 1),
        ("raise", &[][..], 1),
        ("deep", &["--stack", "8M"][..], 2),
        ("fill", &["--heap", "100M"][..], 2),
    ] {
        let output = place.run("heap.json", options, argument);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{argument}: {told}");
        assert!(
            told.contains("heap profile: ") && told.contains(" live at "),
            "{argument}: {told}"
        );
        let (bytes, ty) = kept(&file);
        assert_eq!(ty, "int list");
        // The list of `fill` has the same site. The heap is too small for a second copy of its live objects, so more than half of the heap
        // is live.
        let range = if argument == "fill" {
            (50_000_000..105_000_000).contains(&bytes)
        } else {
            is_list(bytes)
        };
        // With `raise` and `deep`, the compiler may find that no code can use the list any more. Then the collector frees the list.
        assert!(
            range || matches!(argument, "raise" | "deep"),
            "{argument}: {bytes}"
        );
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn signals_end_a_program_and_leave_its_profile() {
    for (signal, name) in [(2, "INT"), (15, "TERM")] {
        let place = Place::new();
        let file = place.word("heap.json");
        let mut child = Command::new(env!("CARGO_BIN_EXE_heist"))
            .args([
                "run",
                "--heap-profile",
                &file,
                &place.word("prog.sml"),
                "loop",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut begun = [0; 6];
        // The program's output is not flushed before its end, so the loop is awaited by time.
        std::thread::sleep(Duration::from_millis(1500));
        let killed = Command::new("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(30), "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let status = std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap());
        assert_eq!(status, Some(signal));
        let _ = std::io::Read::read(&mut child.stdout.take().unwrap(), &mut begun);
        let (bytes, _) = kept(Path::new(&file));
        assert!(is_list(bytes), "{bytes}");
    }
}

#[test]
fn other_names_and_places_are_refused_before_the_program_runs() {
    let place = Place::new();
    let program = place.word("prog.sml");
    for (file, part) in [
        ("heap.png", "ends neither in .svg"),
        ("-", "ends neither in .svg"),
        ("/nowhere/heap.svg", "cannot write '/nowhere/heap.svg'"),
    ] {
        let line = refused(&["run", "--heap-profile", file, &program]);
        assert!(
            line.contains(part) && line.contains("--heap-profile"),
            "{line}"
        );
    }
    let file = place.word("none.svg");
    assert!(refused(&["run", "--heap-profile", &file, "missing.sml"]).contains("missing.sml"));
    assert!(!place.path("none.svg").exists());
}

#[test]
fn executables_write_profiles_that_reports_draw() {
    let place = Place::new();
    let (program, made) = (place.word("prog.sml"), place.word("prog"));
    for (option, wanted) in [
        (&["--heap-profile"][..], "int list"),
        (&[][..], "record or constructor"),
    ] {
        good(&[&["build", "-o", &made], option, &[&program]].concat());
        let run = |file: &str| {
            let mut command = Command::new(&made);
            command.arg("exit").env("HEIST_HEAP_PROFILE", file);
            command.output().unwrap()
        };
        let file = place.word("heap.json");
        let output = run(&file);
        assert_eq!(
            (output.status.code(), &output.stderr[..]),
            (Some(1), &b""[..])
        );
        let (bytes, ty) = kept(Path::new(&file));
        assert!(is_list(bytes) && ty == wanted, "{bytes} {ty}");
        let page = place.word("heap.html");
        good(&["report", &file, "--out", &page]);
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains(&format!("in build: {wanted}")) && page.contains("<polygon"));
        for (file, part) in [
            ("heap.svg", "does not end in .json"),
            ("/nowhere/heap.json", "cannot write '/nowhere/heap.json'"),
        ] {
            let output = run(file);
            let line = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{line}");
            assert!(line.contains(part) && line.lines().count() == 1, "{line}");
            assert_eq!(output.stdout, b"");
        }
    }
}
