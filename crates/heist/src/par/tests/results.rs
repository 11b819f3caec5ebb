//! Checks that each operation has the same result as on an iterator.

use super::{LENGTHS, items, ropes, same, under_all, under_eager};
use crate::par::{Rope, prelude::*};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

same!(
    maps,
    |xs, n| xs.map(|x| x + 1).collect::<Vec<_>>(),
    xs.map(|x| x + 1).collect::<Vec<_>>()
);
same!(
    maps_to_boxes,
    |xs, n| xs.map(|&x| Box::new(x)).collect::<Vec<_>>(),
    xs.map(|&x| Box::new(x)).collect::<Vec<_>>()
);
same!(
    copies,
    |xs, n| xs.copied().collect::<Vec<_>>(),
    xs.copied().collect::<Vec<_>>()
);
same!(
    clones,
    |xs, n| xs.cloned().map(|x| x).collect::<Box<[_]>>(),
    xs.cloned().collect::<Box<[_]>>()
);
same!(
    filters,
    |xs, n| xs.filter(|x| **x % 3 == 0).collect::<Vec<_>>(),
    xs.filter(|x| **x % 3 == 0).collect::<Vec<_>>()
);
same!(
    filters_and_maps,
    |xs, n| xs
        .filter_map(|x| (x % 2 == 0).then_some(x * 2))
        .map(|x| x - 1)
        .collect::<Vec<_>>(),
    xs.filter_map(|x| (x % 2 == 0).then_some(x * 2))
        .map(|x| x - 1)
        .collect::<Vec<_>>()
);
same!(
    flattens,
    |xs, n| xs
        .filter(|x| **x > 0)
        .flat_map(|&x| 0..x % 7)
        .map(|x| x * x)
        .filter(|x| x % 2 == 0)
        .collect::<Vec<_>>(),
    xs.filter(|x| **x > 0)
        .flat_map(|&x| 0..x % 7)
        .map(|x| x * x)
        .filter(|x| x % 2 == 0)
        .collect::<Vec<_>>()
);
same!(
    flattens_serially,
    |xs, n| xs.flat_map_iter(|&x| 0..x % 5).collect::<Vec<_>>(),
    xs.flat_map(|&x| 0..x % 5).collect::<Vec<_>>()
);
same!(
    flattens_twice,
    |xs, n| xs
        .flat_map_iter(|&x| 0..x % 5)
        .flat_map(|x| 0..x)
        .sum::<i64>(),
    xs.flat_map(|&x| 0..x % 5).flat_map(|x| 0..x).sum::<i64>()
);
same!(sums, |xs, n| xs.sum::<i64>(), xs.sum::<i64>());
same!(
    multiplies,
    |xs, n| xs
        .map(|x| x.rem_euclid(3) as u128 + 1)
        .map(|x| x.min(2))
        .take(100)
        .product::<u128>(),
    xs.map(|x| x.rem_euclid(3) as u128 + 1)
        .map(|x| x.min(2))
        .take(100)
        .product::<u128>()
);
same!(
    counts,
    |xs, n| xs.filter(|x| **x > 3).count(),
    xs.filter(|x| **x > 3).count()
);
same!(
    finds_the_least,
    |xs, n| xs.enumerate().min_by_key(|(_, x)| **x),
    xs.enumerate().min_by_key(|(_, x)| **x)
);
same!(
    finds_the_greatest,
    |xs, n| xs.enumerate().max_by_key(|(_, x)| **x),
    xs.enumerate().max_by_key(|(_, x)| **x)
);
same!(finds_the_least_item, |xs, n| xs.min(), xs.min());
same!(
    finds_the_greatest_item,
    |xs, n| xs.copied().max_by(|a, b| b.cmp(a)),
    xs.copied().max_by(|a, b| b.cmp(a))
);
same!(
    numbers,
    |xs, n| xs.enumerate().collect::<Vec<_>>(),
    xs.enumerate().collect::<Vec<_>>()
);
same!(
    numbers_mapped,
    |xs, n| xs
        .map(|x| x * 2)
        .enumerate()
        .filter(|(i, _)| i % 3 == 1)
        .collect::<Vec<_>>(),
    xs.map(|x| x * 2)
        .enumerate()
        .filter(|(i, _)| i % 3 == 1)
        .collect::<Vec<_>>()
);
same!(
    zips,
    |xs, n| xs.zip(3..n / 2 + 3).collect::<Vec<_>>(),
    xs.zip(3..n / 2 + 3).collect::<Vec<_>>()
);
same!(
    zips_with_longer,
    |xs, n| xs
        .zip(0..2 * n)
        .map(|(x, i)| x * i as i64)
        .collect::<Vec<_>>(),
    xs.zip(0..2 * n)
        .map(|(x, i)| x * i as i64)
        .collect::<Vec<_>>()
);
same!(
    chains,
    |xs, n| xs
        .copied()
        .chain(5..9_i64)
        .chain((0..n as i64).par())
        .collect::<Vec<_>>(),
    xs.copied()
        .chain(5..9_i64)
        .chain(0..n as i64)
        .collect::<Vec<_>>()
);
same!(
    skips,
    |xs, n| xs.skip(n / 3).take(n / 3).collect::<Vec<_>>(),
    xs.skip(n / 3).take(n / 3).collect::<Vec<_>>()
);
same!(
    takes_more_than_there_is,
    |xs, n| xs.skip(3).take(2 * n).collect::<Vec<_>>(),
    xs.skip(3).take(2 * n).collect::<Vec<_>>()
);
same!(
    reduces_in_order,
    |xs, n| xs.map(|x| x.to_string()).reduce(String::new, |a, b| a + &b),
    xs.map(|x| x.to_string()).collect::<String>()
);
same!(
    reduces_filtered_items_in_order,
    |xs, n| xs
        .filter(|x| **x % 3 == 1)
        .map(|x| x.to_string())
        .reduce_with(|a, b| a + &b),
    xs.filter(|x| **x % 3 == 1)
        .map(|x| x.to_string())
        .reduce(|a, b| a + &b)
);
same!(
    accumulates_in_order,
    |xs, n| xs.accumulate(
        Vec::new,
        |all, x| all.push(*x),
        |all, mut more| all.append(&mut more)
    ),
    xs.copied().collect::<Vec<_>>()
);
same!(
    accumulates_nested_items,
    |xs, n| xs.flat_map(|x| 0..x % 7).filter(|x| x % 2 == 0).accumulate(
        Vec::new,
        |all, x| all.push(x),
        |all, mut more| all.append(&mut more)
    ),
    xs.flat_map(|x| 0..x % 7)
        .filter(|x| x % 2 == 0)
        .collect::<Vec<_>>()
);
same!(
    folds_in_order,
    |xs, n| xs.fold_reduce(
        Vec::new,
        |mut v, x| {
            v.push(*x);
            v
        },
        |mut a, b| {
            a.extend(b);
            a
        }
    ),
    xs.copied().collect::<Vec<_>>()
);
same!(
    reduces_nested_in_order,
    |xs, n| xs
        .flat_map(|&x| (0..x.rem_euclid(4)).par())
        .map(|x| x.to_string())
        .reduce(String::new, |a, b| a + &b),
    xs.flat_map(|&x| 0..x.rem_euclid(4))
        .map(|x| x.to_string())
        .collect::<String>()
);
same!(
    parts,
    |xs, n| xs.partition::<Vec<&i64>, _>(|x| **x > 0),
    xs.partition::<Vec<&i64>, _>(|x| **x > 0)
);
same!(
    scans,
    |xs, n| xs
        .map(|x| x.to_string())
        .inclusive_scan(|a, b| a.clone() + b),
    {
        let strings = xs.map(|x| x.to_string());
        let scan = strings.scan(String::new(), |all, x| {
            all.push_str(&x);
            Some(all.clone())
        });
        scan.collect::<Vec<_>>()
    }
);
same!(
    scans_exclusively,
    |xs, n| xs.copied().exclusive_scan(7, |a, b| a + b),
    {
        let mut all = 7;
        let before = xs.map(|x| {
            all += x;
            all - x
        });
        (before.collect::<Vec<_>>(), all)
    }
);
same!(groups, |xs, n| xs.copied().group_by(|x| x % 5), {
    let mut groups: HashMap<i64, Vec<i64>> = HashMap::new();
    xs.for_each(|&x| groups.entry(x % 5).or_default().push(x));
    groups
});
same!(
    counts_by_bucket,
    |xs, n| xs.histogram(9, |x| x.rem_euclid(9) as usize),
    {
        let mut counts = vec![0; 9];
        xs.for_each(|x| counts[x.rem_euclid(9) as usize] += 1);
        counts
    }
);
same!(
    unzips,
    |xs, n| xs.map(|x| (*x, x + 1)).unzip::<_, _, Vec<_>, Vec<_>>(),
    xs.map(|x| (*x, x + 1)).unzip::<_, _, Vec<_>, Vec<_>>()
);
same!(
    collects_sets,
    |xs, n| xs.copied().collect::<HashSet<i64>>(),
    xs.copied().collect::<HashSet<i64>>()
);
same!(
    collects_ordered_sets,
    |xs, n| xs.copied().collect::<BTreeSet<i64>>(),
    xs.copied().collect::<BTreeSet<i64>>()
);
same!(
    collects_maps,
    |xs, n| xs.map(|x| (*x, n)).collect::<HashMap<_, _>>(),
    xs.map(|x| (*x, n)).collect::<HashMap<_, _>>()
);
same!(
    the_last_value_of_a_key_stays,
    |xs, n| xs
        .copied()
        .enumerate()
        .map(|(i, x)| (x, i))
        .collect::<BTreeMap<_, _>>(),
    xs.copied()
        .enumerate()
        .map(|(i, x)| (x, i))
        .collect::<BTreeMap<_, _>>()
);
same!(
    collects_strings,
    |xs, n| xs.map(|x| x.to_string()).collect::<String>(),
    xs.map(|x| x.to_string()).collect::<String>()
);
same!(
    the_first_error_counts,
    |xs, n| xs
        .map(|x| if x % 7 == 3 { Err(*x) } else { Ok(*x) })
        .collect::<Result<Vec<_>, _>>(),
    xs.map(|x| if x % 7 == 3 { Err(*x) } else { Ok(*x) })
        .collect::<Result<Vec<_>, _>>()
);

