use super::*;

#[test]
fn work_and_span_of_known_programs() {
    let tree = generate::balanced(10, 1000, 7);
    let summary = tree.summary();
    assert_eq!(summary.forks, 1023);
    assert_eq!(summary.work, 1024 * 1000 + 1023 * 7);
    assert_eq!(summary.span, 1000 + 10 * 7);

    let fib = generate::fib(20, 3, 5).summary();
    assert_eq!(fib.forks, 10_945);
    assert_eq!(fib.work, 10_946 * 3 + 10_945 * 5);
    assert_eq!(fib.span, 19 * 5 + 3);

    let rounds = generate::rounds(3, 4, 100, 10).summary();
    assert_eq!((rounds.spawns, rounds.scopes, rounds.forks), (9, 3, 0));
    assert_eq!(rounds.work, 3 * (4 * 100 + 3 * 10));
    // The last spawned task and the body end at the same time.
    assert_eq!(rounds.span, 3 * (30 + 100));
}

#[test]
fn the_longer_branch_is_on_the_span() {
    for (left, right) in [(3, 8), (8, 3)] {
        let mut builder = Builder::new();
        builder.fork();
        builder.strand(left);
        builder.next();
        builder.strand(right);
        builder.join();
        builder.strand(1);
        assert_eq!(builder.build().unwrap().summary().span, 9);
    }
}

#[test]
fn long_strands_keep_their_time() {
    for time in [
        0,
        1,
        LONG_TIME - 1,
        LONG_TIME,
        LONG_TIME + 1,
        1 << 40,
        (1 << 50) + 12_345,
    ] {
        for room in [1, 1 << 18, LONG_TIME] {
            let mut builder = Builder::with_room_from(room);
            builder.strand(time);
            builder.fork();
            builder.next();
            builder.strand(time);
            builder.join();
            let dag = builder.build().unwrap();
            assert_eq!(dag.summary().work, 2 * time);
            assert_eq!(dag.token(0).time, time);
            let threefold = dag.retime(|time| 3 * time).unwrap();
            assert_eq!(threefold.summary().work, 6 * time);
        }
    }
}

#[test]
fn programs_out_of_joint_are_refused() {
    let builds: [fn(&mut Builder); 8] = [
        |b| b.fork(),
        |b| b.next(),
        |b| b.join(),
        |b| b.spawn(),
        |b| b.close(),
        |b| b.done(),
        |b| {
            b.fork();
            b.join();
        },
        |b| {
            b.open();
            b.fork();
            b.spawn();
        },
    ];
    for (index, build) in builds.iter().enumerate() {
        let mut builder = Builder::new();
        build(&mut builder);
        let error = builder.build().unwrap_err().to_string();
        assert!(!error.contains('\n'), "{index}: {error}");
    }
}

#[test]
fn ends_of_branches_are_found_near_and_far() {
    let mut noted = 0;
    for dag in [
        generate::balanced(12, 9, 1),
        generate::random(5, 3000, 1 << 32),
        generate::rounds(5, 300, 8, 1),
    ] {
        // This loop finds the next word at the same depth.
        let mut open = Vec::new();
        let mut at = 0;
        let mut found = 0;
        while (at as usize) < dag.words.len() {
            let token = dag.token(at);
            match token.op {
                Op::Fork | Op::Spawn => open.push(token.at),
                Op::Open => open.push(u32::MAX),
                Op::Next | Op::Done => {
                    if let Some(begin) = open.pop() {
                        assert_eq!(dag.end_of_branch(begin), token.at);
                        found += 1;
                    }
                    if token.op == Op::Next {
                        open.push(u32::MAX);
                    }
                }
                Op::Join | Op::Close => {
                    open.pop();
                }
                Op::Long => unreachable!(),
            }
            at = token.at + 1;
        }
        assert!(open.is_empty());
        assert_eq!(found, dag.summary().forks + dag.summary().spawns);
        noted += dag.ends.len();
    }
    assert!(noted > 100, "{noted} ends are far");
}

#[test]
fn files_come_back_as_they_were() {
    let dag = generate::random(3, 40_000, 1 << 34);
    let mut file = Vec::new();
    dag.write(&mut file).unwrap();
    assert_eq!(Dag::read(&mut &file[..]).unwrap(), dag);
}

#[test]
fn broken_files_are_refused_in_a_line() {
    let mut file = Vec::new();
    generate::fib(10, 5, 5).write(&mut file).unwrap();
    let refused = |bytes: &[u8], part: &str| {
        let error = Dag::read(&mut &*bytes).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    };
    for len in [0, 7, 31, 32, file.len() - 1] {
        refused(&file[..len], "breaks off");
    }
    let changed = |at: usize| {
        let mut file = file.clone();
        file[at] ^= 1;
        file
    };
    refused(&changed(0), "no recorded program");
    refused(&changed(8), "format 0");
    refused(&changed(23), "claims");
    refused(&changed(24), "changed");
    refused(&changed(32), "changed");
    refused(&changed(file.len() - 1), "changed");
    // The hash is right, but the words are not a program.
    let nonsense = Dag {
        words: vec![Word::new(Op::Join, 3).0],
        ends: Vec::new(),
        summary: Summary::default(),
    };
    let mut bytes = Vec::new();
    nonsense.write(&mut bytes).unwrap();
    refused(&bytes, "does not fit");
}

#[test]
fn fifty_million_forks_fit() {
    // The size of a fork is an average over many forks.
    let dag = generate::balanced(16, 1000, 7);
    let each = dag.words.len() as f64 * 4.0 + dag.ends.len() as f64 * 8.0;
    let each = each / dag.summary().forks as f64;
    assert!(each * 50e6 < (1_u64 << 30) as f64, "{each} bytes a fork");
}
