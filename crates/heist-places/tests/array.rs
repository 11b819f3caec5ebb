//! Tests of arrays over places.

mod common;
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
