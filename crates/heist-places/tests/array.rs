//! Tests of arrays over places.

mod common;
#[path = "../examples/fft.rs"]
#[allow(dead_code, reason = "the example has a main function of its own")]
mod fft;
#[path = "../examples/heat.rs"]
#[allow(dead_code, reason = "the example has a main function of its own")]
mod heat;
#[path = "../examples/jacobi.rs"]
#[allow(dead_code, reason = "the example has a main function of its own")]
mod jacobi;

use common::{PLACES, repeat};
use heist_places::{Local, PlaceArray};

#[test]
fn jacobi_does_not_depend_on_the_places() {
    let serial = Local::new(1)
        .run(|world| jacobi::heat(&world, 100, 50).unwrap())
        .remove(0)
        .unwrap()
        .unwrap();
    assert!((serial.iter().sum::<f64>() - 10.0).abs() < 1e-9);
    assert!(serial[12] > 0.1 && serial[60] < 1e-9);
    for places in PLACES {
        repeat(5, || {
            let outcomes = Local::new(places)
                .workers(2)
                .run(|world| jacobi::heat(&world, 100, 50).unwrap());
            assert_eq!(outcomes[0], Ok(Some(serial.clone())), "{places} places");
        });
    }
}

#[test]
fn scattered_arrays_come_back() {
    for places in PLACES {
        for length in [0, 1, 5, 100] {
            let all: Vec<usize> = (0..length).map(|index| index * index).collect();
            let outcomes = Local::new(places).run(|world| {
                let array =
                    PlaceArray::scatter(&world, (world.here() == 0).then(|| all.clone())).unwrap();
                assert_eq!(array.len(), length);
                assert!(
                    array
                        .range()
                        .all(|index| array.place_of(index) == world.here())
                );
                array.gather(&world).unwrap()
            });
            assert_eq!(outcomes[0], Ok(Some(all)));
        }
    }
}

#[test]
fn a_heated_plate_has_the_bits_of_the_serial_program() {
    for (rows, columns, steps) in [(0, 4, 2), (1, 1, 3), (2, 5, 3), (5, 20, 10), (60, 70, 40)] {
        let serial = heat::serial(rows, columns, steps);
        for places in PLACES {
            repeat(2, || {
                let outcomes = Local::new(places)
                    .workers(2)
                    .run(|world| heat::heat(&world, rows, columns, steps).unwrap());
                let plate = outcomes[0].clone().unwrap().unwrap();
                assert!(heat::equal(&plate, &serial), "{rows} rows, {places} places");
            });
        }
    }
}

#[test]
fn a_fourier_transform_is_the_sum_that_defines_it() {
    let sizes = [(1, 1), (1, 2), (2, 1), (2, 2), (8, 4), (4, 16), (32, 1)];
    for (rows, columns) in sizes {
        let n = rows * columns;
        let mut first = None;
        for places in PLACES {
            let mut outcomes = Local::new(places).workers(2).run(|world| {
                let input = fft::noise(&world, rows, columns);
                let output = fft::transform(&world, input.clone(), columns).unwrap();
                assert_eq!(output.len(), columns);
                let errors = fft::check(&world, &input, columns, &output).unwrap();
                assert!(errors.largest() < 1e-13, "{errors:?}");
                let (input, output) = (input.gather(&world), output.gather(&world));
                (input.unwrap(), output.unwrap())
            });
            let (input, output) = outcomes.swap_remove(0).unwrap();
            let (input, output) = (input.unwrap().concat(), output.unwrap().concat());
            for (k, found) in output.iter().enumerate() {
                let terms = input.iter().enumerate();
                let sum = terms
                    .map(|(j, number)| *number * fft::Complex::root(j * k % n, n))
                    .fold(fft::Complex::default(), |sum, term| sum + term);
                let error = (sum - *found).norm_squared().sqrt();
                assert!(
                    error < 1e-12,
                    "frequency {k} of {n}: {found:?}, not {sum:?}"
                );
            }
            // Any number of places computes each number in the same way.
            assert_eq!(*first.get_or_insert(output.clone()), output);
        }
    }
}
