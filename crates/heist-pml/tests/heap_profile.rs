//! Tests heap profiles of programs with a known amount of live data. The programs run on several workers and with all ways to share the
//! heap.

use std::sync::{Arc, Mutex};

use heist_pml::driver::{self, Forms, INTERVAL, Memory, Profiling, Settings};
use serde_json::Value;

/// A heap profile, and the text of its program.
struct Profile {
    data: Value,
    text: String,
}

/// Runs a program, and returns its profile. The program must end with the exit code `code`.
fn ended(text: &str, code: i32, interval: usize, settings: &Settings) -> Profile {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.pml");
    std::fs::write(&file, text).unwrap();
    let found = Arc::new(Mutex::new(None));
    let to = found.clone();
    let settings = Settings {
        heap_types: true,
        heap_profile: Some(Profiling {
            interval,
            // Snapshots are frequent, so that the last snapshot is recent.
            share: 1,
            done: Arc::new(move |text| *to.lock().unwrap() = Some(text.to_owned())),
        }),
        ..settings.clone()
    };
    assert_eq!(driver::run(&[file], &settings), code);
    let found = found.lock().unwrap().take().expect("the profile was made");
    Profile {
        data: serde_json::from_str(&found).unwrap(),
        text: text.to_owned(),
    }
}

fn profile(text: &str, interval: usize, settings: &Settings) -> Profile {
    ended(text, 0, interval, settings)
}

impl Profile {
    /// Returns the numbers of the sites on the line with this comment. If `ty` is not empty, returns only sites of objects of this type.
    fn sites(&self, comment: &str, ty: &str) -> Vec<u64> {
        let mut lines = self.text.lines();
        let line = 1 + lines.position(|line| line.contains(comment)).unwrap();
        let place = format!("program.pml:{line}:");
        let sites = self.data["sites"].as_array().unwrap().iter().zip(0..);
        let wanted = |site: &Value| {
            site["place"].as_str().unwrap().contains(&place)
                && (ty.is_empty() || site["type"] == ty)
        };
        sites
            .filter(|(site, _)| wanted(site))
            .map(|(_, number)| number)
            .collect()
    }

    /// Returns the live bytes of these sites in each snapshot after a major collection.
    fn live(&self, comment: &str, ty: &str) -> Vec<f64> {
        let sites = self.sites(comment, ty);
        let snapshots = self.data["snapshots"].as_array().unwrap().iter();
        let full = snapshots.filter(|snapshot| snapshot["full"] == true);
        let bytes = |pair: &Value| {
            let is_one = sites.contains(&pair[0].as_u64().unwrap());
            if is_one {
                pair[1].as_f64().unwrap()
            } else {
                0.0
            }
        };
        full.map(|snapshot| snapshot["live"].as_array().unwrap().iter().map(bytes).sum())
            .collect()
    }

    /// Returns the live bytes of these sites in the last snapshot after a major collection.
    #[track_caller]
    fn last(&self, comment: &str, ty: &str) -> f64 {
        *self.live(comment, ty).last().expect("a major collection")
    }

    fn allocated(&self, comment: &str) -> f64 {
        let sites = self.sites(comment, "").into_iter();
        sites
            .map(|site| {
                self.data["sites"][site as usize]["allocated"]
                    .as_f64()
                    .unwrap()
            })
            .sum()
    }

    /// Checks that the live bytes of these sites differ from `wanted` by at most the fraction `part`.
    #[track_caller]
    fn check(&self, comment: &str, ty: &str, wanted: f64, part: f64) {
        let found = self.last(comment, ty);
        assert!(
            (found - wanted).abs() <= part * wanted,
            "{comment}, {ty}: {found} bytes, not {wanted}: {:#}",
            self.data["sites"]
        );
    }
}

/// A program that keeps a list while it makes garbage. At its end, the program uses only the beginning of the list, because a walk over the
/// list would turn the list into garbage step by step.
const LIST: &str = r#"
fun build (n, l) = if n = 0 then l else build (n - 1, n :: l) (* kept *)
fun waste (0, sum) = sum
  | waste (n, sum) = waste (n - 1, sum + length (List.tabulate (10, fn i => (i, n)))) (* garbage *)
val kept = build (1000000, [])
fun repeat until = if Time.> (Time.now (), until) then 0 else waste (1000, 0) + repeat until
val _ = repeat (Time.+ (Time.now (), Time.fromMilliseconds 1000))
val () = if hd kept = 1 then () else raise Fail "wrong"
"#;

