use super::*;

fn read(text: &str) -> Graph {
    super::text("F", text, Weights::Read).unwrap()
}

#[test]
fn edge_lists() {
    let graph = read("# A comment\n% another\n0 1\n\n1\t2\r\n2,0\n  0 , 3 \n");
    assert_eq!(graph.edges.pairs(), [(0, 1), (1, 2), (2, 0), (0, 3)]);
    assert_eq!((graph.directed, &graph.names), (false, &None));
    assert_eq!(graph.edges.weights(), None);
    assert_eq!(graph.csr().neighbours(0), [1, 2, 3]);
    let graph =
        read("\u{feff}# Directed graph (each unordered pair once)\n# x\n5 1 3\n1 5 4.0\n1 2 7e1");
    assert!(graph.directed);
    assert_eq!(graph.edges.vertices(), 6);
    assert_eq!(graph.edges.weights(), Some(&[3, 4, 70][..]));
    assert_eq!(graph.csr().weights(1), [70, 4]);
    assert!(!read("# Undirected graph\n0 1\n").directed);
    let ignored = super::text("F", "0 1 -0.5\n", Weights::Ignore).unwrap();
    assert_eq!(ignored.edges.weights(), None);
}

#[test]
fn sparse_numbers_are_renumbered() {
    let graph = read("2147483647 7\n7 65536\n65536 7\n");
    assert_eq!(graph.names, Some(vec![7, 65_536, 2_147_483_647]));
    assert_eq!(graph.edges.vertices(), 3);
    assert_eq!(graph.edges.pairs(), [(2, 0), (0, 1), (1, 0)]);
    let graph = read("5: 1\n2000000000:\n");
    assert_eq!(graph.names, Some(vec![1, 5, 2_000_000_000]));
    let graph = read("65535 7\n");
    assert_eq!((graph.names, graph.edges.vertices()), (None, 65_536));
    // Numbers up to eight times the number of edges do not count as sparse.
    let many: String = (0..10_000).map(|i| format!("{} 0\n", 7 * i)).collect();
    assert_eq!(read(&many).names, None);
}

#[test]
fn matrices() {
    let graph = read(
        "%%MatrixMarket matrix coordinate integer symmetric\n% a comment\n\n3 3 2\n2 1 5\n3 3 1\n",
    );
    assert_eq!(graph.edges.pairs(), [(1, 0), (2, 2)]);
    assert_eq!(graph.edges.weights(), Some(&[5, 1][..]));
    assert!(!graph.directed);
    let graph = read("%%matrixmarket MATRIX Coordinate pattern general\n9 9 1\n9 1\n");
    assert_eq!((graph.directed, graph.edges.vertices()), (true, 9));
    assert_eq!(graph.csr().neighbours(8), [0]);
    let real = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -1.5e-3\n";
    let graph = super::text("F", real, Weights::Ignore).unwrap();
    assert_eq!(graph.edges.weights(), None);
}

#[test]
fn the_built_in_graph() {
    let graph = built_in(&Data::default()).unwrap();
    assert_eq!(
        (graph.edges.vertices(), graph.names.is_none()),
        (17_148, true)
    );
    assert_eq!(graph.csr().arcs(), 2 * 73_260);
}

