//! Tests of laws that hold for simulated places with any tree, number of places and network.

use heist_sim::{
    Builder, Cluster, Costs, Growth, Kind, Machine, PlaceCosts, PlacesOutcome, Protocol, Tree,
    simulate, simulate_places,
};
use proptest::prelude::*;

/// A microsecond in picoseconds.
const US: u64 = 1_000_000;

fn run(tree: &Tree, cluster: &Cluster) -> PlacesOutcome {
    simulate_places(tree, cluster, 0).unwrap()
}

/// Returns a cluster without latency. A visit to a node takes a microsecond. All other costs are 0.
fn free(places: usize, workers: usize) -> Cluster {
    Cluster {
        latency: 0.0,
        bandwidth: f64::INFINITY,
        costs: PlaceCosts::none(),
        ..Cluster::new(places, workers)
    }
}

/// Returns a tree that begins with a chain of `length` nodes and continues as a geometric tree. No split can divide the chain.
fn late(length: u32, depth: u32) -> Tree {
    let crown = Tree::geometric(7, 4.0, depth);
    Tree::grow(
        (0, 0),
        |&(height, node)| {
            if height < length {
                1
            } else {
                crown.children(node).len() as u32
            }
        },
        |&(height, node), index| {
            let child = if height < length {
                0
            } else {
                crown.children(node).start + index
            };
            (height + 1, child)
        },
    )
}

/// Returns the fork-join program that visits the tree, with a strand of a microsecond for each
/// node.
fn program(tree: &Tree) -> heist_sim::Dag {
    /// A part of the program that has not been added to the builder yet.
    enum Todo {
        Nodes(u32, u32),
        Next,
        Join,
    }
    let mut builder = Builder::new();
    let mut todo = vec![Todo::Nodes(0, 1)];
    while let Some(next) = todo.pop() {
        match next {
            Todo::Nodes(from, to) if to - from == 1 => {
                builder.strand(US);
                let children = tree.children(from);
                if !children.is_empty() {
                    todo.push(Todo::Nodes(children.start, children.end));
                }
            }
            Todo::Nodes(from, to) => {
                let middle = from + (to - from) / 2;
                builder.fork();
                todo.extend([
                    Todo::Join,
                    Todo::Nodes(middle, to),
                    Todo::Next,
                    Todo::Nodes(from, middle),
                ]);
            }
            Todo::Next => builder.next(),
            Todo::Join => builder.join(),
        }
    }
    builder.build().unwrap()
}

#[test]
fn one_place_of_one_worker_takes_the_time_of_the_simulator_of_one_machine() {
    let tree = Tree::geometric(3, 4.0, 8);
    let mut machine = Machine::new(1, Protocol::ReturnBarrier);
    machine.costs = Costs::none();
    let other = simulate(&program(&tree), &machine, 1).unwrap();
    let outcome = run(&tree, &free(1, 1));
    assert_eq!(outcome.time, other.time);
    assert_eq!(outcome.time, tree.nodes() * US);
    assert_eq!(outcome.messages, [0; 9]);
}

/// The place takes longer than the machine, because a worker without work waits up to 50 us for the end of another worker's chunk before it
/// gets half of that worker's bag.
#[test]
fn one_place_of_several_workers_is_within_three_percent_of_the_simulator_of_one_machine() {
    let tree = Tree::geometric(3, 4.0, 10);
    let dag = program(&tree);
    for workers in [2, 4, 8, 16] {
        let mut machine = Machine::new(workers, Protocol::ReturnBarrier);
        machine.costs = Costs::none();
        let other = simulate(&dag, &machine, 1).unwrap().time as f64;
        let ratio = run(
            &tree,
            &Cluster {
                growth: Growth::Full,
                ..free(1, workers)
            },
        )
        .time as f64
            / other;
        assert!(
            (1.0..1.03).contains(&ratio),
            "{workers} workers: {ratio} times"
        );
    }
}

#[test]
fn without_latency_and_costs_the_time_is_near_the_bound() {
    let tree = Tree::geometric(3, 4.0, 11);
    for (places, workers) in [(2, 1), (16, 1), (64, 1), (4, 2), (32, 4)] {
        let cluster = Cluster {
            growth: Growth::Full,
            ..free(places, workers)
        };
        let time = run(&tree, &cluster).time;
        let least = tree.nodes() * US / (places * workers) as u64;
        let spread = if workers == 1 {
            // Work spreads from place to place, and within a place, in rounds of at most 50 us.
            50 * US * u64::from(places.ilog2() + 2).pow(2)
        } else {
            // A place asks others only when all its workers have no work, so workers wait for the
            // last worker of their place.
            least * 6 / 10
        };
        assert!(
            (least..=least + spread).contains(&time),
            "{places} places of {workers}: {} us, at least {} us",
            time / US,
            least / US
        );
    }
}

#[test]
fn time_grows_with_the_latency() {
    let tree = Tree::geometric(5, 4.0, 10);
    for (places, workers) in [(4, 1), (16, 2), (64, 1)] {
        let time = |latency| {
            let cluster = Cluster {
                latency,
                growth: Growth::Full,
                ..Cluster::new(places, workers)
            };
            run(&tree, &cluster).time as f64
        };
        let times = [0.0, 1e4, 1e5, 1e6, 1e7].map(time);
        for pair in times.windows(2) {
            // The order of thefts changes, too, so a longer latency may by chance be faster.
            assert!(pair[1] > 0.9 * pair[0], "{places}: {times:?}");
        }
        assert!(times[4] > 2.0 * times[0], "{places}: {times:?}");
    }
}

