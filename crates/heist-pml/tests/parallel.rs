//! Programs that fork, on several workers: with forks published at every poll, and with collections at every allocation, after each of
//! which the verifier looks at the whole heap. Their values are those that the sequential meaning gives.
//!
//! Without the usual harness, since this program runs the programs under test in processes of their own.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use heist_pml::driver::{self, Settings};

/// The argument with which this program runs one file instead of testing. The file's name follows, the number of workers, and whether
/// to collect at every allocation.
const RUN: &str = "--run-file";

/// The longest that a program may take in a build without optimisation and beside others.
const LIMIT: Duration = Duration::from_secs(120);

/// Workers, whether every poll publishes, whether every allocation collects, and the size of the program.
const MODES: &[(u16, bool, bool, u32)] = &[
    (1, false, false, 100_000),
    (2, false, false, 400_000),
    (8, false, false, 100_000),
    (3, true, false, 5000),
    (2, false, true, 1000),
    (3, true, true, 300),
];

/// Programs that print one line, by names; `SIZE` stands for a number that is a multiple of ten.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "arrays",
        r#"
        val n = SIZE
        val squares = PArray.tab (n, fn i => i * i)
        val even = PArray.filter (fn x => x mod 2 = 0) squares
        val sums = scanP (op +) 0 squares
        val pairs = [| (x, y) | x in squares, y in sums where x mod 2 = 1 |]
        val rows = PArray.tab (20, fn i => PArray.tab (i, fn j => Int.toString (i * j)))
        val flat = PArray.flatten rows
        val (left, right) = PArray.unzip pairs
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val () = check ("tab", sumP squares = (n - 1) * n * (2 * n - 1) div 6)
        val () = check ("filter", lengthP even = n div 2 andalso PArray.all (fn x => x mod 2 = 0) even)
        val () = check ("scan", subP (sums, n - 1) + (n - 1) * (n - 1) = sumP squares)
        val () = check ("where", lengthP left = n div 2 andalso subP (right, 1) = 0 + 1 + 4)
        val () = check ("flatten", lengthP flat = 190 andalso subP (flat, 189) = Int.toString (19 * 18))
        val () = check ("strings", PArray.foldl (fn (s, k) => k + String.size s) 0 flat
                                   = List.foldl (fn (r, k) => k + PArray.foldl (fn (s, k) => k + String.size s) 0 r)
                                       0 (PArray.toList rows))
        val () = check ("rev", PArray.toList (PArray.rev (PArray.rev squares)) = PArray.toList squares)
        val () = check ("concat", lengthP (PArray.concat [squares, even, squares]) = 2 * n + n div 2)
        val () = print "done\n"
        "#,
    ),
    (
        "cells that all workers see",
        r#"
        val n = SIZE
        val cells = PArray.tab (n, fn i => ref [i])
        (* Each cell grows where it is: its list is young, the cell is not. *)
        val () = ignore (PArray.map (fn cell => cell := 1 :: 2 :: ! cell) cells)
        val () = PArray.app (fn cell => cell := 3 :: ! cell) cells
        val total = PArray.reduce (op +) 0 (PArray.map (fn cell => List.foldl (op +) 0 (! cell)) cells)
        (* What is declared from here on is seen by workers that run already. *)
        val names = List.tabulate (n, fn i => Int.toString i)
        val table = Vector.fromList names
        val again = PArray.tab (n, fn i => valOf (Int.fromString (Vector.sub (table, i))))
        (* Cells that are young when others come to see them, and are written afterwards. *)
        val doors = PArray.tab (n, fn _ => ref (ref 0))
        fun open' i = let val c = ref i in subP (doors, i) := c; c := ! c + 1 end
        val () = ignore (PArray.map open' [| 0 to n - 1 |])
        val opened = PArray.reduce (op +) 0 (PArray.map (fn door => ! (! door)) doors)
        val half = n * (n - 1) div 2
        val () = print (if total = 6 * n + half andalso sumP again = half andalso opened = half + n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "globals that workers see while they run",
        r#"
        val n = SIZE
        val numbers = [| 0 to n - 1 |]
        val () = ignore (sumP numbers)
        (* Young, and read by forks that are given nothing young. *)
        val key = Int.toString (n * 1000)
        val length = String.size (if n > 0 then Int.toString (n * 1000) else "")
        fun sized (i, text) = if i = 0 then String.size (key ^ text) else sized (i div 10, text ^ "x")
        fun count i = if i = 0 then 0 else 1 + count (i div 10)
        val sizes = PArray.map (fn i => sized (i, "") - count i) numbers
        val same = PArray.reduce (fn (a, b) => a andalso b) true (PArray.map (fn size => size = length) sizes)
                   andalso key = Int.toString (n * 1000)
        val () = print (if same then "done\n" else "wrong\n")
        "#,
    ),
    (
        "the leftmost exception",
        r#"
        exception At of int
        fun part (i, n, bad) =
          if n - i = 1 then (if bad i then raise At i else [i])
          else
            let val m = (i + n) div 2
                val (l, r) = (| part (i, m, bad), part (m, n, bad) |)
            in l @ r
            end
        val n = SIZE
        fun try bad = (length (part (0, n, bad))) handle At i => ~ i
        val all = try (fn _ => false)
        val one = try (fn i => i = n - 1)
        val many = try (fn i => i mod 10 = 7)
        val array = sumP [| if i > n div 2 then raise At i else i | i in [| 0 to n |] |] handle At i => ~ i
        val () = print (if all = n andalso one = 1 - n andalso many = ~ 7 andalso array = ~ (n div 2 + 1)
                        then "done\n" else "wrong\n")
        "#,
    ),
    (
        "loops beside forks",
        r#"
        (* The left side is a loop around a loop, and the outer one's last turn polls nowhere: what was published in the turns before
           is joined all the same. *)
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        fun both k =
          let
            val times = ref 0
            val m = k mod 7 + 30
            fun outer (i, sum) =
              let fun inner (j, sum) = if j = 0 then outer (i + 1, sum) else inner (j - 1, sum + i)
              in if i = 40 then sum else inner (m, sum)
              end
            val (a, b) = (| outer (0, 0), (times := ! times + 1; fib (k mod 5 + 6)) |)
          in
            a - 780 * m + b - fib (k mod 5 + 6) + ! times
          end
        fun all (k, sum) = if k = 0 then sum else all (k - 1, sum + both k)
        (* The same with a loop of the Basis, which polls by itself. *)
        fun array k =
          let
            val times = ref 0
            val (a, b) = (| sumP [| i mod 3 | i in [| 1 to 30 |] |], (times := ! times + 1; fib (k mod 5 + 6)) |)
          in
            a + b - fib (k mod 5 + 6) + ! times
          end
        fun arrays (k, sum) = if k = 0 then sum else arrays (k - 1, sum + array k)
        val n = SIZE div 100
        val () = print (if all (n, 0) = n andalso arrays (n, 0) = 31 * n then "done\n" else "wrong\n")
        "#,
    ),
    (
        "trees and reals",
        r#"
        datatype tree = Leaf of real | Node of tree * real * tree
        fun build (0, x) = Leaf x
          | build (d, x) =
              let val (l, r) = (| build (d - 1, x / 2.0), build (d - 1, x / 2.0) |)
              in Node (l, x, r)
              end
        fun total (Leaf x) = x
          | total (Node (l, x, r)) =
              let val (a, b) = (| total l, total r |)
              in a + b + x
              end
        val depth = if SIZE >= 5000 then 14 else 8
        val tree = build (depth, 1024.0)
        val [a, b, c] = parN [fn () => total tree, fn () => total tree, fn () => real (SIZE)]
        val () = print (if Real.== (a, real (depth + 1) * 1024.0) andalso Real.== (a, b) andalso Real.== (c, real (SIZE))
                        then "done\n" else "wrong\n")
        "#,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file, workers, stress] = &arguments[..]
        && first == RUN
    {
        let settings = Settings {
            workers: workers.parse().ok(),
            stress: stress == "true",
            ..Settings::default()
        };
        std::process::exit(driver::run(&[PathBuf::from(file)], &settings));
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for (name, text) in PROGRAMS {
        for mode in MODES {
            let began = Instant::now();
            match run(text, *mode) {
                Ok(()) => println!("{name}, {mode:?} ... ok, {:.1?}", began.elapsed()),
                Err(why) => {
                    println!("{name}, {mode:?} ... FAILED: {why}");
                    failed += 1;
                }
            }
        }
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        println!("{failed} failed");
        ExitCode::FAILURE
    }
}

/// Runs a program in a process of its own.
fn run(text: &str, (workers, publish, stress, size): (u16, bool, bool, u32)) -> Result<(), String> {
    let name = format!("parallel-{}.pml", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text.replace("SIZE", &size.to_string())).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(RUN).arg(&file);
    command.arg(workers.to_string()).arg(stress.to_string());
    command.env("HEIST_PUBLISH", if publish { "1" } else { "0" });
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            return Err("it does not end".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said == "done\n" {
        return Ok(());
    }
    Err(format!(
        "{}, output {said:?}, {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}
