//! Tests that the examples compute the right results on small inputs.
#![cfg(not(any(miri, heist_model)))]

macro_rules! examples {
    ($($name:ident: $file:literal;)*) => {
        $(
            #[path = $file]
            #[allow(dead_code, missing_docs, unreachable_pub, reason = "a program")]
            mod $name;
        )*
    };
}

examples! {
    blur: "../examples/blur.rs";
    kmeans: "../examples/kmeans.rs";
    life: "../examples/life.rs";
    maze: "../examples/maze.rs";
    mergesort: "../examples/mergesort.rs";
    nbody: "../examples/nbody.rs";
    pipeline: "../examples/pipeline.rs";
    server: "../examples/server.rs";
    sudoku: "../examples/sudoku.rs";
    tictactoe: "../examples/tictactoe.rs";
    trace: "../examples/trace.rs";
    word_count: "../examples/word_count.rs";
}

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, mpsc};

#[test]
fn word_count_finds_all_words_of_all_folders() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("word_count");
    let inner = folder.join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(folder.join("one.txt"), "To be or not").unwrap();
    std::fs::write(inner.join("two.txt"), "to be").unwrap();
    std::fs::write(inner.join("three.md"), "to").unwrap();
    let done = AtomicUsize::new(0);
    let counts = word_count::count(&folder, "txt", &done);
    let expected = [("to", 2), ("be", 2), ("or", 1), ("not", 1)];
    let expected = expected.map(|(word, count)| (word.to_owned(), count));
    assert_eq!(counts, HashMap::from(expected));
    assert_eq!(done.into_inner(), 2);
}

#[test]
fn tictactoe_is_a_draw_and_the_search_stops_early() {
    let visited = AtomicUsize::new(0);
    assert_eq!(tictactoe::Board::default().value(&visited), 0);
    assert!(visited.into_inner() < 549_946);
    // The player has two squares of a line, and the other player has not blocked the third one.
    let board = [1, 8, 2, 16]
        .into_iter()
        .fold(tictactoe::Board::default(), |board, bit| board.play(bit));
    assert_eq!(board.value(&AtomicUsize::new(0)), 1);
}

#[test]
fn blur_keeps_a_plain_image_and_smooths_an_edge() {
    let plain = blur::Image {
        width: 9,
        pixels: vec![0.5; 81],
    };
    assert_eq!(plain.blur(2), plain);
    let mut edge = plain;
    for (i, pixel) in edge.pixels.iter_mut().enumerate() {
        *pixel = f32::from(i % 9 >= 5);
    }
    let row = &edge.blur(1).pixels[36..45];
    let third = 1.0 / 3.0;
    assert_eq!(row, [0.0, 0.0, 0.0, 0.0, third, 2.0 * third, 1.0, 1.0, 1.0]);
}

#[test]
fn kmeans_finds_the_four_corners_on_any_number_of_workers() {
    let first = vec![[4.0, 4.0], [6.0, 4.0], [4.0, 6.0], [6.0, 6.0]];
    let run = || kmeans::cluster(&kmeans::points(4000), first.clone());
    let (centres, steps) = run();
    for (centre, corner) in centres
        .iter()
        .zip([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    {
        assert!(
            (centre[0] - corner[0]).hypot(centre[1] - corner[1]) < 0.1,
            "{centre:?}"
        );
    }
    assert_eq!(steps, 2);
    assert_eq!(heist::Pool::new(3).unwrap().install(run), (centres, steps));
}

#[test]
fn nbody_keeps_the_energy() {
    let mut bodies = nbody::cloud(60);
    let before = nbody::energy(&bodies);
    for _ in 0..20 {
        bodies = nbody::step(&bodies, 0.001);
    }
    let after = nbody::energy(&bodies);
    assert!(
        before < 0.0 && (after / before - 1.0).abs() < 0.01,
        "{before} and {after}"
    );
}

#[test]
fn pipeline_writes_lines_in_order() {
    let pool = Arc::new(heist::Pool::new(2).unwrap());
    let (sender, written) = mpsc::channel();
    let lines = (0..200).map(|i| "x".repeat(i % 50));
    pipeline::run(&pool, lines.clone(), move |line, sum| {
        sender.send((line.to_owned(), sum)).unwrap();
    });
    let expected: Vec<_> = lines
        .map(|line| (line.clone(), pipeline::checksum(&line)))
        .collect();
    assert_eq!(written.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn server_answers_all_requests() {
    let pool = Arc::new(heist::Pool::new(2).unwrap());
    assert_eq!(server::serve(&pool, 20), 20);
}

#[test]
fn mergesort_sorts() {
    for len in [0, 1, 2, 511, 512, 513, 5000] {
        let mut items: Vec<u64> = (0..len)
            .map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50)
            .collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        mergesort::sort(&mut items);
        assert_eq!(items, expected);
    }
}

#[test]
fn sudoku_solves_the_puzzle_and_refuses_a_wrong_one() {
    let solution = sudoku::solve(sudoku::parse(sudoku::PUZZLE)).unwrap();
    let expected =
        "693784512487512936125963874932651487568247391741398625319475268856129743274836159";
    assert_eq!(solution, sudoku::parse(expected));
    // Two equal digits in the first row leave no digit for its last square.
    assert_eq!(
        sudoku::solve(sudoku::parse(&format!(
            "12345678.........9{}",
            ".".repeat(63)
        ))),
        None
    );
}

#[test]
fn maze_has_a_way_out_unless_the_exit_is_closed() {
    let mut maze = maze::Maze::new(51);
    assert!(maze.search().stopped);
    maze.close();
    let report = maze.search();
    assert!(!report.stopped);
    assert!(report.processed >= 25 * 25);
}

#[test]
fn life_moves_a_glider_and_keeps_rows_in_step() {
    let mut world = vec![0; 1000];
    world[10..13].copy_from_slice(&[0b010, 0b100, 0b111]);
    let pool = heist::Pool::new(2).unwrap();
    let after = life::play(&pool, &world, 4);
    let mut expected = vec![0; 1000];
    expected[11..14].copy_from_slice(&[0b0100, 0b1000, 0b1110]);
    assert_eq!(after, expected);
}

#[test]
fn trace_is_json_with_the_name_of_the_pool() {
    let mut json = Vec::new();
    assert!(trace::run(&mut json).unwrap() > 20_000);
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert!(
        json["traceEvents"]
            .as_array()
            .is_some_and(|events| !events.is_empty())
    );
    assert!(json.to_string().contains("demo"));
}