#[test]
fn slices_are_cut_in_pieces() {
    for &n in LENGTHS {
        let all = items(n);
        for size in [1, 2, 3, 100] {
            under_all!(|policy| {
                let ours: Vec<_> = all.par_chunks(size).splitting(policy).collect();
                assert_eq!(ours, all.chunks(size).collect::<Vec<_>>());
                let ours: Vec<_> = all.par_windows(size).splitting(policy).collect();
                assert_eq!(ours, all.windows(size).collect::<Vec<_>>());
            });
            let (mut ours, mut theirs) = (all.clone(), all.clone());
            ours.par_chunks_mut(size)
                .enumerate()
                .for_each(|(i, chunk)| chunk.fill(i as i64));
            for (i, chunk) in theirs.chunks_mut(size).enumerate() {
                chunk.fill(i as i64);
            }
            assert_eq!(ours, theirs);
        }
    }
}

#[test]
fn elements_are_changed_in_place() {
    under_all!(|policy| {
        let mut xs = items(500);
        let must: Vec<_> = xs.iter().map(|x| x * 2).collect();
        xs.par_mut().splitting(policy).for_each(|x| *x *= 2);
        assert_eq!(xs, must);
        let mut doubled = vec![0; 500];
        xs.par()
            .splitting(policy)
            .map(|x| x * 2)
            .write_to(&mut doubled);
        assert!(doubled.iter().zip(&xs).all(|(d, x)| *d == 2 * x));
    });
}