#[test]
fn a_site_has_its_live_bytes_and_garbage_has_none() {
    let profile = profile(LIST, INTERVAL, &Settings::default());
    profile.check("(* kept *)", "int list", 24e6, 0.05);
    assert!(profile.last("(* garbage *)", "") < 0.5e6);
    assert!(profile.allocated("(* garbage *)") > 24e6);
}

#[test]
fn the_heap_is_flat_or_copied() {
    for memory in [Memory::Flat, Memory::Copying] {
        let settings = Settings {
            memory,
            ..Settings::default()
        };
        let profile = profile(LIST, INTERVAL, &settings);
        profile.check("(* kept *)", "int list", 24e6, 0.05);
        assert!(profile.last("(* garbage *)", "") < 0.5e6);
    }
}

/// A program whose workers make trees with forks, and keep the last large tree alive in a reference.
const TREE: &str = r#"
datatype tree = Leaf of int list | Node of tree * tree
fun build n = if n = 0 then [] else n :: build (n - 1) (* cells *)
fun make 0 = Leaf (build 1000) (* leaves *)
  | make d = let val (l, r) = (| make (d - 1), make (d - 1) |) in Node (l, r) (* nodes *) end
fun size (Leaf l) = length l
  | size (Node (l, r)) = size l + size r
val kept = ref (Leaf [])
fun again 0 = () | again n = (kept := make 10; again (n - 1))
val () = again 3
fun more until =
  if Time.> (Time.now (), until) then ()
  else (if size (make 5) = 32000 then more until else raise Fail "wrong")
val () = more (Time.+ (Time.now (), Time.fromMilliseconds 1000))
val () = case ! kept of Node _ => () | Leaf _ => raise Fail "wrong"
"#;

#[test]
fn several_workers_share_a_profile() {
    for workers in [1, 2, 8] {
        let settings = Settings {
            workers: Some(workers),
            ..Settings::default()
        };
        let profile = profile(TREE, INTERVAL, &settings);
        // At most one more tree, which the loop is making, is live.
        let found = profile.last("(* cells *)", "int list");
        assert!(
            (0.93 * 24.6e6..1.1 * 25.4e6).contains(&found),
            "{workers}: {found}"
        );
        assert!(profile.allocated("(* cells *)") > 70e6);
    }
}

#[test]
fn forks_are_translated_and_promoted_in_other_ways() {
    for (memory, forms) in [
        (Memory::Copying, Forms::Parallel),
        (Memory::Split, Forms::Eager),
        (Memory::Split, Forms::Clones),
        (Memory::Flat, Forms::Clones),
    ] {
        let settings = Settings {
            workers: Some(2),
            memory,
            forms,
            ..Settings::default()
        };
        let profile = profile(TREE, INTERVAL, &settings);
        let found = profile.last("(* cells *)", "int list");
        // A copy that a promotion has made and its original both count while the original is reachable.
        let range = 0.93 * 24.6e6..1.15 * 25.4e6;
        assert!(range.contains(&found), "{memory:?} {forms:?}: {found}");
    }
}

