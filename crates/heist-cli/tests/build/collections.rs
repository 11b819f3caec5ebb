//! Tests that workers share the work of global collections.

use std::fs;

use super::common::good;

/// A program in which one vector of 3,000 arrays refers to all live objects. So the worker that has the vector must give away some of the
/// vector's slots.
const PROGRAM: &str = "\
fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
val (a, b) = (| fib 27, fib 27 |)
fun rows () = Vector.tabulate (3000, fn i => Array.array (4000, i))
fun go (0, kept) = Vector.length kept
  | go (n, _) = go (n - 1, rows ())
val () = print (Int.toString (go (4, rows ())) ^ \"\\n\")
";

/// The program has 96 MB of live objects. The system may give the second worker no processor during a collection, so the best of ten runs
/// counts.
#[test]
fn workers_share_the_slots_of_one_vector() {
    let folder = tempfile::tempdir().unwrap();
    let (program, stats) = (
        folder.path().join("rows.pml"),
        folder.path().join("stats.json"),
    );
    fs::write(&program, PROGRAM).unwrap();
    let share = || {
        let [stats, program] = [&stats, &program].map(|it| it.to_str().unwrap());
        let printed = good(&["run", "--workers", "2", "--stats-json", stats, program]);
        assert_eq!(printed, "3000\n");
        let stats: serde_json::Value = serde_json::from_slice(&fs::read(stats).unwrap()).unwrap();
        let sum = |name: &str| -> f64 {
            let workers = stats["workers"].as_array().unwrap();
            workers.iter().map(|it| it[name].as_f64().unwrap()).sum()
        };
        assert!(sum("global") >= 5.0, "{stats}");
        sum("global_bytes") / sum("global_most_bytes")
    };
    let mut shares = Vec::new();
    while shares.len() < 10 {
        shares.push(share());
        if shares.last() >= Some(&1.4) {
            return;
        }
    }
    panic!("bytes that were copied, by those of the member with most: {shares:?}");
}