#[test]
fn ranges_of_all_integers_are_sequences() {
    assert_eq!((0_u8..255).par().map(u32::from).sum::<u32>(), 255 * 254 / 2);
    assert_eq!((-100_i8..100).par().map(i32::from).sum::<i32>(), -100);
    assert_eq!(
        (0_u8..=255).par().map(u32::from).sum::<u32>(),
        255 * 256 / 2
    );
    assert_eq!(
        (250_u8..=255).par().splitting(crate::par::Eager(1)).max(),
        Some(255)
    );
    assert_eq!((i64::MAX - 999..=i64::MAX).par().count(), 1000);
    #[allow(clippy::reversed_empty_ranges, reason = "that is what is tested")]
    let none = (5..=3_i32).par().count();
    assert_eq!(none, 0);
    assert_eq!((i64::MIN..i64::MIN + 1000).par().count(), 1000);
    assert_eq!((u128::MAX - 5..u128::MAX).par().max(), Some(u128::MAX - 1));
    #[allow(clippy::reversed_empty_ranges, reason = "that is what is tested")]
    let none = (5..3_i32).par().count();
    assert_eq!(none, 0);
}

#[test]
fn zero_sized_items_are_items() {
    under_all!(|policy| {
        let units: Vec<()> = (0..1000).par().splitting(policy).map(|_| ()).collect();
        assert_eq!(units.len(), 1000);
        assert_eq!(
            units.into_par().splitting(policy).filter(|()| true).count(),
            1000
        );
    });
}

