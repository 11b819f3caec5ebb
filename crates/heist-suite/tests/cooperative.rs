//! Checks every program of cooperating tasks at a small size, on each of its inputs and under each of its entrants. Also changes right
//! results to wrong results, which the checks must reject.

use std::collections::BTreeSet;
use std::sync::Arc;

use heist_suite::cooperative::{Entrant, Input, Pools, mst, programs, rounds};
use heist_suite::graphs::{Csr, Edges};
use heist_suite::{Data, Size};

/// Returns a small size for each program. In a build without optimisation, all programs together take seconds.
fn small(name: &str) -> u64 {
    match name {
        "stencil" | "stencil-neighbours" => 9,
        "binary-trees" => 6,
        "smith-waterman-cells" | "smith-waterman-tasks" => 30,
        "philosophers" => 20,
        _ => 150,
    }
}

#[test]
fn right_under_every_entrant() {
    for workers in 1..=3 {
        let pools = Pools::new(workers).unwrap();
        for program in programs() {
            for &input in program.inputs {
                let size = Size::N(small(program.name));
                let mut instance = (program.prepare)(input, size, &Data::default()).unwrap();
                assert!(!instance.params().is_empty());
                for &who in program.entrants {
                    for _ in 0..2 {
                        instance.reset();
                        instance.run(who, &pools).unwrap();
                        let what = || format!("{} on {input:?} under {who}", program.name);
                        assert_eq!(instance.check(), Ok(()), "{}", what());
                    }
                }
            }
        }
    }
}

#[test]
fn smallest_sizes() {
    let pools = Pools::new(2).unwrap();
    for program in programs() {
        for n in 1..=4 {
            let prepared = (program.prepare)(program.inputs[0], Size::N(n), &Data::default());
            // Some programs need a size of at least 2.
            let Ok(mut instance) = prepared else {
                assert_eq!(n, 1, "{}", program.name);
                continue;
            };
            for &who in program.entrants {
                instance.reset();
                instance.run(who, &pools).unwrap();
                assert_eq!(instance.check(), Ok(()), "{} of {n}: {who}", program.name);
            }
        }
    }
}

/// Checks spanning trees of paths. On these paths, all fragments of the first phase follow one another in one long chain, in ascending or
/// in descending order. Also checks forests.
#[test]
fn odd_trees() {
    let path: Vec<(u32, u32)> = (1..500).map(|v| (v - 1, v)).collect();
    let up = Edges::new(500, path.clone()).weighted((1..500).collect());
    let down = Edges::new(500, path).weighted((1..500).rev().collect());
    let forest = Edges::new(9, vec![(0, 1), (1, 2), (2, 0), (5, 7), (8, 6), (6, 5)]);
    let forest = forest.weighted(vec![1; 6]);
    let nothing = Edges::new(3, Vec::new()).weighted(Vec::new());
    let pools = Pools::new(2).unwrap();
    for edges in [up, down, forest, nothing] {
        let graph = Csr::symmetric(&edges);
        for &who in Entrant::ALL {
            let kernel = Arc::new(mst::Fragments::new(graph.clone()));
            rounds::run(who, &pools, &kernel).unwrap();
            assert_eq!(mst::check(&graph, &kernel.tree()), Ok(()), "{who}");
        }
    }
}

#[test]
fn no_result_without_a_run() {
    for program in programs() {
        let size = Size::N(small(program.name));
        let mut instance = (program.prepare)(program.inputs[0], size, &Data::default()).unwrap();
        assert!(instance.check().is_err(), "{}", program.name);
        instance
            .run(Entrant::Serial, &Pools::new(1).unwrap())
            .unwrap();
        assert_eq!(instance.check(), Ok(()));
        instance.reset();
        assert!(instance.check().is_err(), "{}", program.name);
    }
}

