//! Tests of the operations in which places send values to each other directly.

mod common;

use common::{PLACES, ends, repeat};
use heist_places::{Local, PlaceArray, PlaceError};

#[test]
fn each_place_gets_a_value_of_each_other() {
    for places in PLACES {
        repeat(5, || {
            let outcomes = Local::new(places).run(|world| {
                // Several operations run at the same time, and no task awaits one of them.
                let values = |round: usize| -> Vec<_> {
                    let to = 0..world.places();
                    to.map(|to| (round, world.here(), vec![to; to])).collect()
                };
                let first = world.all_to_all(values(0));
                drop(world.all_to_all(values(1)));
                let second = world.all_to_all(values(2));
                (second.wait().unwrap(), first.wait().unwrap())
            });
            for (here, outcome) in outcomes.into_iter().enumerate() {
                let expected = |round| (0..places).map(move |from| (round, from, vec![here; here]));
                let (second, first) = outcome.unwrap();
                assert!(first.into_iter().eq(expected(0)), "{here} of {places}");
                assert!(second.into_iter().eq(expected(2)), "{here} of {places}");
            }
        });
    }
}

#[test]
fn a_dead_place_is_named() {
    for places in [2, 3, 4, 7] {
        let outcomes = ends(move || {
            Local::new(places).run_with(|world, kill| {
                if world.here() == 1 {
                    kill.kill();
                    return Ok(());
                }
                let values = vec![(); places];
                world.all_to_all(values.clone()).wait().unwrap_err();
                // This place knows of the death by now.
                world.all_to_all(values).wait().map(drop)
            })
        });
        for (here, outcome) in outcomes.into_iter().enumerate().filter(|(i, _)| *i != 1) {
            let error = outcome.unwrap().unwrap_err();
            assert_eq!(error, PlaceError::Lost { place: 1, tasks: 0 }, "{here}");
        }
    }
}

#[test]
fn a_place_that_has_left_is_named() {
    let outcomes = ends(|| {
        Local::new(3).run(|world| {
            if world.here() == 2 {
                return Ok(vec![]);
            }
            world.all_to_all(vec![0, 1, 2]).wait()
        })
    });
    for outcome in &outcomes[..2] {
        assert_eq!(*outcome, Ok(Err(PlaceError::Left { place: 2 })));
    }
}

#[test]
#[should_panic(expected = "each place gives a value for each place")]
fn too_few_values_are_refused() {
    let _ = Local::new(3).run(|world| world.all_to_all(vec![0; 2]).wait());
}

#[test]
fn transposed_matrices_have_their_columns_as_rows() {
    for places in PLACES {
        for (rows, columns) in [
            (0, 0),
            (0, 3),
            (3, 0),
            (1, 1),
            (1, 9),
            (5, 3),
            (3, 5),
            (16, 20),
        ] {
            let item = |row: usize, column: usize| format!("{row} {column}");
            let outcomes = Local::new(places).run(|world| {
                let matrix = PlaceArray::new(&world, rows, |row| {
                    (0..columns).map(|column| item(row, column)).collect()
                });
                let transposed = matrix.clone().transpose(&world, columns).unwrap();
                assert_eq!(transposed.len(), columns);
                assert!(transposed.block().iter().all(|row| row.len() == rows));
                let twice = transposed.clone().transpose(&world, rows).unwrap();
                assert_eq!(twice, matrix);
                transposed.gather(&world).unwrap()
            });
            let expected: Vec<Vec<String>> = (0..columns)
                .map(|column| (0..rows).map(|row| item(row, column)).collect())
                .collect();
            assert_eq!(outcomes[0], Ok(Some(expected)), "{places} places");
        }
    }
}

#[test]
#[should_panic(expected = "a row of a matrix of 3 columns")]
fn rows_of_another_length_are_refused() {
    let _ = Local::new(2).run(|world| {
        let matrix = PlaceArray::new(&world, 4, |row| vec![0; if row == 3 { 2 } else { 3 }]);
        let _ = matrix.transpose(&world, 3);
    });
}

#[test]
fn a_halo_reaches_across_short_blocks() {
    for places in PLACES {
        for length in [0, 1, 3, 6, 30] {
            for width in [0, 1, 2, 5, 100] {
                let outcomes = Local::new(places).run(|world| {
                    let array = PlaceArray::new(&world, length, |index| index);
                    (array.range(), array.halo(&world, width).unwrap())
                });
                for outcome in outcomes {
                    let (own, halo) = outcome.unwrap();
                    let before = own.start.saturating_sub(width)..own.start;
                    let behind = own.end..length.min(own.end + width);
                    let expected: (Vec<usize>, Vec<usize>) = (before.collect(), behind.collect());
                    assert_eq!(halo, expected, "{own:?} of {length}, width {width}");
                }
            }
        }
    }
}
