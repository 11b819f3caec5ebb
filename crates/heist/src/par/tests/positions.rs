//! Tests of the positions of items, and of the last position.

use super::{same, under_all};
use crate::par::prelude::*;

same!(
    all_positions,
    |xs, n| xs.positions(|x| x % 3 == 1).collect::<Vec<_>>(),
    xs.enumerate()
        .filter(|(_, x)| **x % 3 == 1)
        .map(|(at, _)| at)
        .collect::<Vec<_>>()
);
same!(
    positions_from_behind,
    |xs, n| xs.rev().skip(2).positions(|x| x % 3 == 1).sum::<usize>(),
    xs.rev()
        .skip(2)
        .enumerate()
        .filter(|(_, x)| **x % 3 == 1)
        .map(|(at, _)| at)
        .sum::<usize>()
);
same!(
    the_last_position,
    |xs, n| (
        xs.clone().position_last(|x| x % 7 == 1),
        xs.position_last(|x| *x > 1000)
    ),
    (xs.clone().rposition(|x| x % 7 == 1), None)
);
same!(
    the_last_some,
    |xs, n| xs.find_map_last(|x| (x % 7 == 1).then(|| x.to_string())),
    xs.rev().find_map(|x| (x % 7 == 1).then(|| x.to_string()))
);
same!(
    each_is_updated,
    |xs, n| xs
        .copied()
        .update(|x| *x += 1)
        .enumerate()
        .rev()
        .filter(|(at, _)| at % 3 > 0)
        .collect::<Vec<_>>(),
    xs.map(|x| x + 1)
        .enumerate()
        .rev()
        .filter(|(at, _)| at % 3 > 0)
        .collect::<Vec<_>>()
);
same!(
    strings_are_updated,
    |xs, n| xs
        .filter(|x| **x % 2 == 0)
        .map(|x| x.to_string())
        .update(|x| x.push(';'))
        .collect::<String>(),
    xs.filter(|x| **x % 2 == 0)
        .map(|x| format!("{x};"))
        .collect::<String>()
);
same!(
    serial_iterators_are_flattened,
    |xs, n| xs
        .map(|x| usize::try_from(*x).map(|x| vec![x; x % 4]).ok())
        .flatten_iter()
        .flatten_iter()
        .collect::<Vec<_>>(),
    xs.filter_map(|x| usize::try_from(*x).map(|x| vec![x; x % 4]).ok())
        .flatten()
        .collect::<Vec<_>>()
);

/// Checks that a reduction returns the first failure although its operator does not commute.
#[test]
fn items_that_may_fail_are_reduced() {
    for n in super::LENGTHS.iter().filter(|n| **n < 300) {
        for fails_at in [0, 5, 200] {
            let item = |i: usize| match i {
                i if i == fails_at || i == fails_at + 1 => Err(i),
                i => Ok(i.to_string()),
            };
            let joined: Result<String, usize> = (0..*n).map(item).collect();
            let joined = (*n > 0).then_some(joined);
            under_all!(|policy| {
                let items = (0..*n).par().splitting(policy).map(item);
                assert_eq!(items.try_reduce_with(|a, b| Ok(a + &b)), joined);
            });
        }
    }
    under_all!(|policy| {
        let sum = |n: u8| {
            let items = (0..n).par().splitting(policy).map(Some);
            items.try_reduce_with(|a, b| a.checked_add(b))
        };
        assert_eq!(
            (sum(0), sum(20), sum(200)),
            (None, Some(Some(190)), Some(None))
        );
    });
}