#[test]
fn faults_are_named_with_their_line() {
    const MTX: &str = "%%MatrixMarket matrix coordinate";
    let m = |rest: &str| format!("{MTX} {rest}");
    for (text, must) in [
        (String::new(), "F: there are no edges"),
        ("# only\n\n".into(), "F: there are no edges"),
        (
            "0 1\n2\n".into(),
            "F, line 2: 1 column, where two or three must be",
        ),
        (
            "0 1 2 3\n".into(),
            "F, line 1: 4 columns, where two or three must be",
        ),
        ("0 1\n\n1 2 3\n".into(), "F, line 3: 3 columns, not 2"),
        ("0 1 1\n1 2\n".into(), "F, line 2: 2 columns, not 3"),
        (
            "source,target\n".into(),
            "F, line 1: 'source' is no vertex from 0 to 2147483647",
        ),
        (
            "0 -1\n".into(),
            "F, line 1: '-1' is no vertex from 0 to 2147483647",
        ),
        (
            "0 2147483648\n".into(),
            "F, line 1: '2147483648' is no vertex from 0 to 2147483647",
        ),
        (
            "99999999999999999999999 1\n".into(),
            "F, line 1: '99999999999999999999999' is no vertex from 0 to 2147483647",
        ),
        (
            "0 1 x\n".into(),
            "F, line 1: the weight 'x' is no whole number from 0 to 4294967295",
        ),
        (
            "0 1 0.5\n".into(),
            "F, line 1: the weight '0.5' is no whole number from 0 to 4294967295",
        ),
        (
            "0 1 -1\n".into(),
            "F, line 1: the weight '-1' is no whole number from 0 to 4294967295",
        ),
        (
            "0 1 4294967296\n".into(),
            "F, line 1: the weight '4294967296' is no whole number from 0 to 4294967295",
        ),
        (
            "0 1 NaN\n".into(),
            "F, line 1: the weight 'NaN' is no whole number from 0 to 4294967295",
        ),
        (
            "0: 1\n2 3\n".into(),
            "F, line 2: there is no ':' after a vertex",
        ),
        (
            "0: 1 x\n".into(),
            "F, line 1: 'x' is no vertex from 0 to 2147483647",
        ),
        (
            ":\n".into(),
            "F, line 1: '' is no vertex from 0 to 2147483647",
        ),
        ("7:\n".into(), "F: there are no edges"),
        (
            "%%MatrixMarket\n".into(),
            "F, line 1: '%%MatrixMarket' must have four words behind it",
        ),
        (
            "%%MatrixMarket vector coordinate real general\n".into(),
            "F, line 1: 'vector' is not supported; matrix is",
        ),
        (
            "%%MatrixMarket matrix array real general\n".into(),
            "F, line 1: 'array' is not supported; coordinate is",
        ),
        (
            m("complex general\n"),
            "F, line 1: 'complex' is not supported; real or integer or pattern is",
        ),
        (
            m("real skew-symmetric\n"),
            "F, line 1: 'skew-symmetric' is not supported; general or symmetric is",
        ),
        (
            m("real general\n% x\n"),
            "F, line 1: there is no line of sizes below",
        ),
        (
            m("real general\n3 3\n"),
            "F, line 2: three numbers must be here: rows, columns, entries",
        ),
        (
            m("real general\n3 3 1 x\n"),
            "F, line 2: three numbers must be here: rows, columns, entries",
        ),
        (
            m("real general\n3 3 -1\n"),
            "F, line 2: three numbers must be here: rows, columns, entries",
        ),
        (
            m("pattern general\n2 3 1\n1 1\n"),
            "F, line 2: 2 rows and 3 columns: the matrix of a graph is square",
        ),
        (
            m("pattern general\n1000000000000000000 1000000000000000000 1\n1 1\n"),
            "F, line 2: 1000000000000000000 rows are too many for 1 entries",
        ),
        (
            m("pattern general\n100000000 100000000 3\n1 1\n"),
            "F, line 2: 100000000 rows are too many for 3 entries",
        ),
        (
            m("pattern general\n2147483649 2147483649 18446744073709551615\n"),
            "F, line 2: 2147483649 rows are too many for 18446744073709551615 entries",
        ),
        (
            m("pattern general\n2000000000 2000000000 18446744073709551615\n1 1\n"),
            "F, line 2: 18446744073709551615 entries are announced, but 1 are there",
        ),
        (
            m("pattern general\n3 3 2\n1 1\n"),
            "F, line 2: 2 entries are announced, but 1 are there",
        ),
        (
            m("pattern general\n3 3 1\n1 2\n2 3\n"),
            "F, line 4: more than the 1 entries announced",
        ),
        (
            m("pattern general\n3 3 1\n0 2\n"),
            "F, line 3: '0' is no row from 1 to 3",
        ),
        (
            m("pattern general\n3 3 1\n1 4\n"),
            "F, line 3: '4' is no column from 1 to 3",
        ),
        (
            m("pattern general\n3 3 1\n1 2 3\n"),
            "F, line 3: 3 columns, not 2",
        ),
        (
            m("real general\n3 3 1\n1 2\n"),
            "F, line 3: 2 columns, not 3",
        ),
        (m("pattern general\n3 3 0\n"), "F: there are no edges"),
    ] {
        let said = super::text("F", &text, Weights::Read).unwrap_err();
        assert_eq!(said, must, "{text:?}");
    }
    let said = super::text("F", "0 1 x\n", Weights::Ignore).unwrap_err();
    assert_eq!(said, "F, line 1: 'x' is no number");
}

#[test]
fn files() {
    let dir = std::env::temp_dir().join(format!("heist-suite-read-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        file(&path, Weights::Read)
    };
    let results = [
        write("a.mtx", b"1 2\n"),
        write("b.txt", b"0 1\n\xff 1\n"),
        write("c.tsv", b"0\t1\n"),
        file(&dir.join("missing"), Weights::Read),
        file(&dir, Weights::Read),
    ];
    std::fs::remove_dir_all(&dir).unwrap();
    let [matrix, utf8, good, missing, folder] = results;
    let matrix = matrix.unwrap_err();
    assert!(matrix.ends_with(
        "a.mtx, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate'"
    ));
    assert!(
        utf8.unwrap_err()
            .ends_with("b.txt, line 2: this is not UTF-8")
    );
    assert_eq!(good.unwrap().edges.pairs(), [(0, 1)]);
    assert!(missing.unwrap_err().contains("missing: "));
    assert!(folder.is_err());
}