#[test]
fn absurd_sizes_are_refused() {
    for program in programs() {
        for n in [0, u64::MAX] {
            let error = (program.prepare)(program.inputs[0], Size::N(n), &Data::default()).err();
            let error = error.unwrap_or_else(|| panic!("{} accepts {n}", program.name));
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
    }
}

#[test]
fn names_are_distinct_and_serial_comes_first() {
    let names: BTreeSet<&str> = programs().iter().map(|program| program.name).collect();
    assert_eq!(names.len(), programs().len());
    for program in programs() {
        assert_eq!(program.entrants[0], Entrant::Serial);
        assert!(!program.about.is_empty() && !program.source.is_empty());
        assert!(!program.inputs.is_empty());
    }
    for &who in Entrant::ALL {
        assert_eq!(who.name().parse(), Ok(who));
    }
    assert_eq!(
        "rust".parse::<Entrant>(),
        Err(
            "'rust' is no entrant; there are serial, async, fiber, blocking, threads, tokio, rayon"
                .to_owned()
        )
    );
}

mod planted {
    //! Each test changes a right result in several ways. The program's check must reject each changed result.

    use heist_suite::cooperative::dag::Flow;
    use heist_suite::cooperative::rounds::{Rounds, run};
    use heist_suite::cooperative::{
        bfs_bf, bfs_dijkstra, binary_trees, crawl, dominating_set, graph, mis, stencil,
    };
    use heist_suite::graphs::verify;

    use super::*;

    fn input() -> Csr {
        graph(Input::Real, Size::N(100), &Data::default()).unwrap()
    }

    fn ran<K: Rounds>(kernel: K) -> Arc<K> {
        let kernel = Arc::new(kernel);
        run(Entrant::Serial, &Pools::new(1).unwrap(), &kernel).unwrap();
        kernel
    }

    fn refused(verdict: Result<(), String>, begin: &str) {
        let error = verdict.expect_err(begin);
        assert!(error.starts_with(begin), "{error}");
    }

    #[test]
    fn bfs_bf() {
        let graph = input();
        let kernel = ran(bfs_bf::BellmanFord::new(graph.clone(), 0));
        let right = kernel.distances();
        assert_eq!(verify::levels(&graph, &[0], &right), Ok(()));
        for v in 0..right.len() {
            for wrong in [right[v] + 1, u32::MAX] {
                let mut levels = right.clone();
                levels[v] = wrong;
                refused(verify::levels(&graph, &[0], &levels), "the level of vertex");
            }
        }
    }

    #[test]
    fn bfs_dijkstra() {
        let graph = input();
        let (levels, parents) = ran(bfs_dijkstra::Growing::new(graph.clone(), 0)).tree();
        let check =
            |levels: &[u32], parents: &[u32]| bfs_dijkstra::check(&graph, 0, levels, parents);
        assert_eq!(check(&levels, &parents), Ok(()));
        for v in 0..levels.len() {
            let mut wrong = levels.clone();
            wrong[v] += 1;
            refused(check(&wrong, &parents), "the level of vertex");
            for parent in [if v == 0 { 1 } else { v as u32 }, u32::MAX] {
                let mut wrong = parents.clone();
                wrong[v] = parent;
                refused(check(&levels, &wrong), &format!("node {v} has the parent"));
            }
        }
        // The wrong parent is a neighbour, but it is as far from the root as the node itself.
        let far = |&(a, b): &(u32, u32)| levels[a as usize] == levels[b as usize];
        let (a, b) = graph.pairs().find(far).unwrap();
        let mut wrong = parents.clone();
        wrong[a as usize] = b;
        refused(
            check(&levels, &wrong),
            &format!("node {a} has the parent {b}"),
        );
        refused(check(&levels, &parents[1..]), "99 parents for 100 nodes");
    }

    #[test]
    fn mis() {
        let graph = input();
        let right = ran(mis::Luby::new(graph.clone(), 1)).set();
        assert_eq!(mis::check(&graph, &right), Ok(()));
        for v in 0..right.len() {
            let mut wrong = right.clone();
            wrong[v] = !wrong[v];
            let begin = if wrong[v] {
                "neighbours"
            } else {
                "neither node"
            };
            refused(mis::check(&graph, &wrong), begin);
        }
        refused(mis::check(&graph, &right[1..]), "99 marks for 100 nodes");
    }

    #[test]
    fn dominating_set() {
        let graph = input();
        let right = ran(dominating_set::Greedy::new(graph.clone())).set();
        assert_eq!(dominating_set::check(&graph, &right), Ok(()));
        for v in 0..right.len() {
            let mut wrong = right.clone();
            wrong[v] = !wrong[v];
            // With an additional node, the set still dominates the graph, but differs from the serial algorithm's set. Without one of its
            // nodes, the set may not even dominate the graph.
            let begin = if wrong[v] { "a set of" } else { "" };
            refused(dominating_set::check(&graph, &wrong), begin);
        }
        refused(
            dominating_set::check(&graph, &[false; 100]),
            "neither node 0",
        );
        refused(
            dominating_set::check(&graph, &[true; 100]),
            "a set of 100 nodes, not of",
        );
        refused(dominating_set::check(&graph, &[]), "0 marks for 100 nodes");
    }

    #[test]
    fn mst() {
        let graph = input();
        let right = ran(mst::Fragments::new(graph.clone())).tree();
        assert_eq!(mst::check(&graph, &right), Ok(()));
        refused(
            mst::check(&graph, &right[1..]),
            "a tree of 98 edges, not 99",
        );
        let other = graph
            .pairs()
            .find(|edge| edge.0 < edge.1 && !right.contains(edge));
        let other = other.unwrap();
        let more = [&right[..], &[other]].concat();
        refused(mst::check(&graph, &more), "the tree's edge");
        // Replace each edge of the tree by `other`. If the replaced edge is on the circle that `other` closes, the result is a tree, but
        // not the lightest tree. Otherwise, the result has a circle.
        let swapped = |out: usize| {
            let mut tree = right.clone();
            tree[out] = other;
            mst::check(&graph, &tree).unwrap_err()
        };
        let errors: Vec<String> = (0..right.len()).map(swapped).collect();
        assert!(
            errors
                .iter()
                .any(|error| error.starts_with("a tree of weight"))
        );
        assert!(
            errors
                .iter()
                .any(|error| error.ends_with("closes a circle"))
        );
        let mut stray = right.clone();
        stray[0] = (0..100)
            .find_map(|w| (w > 0 && !graph.neighbours(0).contains(&w)).then_some((0, w)))
            .unwrap();
        refused(mst::check(&graph, &stray), "the tree's edge 0");
    }

    #[test]
    fn stencil() {
        let right = ran(stencil::Mesh::new(3)).values();
        assert_eq!(stencil::check(&right), Ok(()));
        for at in [0, 130, right.len() - 1] {
            let mut wrong = right.clone();
            wrong[at] = f64::from_bits(wrong[at].to_bits() + 1);
            refused(
                stencil::check(&wrong),
                &format!("row {}, column {} ", at / 128, at % 128),
            );
        }
    }

    #[test]
    fn crawl() {
        let graph = input();
        let pages = Flow::new(crawl::Pages::new(graph.clone()));
        pages.run(Entrant::Serial, &Pools::new(1).unwrap()).unwrap();
        let right = pages.dag().values();
        assert_eq!(crawl::check(&graph, &right), Ok(()));
        for page in 0..right.len() {
            let mut wrong = right.clone();
            wrong[page] ^= 1 << 40;
            refused(crawl::check(&graph, &wrong), &format!("page {page} has "));
        }
        refused(crawl::check(&graph, &right[1..]), "99 values for 100 pages");
    }

    /// The right counts were computed by hand, for trees of depth 9, of depths 4, 6 and 8, and of depth 8.
    #[test]
    fn binary_trees() {
        let right = [1023, 256 * 31, 64 * 127, 16 * 511, 511];
        assert_eq!(binary_trees::check(8, &right), Ok(()));
        for at in 0..right.len() {
            let mut wrong = right;
            wrong[at] -= 2;
            let trees = [1, 256, 64, 16, 1][at];
            refused(
                binary_trees::check(8, &wrong),
                &format!("{trees} trees of depth"),
            );
        }
        refused(binary_trees::check(8, &right[1..]), "4 counts, not 5");
    }
}