#[test]
fn samples_of_every_object_are_exact() {
    // The sizes of all objects are multiples of the interval 8, so the number of samples of an object is proportional
    // to its size.
    let text = r#"
        val COUNT = if null (CommandLine.arguments ()) then 300 else 100
        datatype shape = Circle of real | Box of int * int
        exception Own of int
        fun keep f n = List.tabulate (n, f) (* all *)
        val a = keep (fn i => Circle (real i)) COUNT (* circles *)
        val b = keep (fn i => Box (i, i)) COUNT (* boxes *)
        val c = keep (fn i => ref i) COUNT (* refs *)
        val d = keep (fn i => fn x => x + i) COUNT (* functions *)
        val e = keep (fn i => Own i) COUNT (* exceptions *)
        (* A function returns the fields of a record in registers. Its caller makes the object. *)
        val f = keep (fn i => {name = i, size = i}) COUNT
        val g = keep (fn i => IntInf.pow (3, 100 + i)) COUNT (* numbers *)
        val h = keep (fn i => Array.array (10, i)) COUNT (* arrays *)
        val k = keep (fn i => CharVector.tabulate (40, fn _ => #"x")) COUNT (* strings *)
        fun again 0 = 0 | again n = length (keep (fn i => (i, n)) 10) + again (n - 1)
        val _ = again (if null (CommandLine.arguments ()) then 3000 else 20)
        val () = if length a + length b + length c + length d + length e + length f + length g + length h + length k = 9 * COUNT
          andalso ! (hd c) + hd d 1 = 1 then () else raise Fail "wrong"
    "#;
    for stress in [false, true] {
        let count = if stress { 100.0 } else { 300.0 };
        let settings = Settings {
            stress,
            arguments: if stress {
                vec!["few".into()]
            } else {
                Vec::new()
            },
            ..Settings::default()
        };
        let profile = profile(text, 64, &settings);
        let numbers = if stress { 5.2 } else { 7.7 };
        for (comment, ty, words) in [
            ("(* circles *)", "shape (Circle)", 2.0),
            ("(* boxes *)", "shape (Box)", 3.0),
            ("(* refs *)", "int ref", 2.0),
            ("(* functions *)", "fn", 3.0),
            ("(* exceptions *)", "exn (Own)", 3.0),
            ("(* all *)", "{name : int, size : int}", 3.0),
            ("(* arrays *)", "int array", 11.0),
            ("(* strings *)", "string or bytes", 6.0),
            ("(* numbers *)", "IntInf.int", numbers),
        ] {
            profile.check(comment, ty, count * 8.0 * words, 0.2);
        }
        profile.check("(* all *)", "shape list", 2.0 * count * 24.0, 0.2);
    }
}

#[test]
fn large_objects_are_all_recorded() {
    let text = r#"
        val a = Array.array (1000000, 0) (* kept *)
        fun waste 0 = 0 | waste n = Array.length (Array.array (100000, n)) + waste (n - 1) (* garbage *)
        val s = CharVector.tabulate (3000000, fn _ => #"x") (* text *)
        val _ = waste 1000
        val () = if Array.length a + size s = 4000000 then () else raise Fail "wrong"
    "#;
    for memory in [Memory::Split, Memory::Flat] {
        let settings = Settings {
            memory,
            ..Settings::default()
        };
        let profile = profile(text, INTERVAL, &settings);
        profile.check("(* kept *)", "int array", 8_000_008.0, 0.0);
        profile.check("(* text *)", "string or bytes", 3_000_008.0, 0.001);
        assert!(profile.last("(* garbage *)", "") <= 2.0 * 800_008.0);
        assert_eq!(profile.allocated("(* garbage *)"), 1000.0 * 800_008.0);
    }
}

#[test]
fn a_leak_is_seen_growing() {
    let text = r#"
        val kept = ref ([] : int list)
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        fun leak until =
          if Time.> (Time.now (), until) then ()
          else (kept := List.tabulate (50, fn i => i) @ ! kept; ignore (fib 20); leak until) (* leak *)
        val () = leak (Time.+ (Time.now (), Time.fromMilliseconds 800))
        val () = if hd (! kept) = 0 then () else raise Fail "wrong"
    "#;
    let profile = profile(text, 1024, &Settings::default());
    let live = profile.live("(* leak *)", "int list");
    let grows = live.windows(2).all(|pair| pair[1] >= 0.95 * pair[0]);
    let (middle, last) = (live[live.len() / 2], live[live.len() - 1]);
    assert!(live.len() >= 4 && grows && last > 1.3 * middle, "{live:?}");
}

#[test]
fn uncaught_exceptions_leave_a_profile() {
    let text = LIST.replace("val () = if hd kept = 1 then () else", "val () =");
    let text = text.replace("\"wrong\"", "(Int.toString (hd kept))");
    let profile = ended(&text, 1, INTERVAL, &Settings::default());
    profile.check("(* kept *)", "int list", 24e6, 0.05);
}

#[test]
fn deep_recursions_in_the_basis_have_a_caller() {
    let text = r#"
        fun twice l = List.map (fn x => (x, x)) l (* caller *)
        fun again 0 = [] | again n = let val l = List.tabulate (200000, fn i => i) in twice l :: (if n = 1 then [] else again (n - 1)) end
        val kept = again 4
        fun more until = if Time.> (Time.now (), until) then 0 else length (List.tabulate (1000, fn i => (i, i))) + more until
        val _ = more (Time.+ (Time.now (), Time.fromMilliseconds 2000))
        val () = if hd (hd kept) = (0, 0) then () else raise Fail "wrong"
    "#;
    let profile = profile(text, INTERVAL, &Settings::default());
    profile.check("(* caller *)", "int * int", 800e3 * 24.0, 0.05);
}
