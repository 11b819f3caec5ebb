//! `heist graph` and the figures of graphs, run as users run them.

use std::fs;

mod common;

use common::{good, refused};

#[test]
fn algorithms_on_the_built_in_data() {
    let table = good(&[
        "graph",
        "--algo",
        "all",
        "--deque",
        "all",
        "--runs",
        "1",
        "--threads",
        "1,2",
    ]);
    for part in [
        "closure: which vertices",
        "spanning: ",
        "components: ",
        "bfs: ",
        "sssp: ",
        "dataflow: ",
        "packages of Debian 12 (built in): 17148 vertices",
        "random weights from 1 to 255",
        "46209 blocks",
        "idempotent-double-ended",
        "crossbeam-fifo",
        "private",
        "repeats",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    // The legend appears once, at the end.
    assert_eq!(table.matches("median over the rounds, with").count(), 1);
}

#[test]
fn files_and_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let run = |path: &str, more: &[&str]| {
        let mut words = vec!["graph", path, "--runs", "1", "--threads", "1"];
        words.extend(more);
        good(&words)
    };
    let edges = file("edges.txt", "# three\n0 1\n1 2\n5 6\n");
    assert!(run(&edges, &["--algo", "components"]).contains("components=4"));
    assert!(
        run(&edges, &["--algo", "bfs", "--root", "2"])
            .contains("from vertex 2; reached=3 deepest=2")
    );
    // The output shows the vertex numbers of the file, for sparse numbers as for a Matrix Market
    // file.
    let sparse = file("sparse.txt", "2000000000 2000000001\n");
    assert!(
        run(&sparse, &["--root", "2000000001,2000000001"])
            .contains("from vertex 2000000001; reached=2")
    );
    let matrix = file(
        "path.mtx",
        "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n2 3 8\n",
    );
    let text = run(&matrix, &["--algo", "sssp", "--root", "1"]);
    assert!(
        text.contains("from vertex 1; reached=3 farthest=15"),
        "{text}"
    );

    let bad = file("bad.txt", "0 1\n1 x\n");
    for (words, parts) in [
        (vec![bad.as_str()], vec!["bad.txt", "line 2", "'x'"]),
        (vec!["no-such-file"], vec!["no-such-file"]),
        (
            vec![&edges, "--root", "7", "--algo", "bfs"],
            vec!["--root 7"],
        ),
        (
            vec![&matrix, "--root", "0", "--algo", "bfs"],
            vec!["--root 0"],
        ),
        (
            vec![&edges, "--algo", "spaning"],
            vec!["'spaning'", "did you mean spanning?"],
        ),
        (
            vec![&edges, "--deque", "idempotent-lio"],
            vec!["did you mean idempotent-lifo?"],
        ),
        (vec!["torus:0x9"], vec!["torus:ROWSxCOLUMNS"]),
        (vec!["rmat:0,2147483647"], vec!["rmat:SCALE,FACTOR"]),
        (vec!["torus:9x9", "--algo", "dataflow"], vec!["torus:9x9"]),
        (vec![&edges, "--threads", "0"], vec!["--threads"]),
        (
            vec![&edges, "--algo", "closure,dataflow"],
            vec!["edges.txt", "line"],
        ),
    ] {
        let mut all = vec!["graph"];
        all.extend(words);
        let line = refused(&all);
        assert!(
            parts.iter().all(|part| line.contains(part)),
            "{all:?}: {line}"
        );
    }
}

#[test]
fn small_figures_fill_tables_csv_and_charts() {
    for name in ["idempotent-5", "idempotent-8", "idempotent-10"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let table = good(&[
            "figure",
            name,
            "--size",
            "500",
            "--runs",
            "2",
            "--threads",
            "1,3",
            "--out",
            out,
        ]);
        for part in [
            name,
            "published: LIFO",
            "idempotent-lifo",
            "crossbeam-lifo",
            "Redundant work",
            "2.000 %",
        ] {
            assert!(table.contains(part), "no {part:?} in\n{table}");
        }
        let csv = fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        // The file has a header, and ten deques with two numbers of threads each.
        assert_eq!(csv.lines().count(), 1 + 20, "{csv}");
        let svg = fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(
            svg.contains("Redundant work") && svg.contains("exact-fifo") && !svg.contains("NaN")
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
    for (words, part) in [
        (["figure", "idempotent-5", "--size", "9"], "from 100 to"),
        (
            ["figure", "idempotent-5", "--out", "/dev/null/folder"],
            "cannot make the folder",
        ),
    ] {
        assert!(refused(&words).contains(part), "{words:?}");
    }
    assert!(refused(&["figure", "idempotent-5", "--instructions"]).contains("idempotent-4"));
}