#[test]
fn tuples_are_zipped() {
    let (a, b, c) = ([1, 2, 3], vec!['x', 'y', 'z'], 0..5);
    let zipped: Vec<_> = (&a, b.clone(), c).into_par().collect();
    assert_eq!(zipped, [(&1, 'x', 0), (&2, 'y', 1), (&3, 'z', 2)]);
    let four = (&a, b, 7..=9, 0..2)
        .into_par()
        .map(|(a, b, c, d)| (*a, b, c + d));
    assert_eq!(four.collect::<Vec<_>>(), [(1, 'x', 7), (2, 'y', 9)]);
}

#[test]
fn ropes_are_sequences() {
    for &n in LENGTHS {
        if n > 300 {
            continue;
        }
        let all = items(n);
        for (rope, other) in ropes(&all).iter().zip(ropes(&all).iter().rev()) {
            let plus: Vec<i64> = all.iter().map(|x| x + 1).collect();
            let odd: Vec<i64> = all.iter().copied().filter(|x| x % 2 != 0).collect();
            let prefixes: Vec<i64> = all
                .iter()
                .scan(0, |sum, x| {
                    *sum += x;
                    Some(*sum)
                })
                .collect();
            under_all!(|policy| {
                let xs = || rope.par().splitting(policy);
                let mapped = xs().map(|x| x + 1).collect_rope(4);
                assert_eq!(mapped.iter().copied().collect::<Vec<_>>(), plus);
                assert!(mapped.is_balanced() && mapped.leaves().all(|leaf| leaf.len() <= 4));
                let kept: Rope<i64> = xs().copied().filter(|x| x % 2 != 0).collect();
                assert_eq!(kept.iter().copied().collect::<Vec<_>>(), odd);
                assert_eq!(
                    xs().copied().reduce_with(i64::min),
                    all.iter().copied().min()
                );
                assert_eq!(xs().copied().inclusive_scan(|a, b| a + b), prefixes);
                // Two ropes of different shapes are paused and resumed together.
                let doubled = xs().zip(other).map(|(a, b)| a + b).collect_rope(6);
                assert!(doubled.iter().zip(&all).all(|(d, x)| *d == 2 * x));
                assert_eq!(doubled.len(), n);
                let nested: Rope<i64> = xs().flat_map(|&x| (0..x % 4).par()).collect();
                assert!(
                    nested
                        .iter()
                        .copied()
                        .eq(all.iter().flat_map(|&x| 0..x % 4))
                );
                assert_eq!(xs().cloned().collect::<Vec<_>>(), all);
            });
        }
    }
}

#[test]
fn eager_policies_split_in_order() {
    let all = items(700);
    let rope = all.par().copied().collect_rope(8);
    let must: Vec<i64> = all.iter().filter(|x| **x % 3 != 0).map(|x| x * 2).collect();
    under_eager!(|policy| {
        let xs = all.par().splitting(policy).filter(|x| **x % 3 != 0);
        assert_eq!(xs.map(|x| x * 2).collect::<Vec<_>>(), must);
        let xs = rope.par().splitting(policy).filter(|x| **x % 3 != 0);
        assert_eq!(xs.map(|x| x * 2).collect::<Vec<_>>(), must);
    });
}
