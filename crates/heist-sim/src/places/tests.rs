//! Tests of single steps: a mutant that leaves out a step makes one of these tests fail.

use super::*;

fn free(places: usize, workers: usize) -> Cluster {
    Cluster {
        latency: 0.0,
        bandwidth: f64::INFINITY,
        growth: Growth::Full,
        costs: PlaceCosts::none(),
        ..Cluster::new(places, workers)
    }
}

/// Returns a tree whose first 5,000 nodes are a chain. No split can divide a chain, so all random attempts fail before a place has work to
/// give.
fn late() -> Tree {
    let crown = Tree::geometric(7, 4.0, 9);
    Tree::grow(
        (0, 0),
        |&(height, node)| {
            if height < 5_000 {
                1
            } else {
                crown.children(node).len() as u32
            }
        },
        |&(height, node), index| {
            let child = if height < 5_000 {
                0
            } else {
                crown.children(node).start + index
            };
            (height + 1, child)
        },
    )
}

#[test]
fn lifelines_are_served() {
    let tree = late();
    let outcome = simulate_places(&tree, &free(16, 1), 0).unwrap();
    assert!(outcome.lifeline_gifts > 0, "{outcome:?}");
    let least = outcome.places.iter().map(|place| place.nodes).min();
    assert!(least > Some(0), "a place without work: {outcome:?}");
    // The places share the work after the chain.
    let (chain, crown) = (5_000_000_000, (tree.nodes() - 5_000) * 1_000_000);
    assert!(
        outcome.time < chain + crown / 8,
        "{} of {crown} after the chain",
        outcome.time - chain
    );
}

#[test]
fn a_lifeline_is_used_again_after_it_brought_work() {
    let tree = Tree::geometric(3, 4.0, 9);
    let outcome = simulate_places(&tree, &Cluster::new(16, 1), 0).unwrap();
    // Each of the 16 places has 4 lifelines. If places used each lifeline only once, there would be exactly 16 * 4 requests.
    assert!(outcome.count(Kind::Lifeline) > 16 * 4, "{outcome:?}");
}

#[test]
fn workers_of_a_place_share_its_work() {
    let tree = Tree::geometric(3, 4.0, 9);
    let outcome = simulate_places(&tree, &free(1, 8), 0).unwrap();
    assert!(outcome.utilisation() > 0.9, "{outcome:?}");
    assert!(outcome.inner >= 7);
}

#[test]
fn a_thief_is_answered_when_its_victim_runs_out_of_work() {
    // A bag does not split a family of one node, so the requests of both places wait until the home has no work.
    let chain = Tree::grow(0, |&height| u32::from(height < 50), |&height, _| height + 1);
    let outcome = simulate_places(&chain, &free(3, 1), 0).unwrap();
    assert_eq!(
        outcome.count(Kind::Answer),
        outcome.count(Kind::Steal) + outcome.count(Kind::Lifeline)
    );
}
