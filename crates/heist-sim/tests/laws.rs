//! Tests of laws that hold for every simulation.

use heist_sim::{
    Amount, Costs, Dag, Machine, Outcome, Policy, Protocol, Victims, generate, simulate,
};
use proptest::prelude::*;

fn machine(workers: usize, protocol: Protocol) -> Machine {
    Machine::new(workers, protocol)
}

fn run(dag: &Dag, machine: &Machine) -> Outcome {
    simulate(dag, machine, 7).unwrap()
}

/// Converts nanoseconds to picoseconds.
fn ps(ns: f64) -> u64 {
    (ns * 1000.0).round() as u64
}

/// Returns the time of a run on one worker: the sum of the times of all strands and the costs of all forks, spawns and scopes.
fn alone(dag: &Dag, machine: &Machine) -> u64 {
    let (sum, costs) = (dag.summary(), &machine.costs);
    let fenced = match machine.protocol {
        Protocol::ChaseLev | Protocol::The => ps(costs.fence),
        _ => 0,
    };
    ps(costs.enter)
        + sum.work
        + sum.forks * (ps(costs.fork) + fenced)
        + sum.spawns * (ps(costs.spawn) + fenced)
        + sum.scopes * ps(costs.scope)
}

#[test]
fn one_worker_pays_for_strands_and_forks_and_nothing_else() {
    let programs = [
        generate::balanced(8, 5_000, 100),
        generate::fib(15, 1_000, 200),
        generate::rounds(4, 50, 100_000, 1_000),
        generate::random(1, 2_000, 1_000_000),
    ];
    for dag in &programs {
        for (name, protocol) in Protocol::ALL {
            for policy in [Policy::HelpFirst, Policy::WorkFirst, Policy::Adaptive] {
                let mut machine = machine(1, protocol);
                machine.policy = policy;
                machine.costs.last = 0.0;
                let outcome = run(dag, &machine);
                assert_eq!(outcome.time, alone(dag, &machine), "{name} {policy:?}");
                assert_eq!((outcome.steals, outcome.waits), (0, 0));
                assert_eq!(outcome.workers[0].lost, 0);
            }
        }
    }
}

#[test]
fn chase_lev_pays_for_each_last_item() {
    // A pop costs `last` if the frame is the only entry of the deque.
    let dag = generate::balanced(3, 1_000, 0);
    let machine = machine(1, Protocol::ChaseLev);
    // Three frames are the only entry when they are popped: the frame of the root, of its right branch, and of that branch's right branch.
    let last = run(&dag, &machine).time - alone(&dag, &machine);
    assert_eq!(last, 3 * ps(machine.costs.last));
}

#[test]
fn a_balanced_tree_speeds_up_under_every_protocol() {
    let dag = generate::balanced(14, 2_000_000, 20_000);
    for (name, protocol) in Protocol::ALL {
        for (_, victims) in Victims::ALL {
            for amount in [Amount::One, Amount::Half] {
                let mut machine = machine(16, protocol);
                machine.victims = victims;
                machine.amount = amount;
                let outcome = run(&dag, &machine);
                let speedup = dag.summary().work as f64 / outcome.time as f64;
                assert!(
                    (12.0..=16.0).contains(&speedup),
                    "{name} {victims:?} {amount:?}: {speedup}, {outcome:?}"
                );
                assert!(outcome.utilisation() > 0.75);
            }
        }
    }
}

#[test]
fn spawned_tasks_speed_up_under_every_policy() {
    let dag = generate::rounds(4, 4_000, 5_000_000, 20_000);
    for (name, protocol) in Protocol::ALL {
        for (policy_name, policy) in Policy::ALL {
            let mut machine = machine(8, protocol);
            machine.policy = policy;
            let outcome = run(&dag, &machine);
            let speedup = dag.summary().work as f64 / outcome.time as f64;
            // If a thief must request each task, it waits each time until the victim's own task ends.
            let asks = matches!(protocol, Protocol::Polled | Protocol::StopVictim);
            // Under work-first a task is one long strand. When the task ends, its parent's continuation is the only
            // work, and a victim that gives it away has no work left.
            let least = match policy {
                Policy::WorkFirst if asks => 0.8,
                _ if asks => 1.4,
                _ => 5.0,
            };
            assert!(
                (least..=8.0).contains(&speedup),
                "{name} {policy_name}: {speedup}, {outcome:?}"
            );
        }
    }
}

#[test]
fn the_shared_queue_is_a_bottleneck() {
    // With tasks of 500 ns, 64 workers need a task every 8 ns, and the lock takes 120 ns.
    let dag = generate::rounds(1, 20_000, 500_000, 1_000);
    let mut sharing = machine(64, Protocol::ReturnBarrier);
    sharing.policy = Policy::WorkSharing;
    let time = run(&dag, &sharing).time;
    // Each task passes the lock twice.
    assert!(
        time >= 20_000 * 2 * ps(sharing.costs.queue) * 9 / 10,
        "{time}"
    );
    assert!(run(&dag, &machine(64, Protocol::ReturnBarrier)).time < time);
}