#[test]
fn a_narrow_link_takes_its_time() {
    let tree = Tree::geometric(3, 4.0, 9);
    let narrow = Cluster {
        bandwidth: 1e5,
        ..Cluster::new(4, 1)
    };
    let (slow, fast) = (run(&tree, &narrow), run(&tree, &Cluster::new(4, 1)));
    assert!(slow.time > fast.time, "{} {}", slow.time, fast.time);
    // The three requests of the home leave on its link one after the other.
    let requests = 3 * 13 * 1_000_000_000_000 / 100_000;
    assert!(slow.time > requests);
}

#[test]
fn places_without_work_end() {
    let leaf = Tree::grow((), |()| 0, |(), _| ());
    let chain = Tree::grow(
        0,
        |&height| u32::from(height < 5_000),
        |&height, _| height + 1,
    );
    for places in [1, 2, 3, 7, 64, 1024] {
        for workers in [1, 3] {
            for tree in [&leaf, &chain] {
                let outcome = run(tree, &Cluster::new(places, workers));
                assert_eq!(outcome.nodes(), tree.nodes());
                assert_eq!(outcome.count(Kind::Gift), 0);
                // The home did all the work.
                assert_eq!(outcome.places[0].nodes, tree.nodes());
            }
        }
    }
}

#[test]
fn work_that_comes_late_reaches_all_places() {
    // All random attempts end, without success, before any place has work to give.
    let tree = late(20_000, 10);
    for places in [4, 16, 64] {
        let outcome = run(&tree, &free(places, 1));
        assert!(outcome.lifeline_gifts > 0);
        let least = outcome.places.iter().map(|place| place.nodes).min();
        assert!(least > Some(0), "{places} places: {outcome:?}");
    }
}

#[test]
fn a_thousand_places_share_a_tree() {
    let tree = Tree::geometric(3, 4.0, 9);
    let outcome = run(&tree, &Cluster::new(1024, 2));
    assert_eq!(outcome.places.len(), 1024);
    assert_eq!(outcome.nodes(), tree.nodes());
}

#[test]
fn impossible_clusters_are_refused_in_a_line() {
    let leaf = Tree::grow((), |()| 0, |(), _| ());
    let refused = |change: fn(&mut Cluster), part: &str| {
        let mut cluster = Cluster::new(2, 1);
        change(&mut cluster);
        let error = simulate_places(&leaf, &cluster, 1).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    };
    refused(|cluster| cluster.places = 0, "not 0");
    refused(|cluster| cluster.places = 1025, "1024");
    refused(|cluster| cluster.workers = 0, "workers");
    refused(|cluster| cluster.latency = -1.0, "latency");
    refused(|cluster| cluster.latency = f64::NAN, "latency");
    refused(|cluster| cluster.bandwidth = 0.0, "bandwidth");
    refused(|cluster| cluster.bandwidth = f64::NAN, "bandwidth");
    refused(|cluster| cluster.costs.node = 0.0, "node");
    refused(|cluster| cluster.costs.wake = 2e9, "wake");
}

fn any_cluster() -> impl Strategy<Value = Cluster> {
    (
        prop_oneof![1_usize..9, Just(16_usize), Just(33), Just(100)],
        1_usize..5,
        prop_oneof![Just(0.0), Just(2e3), Just(1e5), Just(1e7)],
        prop_oneof![Just(f64::INFINITY), Just(1e10), Just(1e6)],
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(places, workers, latency, bandwidth, full, free)| Cluster {
                places,
                workers,
                latency,
                bandwidth,
                growth: if full { Growth::Full } else { Growth::Any },
                costs: if free {
                    PlaceCosts::none()
                } else {
                    PlaceCosts::default()
                },
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn all_work_is_done_once_and_all_messages_are_answered(
        cluster in any_cluster(),
        shape in any::<u64>(),
        depth in 0_u32..8,
        chain in prop_oneof![Just(0_u32), 1_u32..3000],
        seed in any::<u64>(),
    ) {
        let tree = if chain == 0 { Tree::geometric(shape, 4.0, depth) } else { late(chain, depth) };
        let outcome = simulate_places(&tree, &cluster, seed).unwrap();
        prop_assert_eq!(outcome.nodes(), tree.nodes());
        let node = (cluster.costs.node * 1e3) as u64;
        for place in &outcome.places {
            prop_assert_eq!(place.busy, place.nodes * node);
            prop_assert!(place.busy <= outcome.time * cluster.workers as u64);
        }
        // The speed-up is at most the number of workers.
        let workers = (cluster.places * cluster.workers) as u64;
        prop_assert!(outcome.time * workers >= tree.nodes() * node);
        let others = cluster.places as u64 - 1;
        for kind in [Kind::Serve, Kind::Until, Kind::Over, Kind::Served] {
            prop_assert_eq!(outcome.count(kind), others, "{:?}", kind);
        }
        prop_assert_eq!(
            outcome.count(Kind::Answer),
            outcome.count(Kind::Steal) + outcome.count(Kind::Lifeline)
        );
        prop_assert_eq!(outcome.count(Kind::Results), outcome.count(Kind::Gift));
        prop_assert_eq!(outcome.random_gifts + outcome.lifeline_gifts, outcome.count(Kind::Gift));
        prop_assert!(outcome.random_gifts <= outcome.count(Kind::Steal));
        prop_assert!(outcome.lifeline_gifts <= outcome.count(Kind::Lifeline));
        let again = simulate_places(&tree, &cluster, seed).unwrap();
        prop_assert_eq!(outcome, again);
    }
}