#[test]
fn a_stopped_victim_stands_still_at_its_next_poll_point() {
    // The root forks; its left branch is one strand of a millisecond. The thief asks early and must wait for it.
    let mut builder = heist_sim::Builder::new();
    builder.fork();
    builder.strand(1_000_000_000);
    builder.fork();
    builder.strand(1_000_000_000);
    builder.next();
    builder.join();
    builder.next();
    builder.strand(3_000_000_000);
    builder.join();
    let dag = builder.build().unwrap();
    let machine = machine(2, Protocol::StopVictim);
    let outcome = run(&dag, &machine);
    let costs = &machine.costs;
    assert_eq!(outcome.steals, 1);
    assert_eq!(
        outcome.workers[0].lost,
        ps(costs.handshake) + ps(costs.take),
        "the victim's lost time"
    );
    // The thief asks in the first strand, and the victim answers at the fork after it.
    let stolen = ps(costs.enter) + 1_000_000_000 + 2 * ps(costs.fork);
    let begun = stolen + ps(costs.handshake) + ps(costs.take) + ps(costs.message);
    let took = begun + 3_000_000_000 + ps(costs.complete);
    let end = outcome.time;
    let late = end - took;
    assert!(
        late <= ps(costs.wake) + ps(costs.retire),
        "{end} against {took}"
    );
    // The latency is the time from the request, which comes one search after the start, to the answer.
    let latency = outcome.latency.quantile(0.5).unwrap() as f64;
    assert!((latency / 1e9 - 1.0).abs() < 0.07, "{latency}");
}

#[test]
fn a_victim_that_does_not_answer_is_forced() {
    // The program soon forks twice, and each branch takes a millisecond.
    let mut builder = heist_sim::Builder::new();
    builder.strand(20_000_000);
    builder.fork();
    builder.fork();
    builder.strand(1_000_000_000);
    builder.next();
    builder.strand(1_000_000_000);
    builder.join();
    builder.next();
    builder.strand(1_000_000_000);
    builder.join();
    let dag = builder.build().unwrap();
    let outcome = run(&dag, &machine(3, Protocol::ReturnBarrier));
    assert!(outcome.forced >= 1, "{outcome:?}");
    assert_eq!(outcome.steals, 2);
    assert!(outcome.time < 1_200_000_000, "{}", outcome.time);
    // A thief that only makes requests waits until the strand ends.
    let polled = run(&dag, &machine(3, Protocol::Polled));
    assert!(polled.time > 1_900_000_000, "{}", polled.time);
}

#[test]
fn a_thief_is_told_if_the_victim_it_asks_stops_running() {
    // Three forks enclose a scope whose only task goes to the shared queue. The second worker gets the oldest frame,
    // and the third worker gets the task. During the scope's body, which takes 1 ms, the fourth worker asks the
    // first for a frame. Then the first worker waits, and cannot answer any more.
    let mut builder = heist_sim::Builder::new();
    for _ in 0..3 {
        builder.fork();
    }
    builder.open();
    builder.spawn();
    builder.strand(10_000_000_000);
    builder.done();
    builder.strand(1_000_000_000);
    builder.close();
    for _ in 0..3 {
        builder.next();
        builder.strand(10_000_000_000);
        builder.join();
    }
    let dag = builder.build().unwrap();
    assert_eq!(dag.summary().span, 10_000_000_000);
    let mut machine = machine(4, Protocol::Polled);
    machine.policy = Policy::WorkSharing;
    let outcome = run(&dag, &machine);
    assert!(outcome.time < 13_000_000_000, "{outcome:?}");
}

#[test]
fn half_of_the_deque_moves_with_one_theft() {
    let dag = generate::rounds(1, 1_000, 2_000_000, 1_000);
    let steals = |amount| {
        let mut machine = machine(2, Protocol::ChaseLev);
        machine.amount = amount;
        let outcome = run(&dag, &machine);
        outcome.latency.count()
    };
    assert!(steals(Amount::Half) * 5 < steals(Amount::One));
}

#[test]
fn trying_near_victims_first_is_faster() {
    let dag = generate::balanced(13, 200_000, 10_000);
    let far = |victims| {
        let mut machine = machine(64, Protocol::ChaseLev);
        machine.victims = victims;
        machine.topology.per_node = 16;
        machine.costs.far_node = 20_000.0;
        run(&dag, &machine).time
    };
    assert!(far(Victims::Hierarchical) < far(Victims::Random));
}

#[test]
fn more_workers_than_there_is_work_for_do_no_harm() {
    let dag = generate::balanced(3, 50_000_000, 1_000);
    for (name, protocol) in Protocol::ALL {
        for workers in [100, 1024] {
            let outcome = run(&dag, &machine(workers, protocol));
            assert!(
                outcome.time < 2 * (8 * 50_000_000),
                "{name} {workers}: {}",
                outcome.time
            );
            let asleep = outcome.workers.iter().filter(|worker| worker.asleep > 0);
            assert!(asleep.count() > workers / 2, "{name}");
        }
    }
}

#[test]
fn strands_slow_down_while_all_work() {
    let dag = generate::balanced(12, 1_000_000, 10_000);
    let time = |inflation| {
        let mut machine = machine(4, Protocol::ReturnBarrier);
        machine.inflation = inflation;
        run(&dag, &machine).time as f64
    };
    let ratio = time(1.5) / time(1.0);
    assert!((1.4..1.5).contains(&ratio), "{ratio}");
}

#[test]
fn impossible_machines_are_refused_in_a_line() {
    let dag = generate::fib(3, 1, 1);
    let refused = |change: fn(&mut Machine), part: &str| {
        let mut machine = machine(2, Protocol::The);
        change(&mut machine);
        let error = simulate(&dag, &machine, 1).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    };
    refused(|machine| machine.workers = 0, "not 0");
    refused(|machine| machine.workers = 1025, "1024");
    refused(|machine| machine.costs.force = f64::NAN, "force");
    refused(|machine| machine.costs.fork = -1.0, "fork");
    refused(|machine| machine.inflation = 0.5, "inflation");
    refused(|machine| machine.topology.per_cache = 0, "cache");
}

fn any_machine() -> impl Strategy<Value = Machine> {
    (
        prop_oneof![Just(1_usize), Just(2), Just(3), Just(16), Just(100)],
        0..Protocol::ALL.len(),
        0..Victims::ALL.len(),
        0..Policy::ALL.len(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(workers, protocol, victims, policy, half, free)| {
            let mut machine = machine(workers, Protocol::ALL[protocol].1);
            machine.victims = Victims::ALL[victims].1;
            machine.policy = Policy::ALL[policy].1;
            machine.amount = if half { Amount::Half } else { Amount::One };
            if free {
                machine.costs = Costs::none();
            }
            machine.topology.per_cache = 2;
            machine.topology.per_node = 4;
            machine
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_program_ends_too_early_or_never(
        seed in any::<u64>(),
        forks in 0_usize..400,
        longest in prop_oneof![Just(1_u64), Just(10_000), Just(10_000_000)],
        machine in any_machine(),
    ) {
        let dag = generate::random(seed, forks, longest);
        let outcome = simulate(&dag, &machine, seed).unwrap();
        let sum = dag.summary();
        let workers = machine.workers as u64;
        prop_assert!(outcome.time >= sum.span);
        prop_assert!(outcome.time >= sum.work / workers);
        for worker in &outcome.workers {
            prop_assert_eq!(
                worker.busy + worker.lost + worker.waking + worker.search + worker.asleep,
                outcome.time,
                "{:?}", outcome
            );
        }
        // Each strand was run.
        let busy: u64 = outcome.workers.iter().map(|worker| worker.busy).sum();
        prop_assert!(busy >= sum.work, "{} of {}", busy, sum.work);
        // Each strand was run only once: the rest of the busy time is the cost of forks, thefts and
        // waits.
        if machine.costs == Costs::none() {
            prop_assert!(busy <= sum.work + workers, "{} of {}", busy, sum.work);
        }
        let again = simulate(&dag, &machine, seed).unwrap();
        prop_assert_eq!(outcome, again);
    }

    #[test]
    fn a_protocol_whose_work_can_always_be_stolen_is_greedy(
        seed in any::<u64>(),
        forks in 0_usize..2000,
        workers in 1_usize..40,
        protocol in prop_oneof![
            Just(Protocol::ReturnBarrier), Just(Protocol::ChaseLev), Just(Protocol::The)
        ],
    ) {
        let dag = generate::random(seed, forks, 1_000_000);
        let mut machine = machine(workers, protocol);
        machine.costs = Costs::none();
        // In this test no worker sleeps: a wake-up would take no time, but only a push can wake a sleeper.
        machine.costs.patience = 1e9;
        let outcome = simulate(&dag, &machine, seed).unwrap();
        let sum = dag.summary();
        // The bound is Brent's bound, plus a search of all victims for each step on the longest chain.
        let depth = sum.forks + sum.spawns + 1;
        let searching = depth.min(200) * 1000 * workers as u64;
        prop_assert!(
            outcome.time <= sum.work / workers as u64 + 2 * sum.span + searching,
            "{} with {:?}", outcome.time, sum
        );
    }
}
